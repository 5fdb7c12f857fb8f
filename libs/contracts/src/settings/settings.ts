import { type Static, Type } from 'typebox'
import { Bool, Int, KeyValue, Nullable, Strict, Text } from '../schemas/primitives.ts'
import { connectionSettings, imapIdSettings } from './connection-settings.ts'
import { exportSettingDefaults, exportSettings } from './export-settings.ts'
import { mailProxySettings } from './mail-proxy-settings.ts'
import { messageNewSettings } from './message-new-settings.ts'
import { flag, int, name, names, number, text, url } from './setting-schemas.ts'
import { summarySettings } from './summary-settings.ts'
import { namesUnsupported } from './unsupported-settings.ts'
import {
  RetrySchedule,
  TargetConcurrency,
  TargetRate,
  WebhookTargetOptions,
  WebhookTargetSecrets,
} from './webhook-targets.ts'

const AccountLogs = Strict(
  {
    all: Type.Optional(
      Bool(
        'If true, the protocol logs of all accounts are recorded, even if the option `logs` of an account is off. Defaults to false.',
      ),
    ),
    maxLogLines: Type.Optional(
      Int(
        'Maximum number of protocol log lines that are stored per account. Defaults to the variable `SVC_ACCOUNT_LOG_LINES`.',
        { minimum: 0, maximum: 1_000_000 },
      ),
    ),
  },
  {
    description:
      'Options for the protocol logs of accounts: IMAP commands and responses, or requests to a mail API.',
  },
)

/**
 * Schemas of the settings, by setting name. The value `null` unsets a setting. See "Settings" in
 * the interface spec.
 */
export const settings = {
  webhooks: url(
    'Default webhook target: URL that receives the events of all accounts without their own target. None by default.',
  ),
  webhooksEnabled: flag(
    'If true, webhooks are delivered to all targets: default target, accounts and webhook routes. Defaults to false.',
  ),
  webhookEvents: names(
    'Names of the events that are delivered to the default target and to targets of accounts. `*` means all events. None by default.',
  ),
  webhooksCustomHeaders: Nullable(
    Type.Array(KeyValue, {
      maxItems: 100,
      description:
        'Additional HTTP headers of webhook requests to the default target. Values are stored encrypted. The mask `******` as a value keeps the stored value.',
    }),
  ),
  webhooksHeaderAlias: Nullable(
    Text(
      'Second prefix of header names, such as `X-EE-` for programs made for EmailEngine. Webhooks have each header `X-SVC-Wh-…` with both prefixes. The API also accepts `X-SVC-Timeout` and `Idempotency-Key` with the prefix, and the SMTP proxy the message headers `X-SVC-Account` and `X-SVC-Idempotency-Key`. `X-`, then words of letters and digits, each followed by a hyphen; not `X-SVC-` or `X-Forwarded-`. Null and the empty text switch the second names off. None by default.',
      { maxLength: 32, format: 'header-prefix-or-empty' },
    ),
  ),
  ...messageNewSettings,
  serviceUrl: url(
    'Public base URL of Posthorn for clients and browsers, such as `https://mail.example.com`. Required for the hosted form, OAuth2, tracking and unsubscribe links. None by default.',
    'http-url',
  ),
  notificationBaseUrl: url(
    'Base URL at which mail providers reach Posthorn with change notifications. Defaults to the setting `serviceUrl`.',
    'http-url',
  ),
  gmailSubscriptionTtl: int(
    'Number of days after which Google deletes an unused Pub/Sub subscription. 0 (default): never. Changes apply within 1 h.',
    0,
    365,
  ),
  serviceSecret: text(
    'Secret key of webhook signatures. Generated at the first start. Can be replaced, but not removed: null and the empty text change nothing.',
    1024,
  ),
  serviceSecretOverlap: int(
    'Number of seconds for which webhooks also have a signature by the previous `serviceSecret` after a change of the secret. 0: none. Defaults to 86,400.',
    0,
    2_592_000,
  ),
  webhookSecrets: Nullable(WebhookTargetSecrets),
  webhooksRetrySchedule: Nullable(RetrySchedule),
  webhooksConcurrency: Nullable(TargetConcurrency),
  webhooksRate: Nullable(TargetRate),
  webhooksAttemptLog: flag(
    'If true, the result of each attempt to deliver a webhook is stored for operators. Defaults to false.',
  ),
  webhooksAttemptLogDays: number(
    'Number of days for which results of attempts are stored if `webhooksAttemptLog` is on. Defaults to 7.',
    0.001,
    3_650,
  ),
  webhooksKeepFailedDays: number(
    'Number of days for which failed webhook deliveries are stored and can be replayed. Defaults to the variable `SVC_WEBHOOK_KEEP_FAILED`.',
    0.001,
    3_650,
  ),
  webhookTargets: Nullable(
    Type.Array(WebhookTargetOptions, {
      maxItems: 1000,
      description:
        'Options of single webhook targets: delays between attempts, concurrency and rate of requests, and pauses. These options replace the settings for all webhook targets. None by default.',
    }),
  ),
  authServer: url(
    'URL of the authentication server, which returns the logins of accounts with `useAuthServer`. None by default.',
  ),
  authServerProtocol: flag(
    'If true, requests to the authentication server have the query parameter `proto`: `imap`, `smtp` or `api`. For servers with different logins per protocol. Defaults to false.',
  ),
  ...connectionSettings,
  enableApiProxy: flag(
    'If true (default), client addresses in `X-Forwarded-For` are accepted from the proxies in `SVC_TRUSTED_PROXIES`. If false, `X-Forwarded-For` is ignored.',
  ),
  tokenAuditLog: flag(
    'If true, each use of a token is logged for `GET /v1/tokens/{token}/log`. Defaults to false.',
  ),
  enableOAuthTokensApi: flag(
    'If true, `GET /v1/account/{account}/oauth-token` returns OAuth2 access tokens of accounts, except of service accounts. Defaults to false.',
  ),
  deliveryAttempts: int(
    'Maximum number of attempts to send a message, unless the submission sets the number. Defaults to 10.',
    1,
    100,
  ),
  trackOpens: flag(
    'If true, opens of sent messages are tracked, unless the submission sets `trackOpens`. Defaults to false.',
  ),
  trackClicks: flag(
    'If true, clicks on links in sent messages are tracked, unless the submission sets `trackClicks`. Defaults to false.',
  ),
  trackRepeatWindow: int(
    'Number of seconds in which repeated requests of a client for the same link cause only the first `trackOpen` or `trackClick`. 0: each request causes an event. Defaults to 5.',
    0,
    86_400,
  ),
  templateHeader: text(
    'HTML that is inserted unchanged at the start of public pages, such as the hosted form and the unsubscribe page.',
    1_048_576,
  ),
  templateHtmlHead: text(
    'HTML that is inserted unchanged into the head of public pages, such as the hosted form and the unsubscribe page.',
    1_048_576,
  ),
  locale: Nullable(
    Text(
      'Language tag, such as `en-GB`, for dates in quotations of replies and forwards, and for public pages. In quotations it applies to accounts that set no `locale`, and defaults to `en`. Public pages, such as the hosted form and the unsubscribe page, exist in English, German, French, Spanish, Dutch, Polish, Estonian, Japanese and Portuguese. Without this setting, or with another language, they follow `Accept-Language` of the browser.',
      {
        maxLength: 100,
        format: 'locale',
      },
    ),
  ),
  timezone: Nullable(
    Text(
      'Time zone, such as `Europe/Tallinn`, for dates in quotations of replies and forwards. Applies to accounts that set no `tz`. Defaults to `UTC`.',
      {
        maxLength: 100,
        format: 'time-zone',
      },
    ),
  ),
  pageBrandName: name(
    'Product name on public pages, such as the hosted form and the unsubscribe page. Defaults to the host name of `serviceUrl`.',
  ),
  ...summarySettings,
  scriptEnv: Nullable(
    Text(
      'JSON object, as text, that functions of webhook routes receive as the parameter `env`. Stored and returned unchanged. Defaults to `{}`.',
      {
        maxLength: 1_048_576,
        format: 'json-object',
      },
    ),
  ),
  ...exportSettings,
  resolveGmailCategories: flag(
    'If true, messages of Gmail accounts over IMAP have the member `category` with the inbox tab. Costs additional searches. Defaults to false.',
  ),
  imapIndexer: Nullable(
    Type.Union([Type.Literal('full'), Type.Literal('fast')], {
      description:
        'Mailbox index of IMAP accounts that do not set `imapIndexer`: `full` (default) detects new, changed and deleted messages, `fast` new messages only.',
    }),
  ),
  ...imapIdSettings,
  logs: Nullable(AccountLogs),
  ...mailProxySettings,
} as const

export type SettingKey = keyof typeof settings
export const settingKeys = Object.keys(settings) as SettingKey[]

/** Settings that are URLs, whose credentials the API masks. An empty text unsets a URL. */
export const addressSettings = [
  'webhooks',
  'authServer',
  'proxyUrl',
  'httpProxyUrl',
  'openAiAPIUrl',
] as const satisfies readonly SettingKey[]

/**
 * Names of the settings that are stored sealed (encrypted). Only auth-bridge can unseal them. The
 * API returns true or false instead of the value.
 */
export const secretSettings = [
  'serviceSecret',
  'webhookSecrets',
  'smtpServerPassword',
  'imapProxyServerPassword',
  'openAiAPIKey',
] as const satisfies readonly SettingKey[]

/**
 * Names of settings that access tokens with a permissions record can neither read nor change. These
 * settings give access to messages or tokens, or to the identity of the service.
 */
export const privilegedSettings = [
  'webhooks',
  'webhooksCustomHeaders',
  'serviceUrl',
  'notificationBaseUrl',
  'serviceSecret',
  'serviceSecretOverlap',
  'webhookSecrets',
  'authServer',
  'authServerProtocol',
  'ignoreMailCertErrors',
  'proxyEnabled',
  'proxyUrl',
  'httpProxyEnabled',
  'httpProxyUrl',
  'logs',
  'templateHeader',
  'templateHtmlHead',
  'imapProxyServerEnabled',
  'imapProxyServerHost',
  'imapProxyServerPort',
  'imapProxyServerTLSEnabled',
  'imapProxyServerProxy',
  'imapProxyServerPassword',
  'openAiAPIKey',
  'openAiAPIUrl',
  'scriptEnv',
  'enableApiProxy',
  'tokenAuditLog',
  'enableOAuthTokensApi',
  'smtpServerEnabled',
  'smtpServerHost',
  'smtpServerPort',
  'smtpServerTLSEnabled',
  'smtpServerProxy',
  'smtpServerAuthEnabled',
  'smtpServerPassword',
] as const satisfies readonly SettingKey[]

const optionalSettings = Object.fromEntries(
  settingKeys.map((key) => [key, Type.Optional(settings[key])]),
) as { [K in SettingKey]: ReturnType<typeof Type.Optional<(typeof settings)[K]>> }

export const SettingsUpdate = Strict(optionalSettings, { minProperties: 1, ...namesUnsupported })
export type SettingsUpdate = Static<typeof SettingsUpdate>
/** Settings of the installation, as services read them. Unset settings are absent. */
export type Settings = { [K in SettingKey]?: NonNullable<Static<(typeof settings)[K]>> }

/** Settings that get a value when an installation starts for the first time. */
export const seededSettings = {
  notifyText: true,
  notifyTextSize: 2_097_152,
} as const satisfies Settings

export const settingDefaults = {
  imapProxyServerHost: '127.0.0.1',
  imapProxyServerPort: 2993,
  smtpServerHost: '127.0.0.1',
  smtpServerPort: 2525,
  smtpServerAuthEnabled: true,
  deliveryAttempts: 10,
  trackRepeatWindow: 5,
  serviceSecretOverlap: 86_400,
  ...exportSettingDefaults,
} as const satisfies Settings

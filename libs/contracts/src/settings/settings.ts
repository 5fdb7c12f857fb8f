import { type Static, Type } from 'typebox'
import { Bool, Int, KeyValue, Nullable, Strict, Text } from '../schemas/primitives.ts'
import { namesUnsupported } from './unsupported-settings.ts'
import {
  RetrySchedule,
  TargetConcurrency,
  TargetRate,
  WebhookTargetOptions,
  WebhookTargetSecrets,
} from './webhook-targets.ts'

const flag = (description: string) => Nullable(Bool(description))
const text = (description: string, maxLength: number) => Nullable(Text(description, { maxLength }))
const name = (description: string) => Nullable(Text(description, { minLength: 1, maxLength: 256 }))
const names = (description: string) =>
  Nullable(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 1000, description }))
const number = (description: string, minimum: number, maximum: number) =>
  Nullable(Type.Number({ minimum, maximum, description }))
const int = (description: string, minimum: number, maximum: number) =>
  Nullable(Int(description, { minimum, maximum }))
const bytes = (description: string) => int(description, 0, 1_073_741_824)
const port = (description: string) => int(description, 1, 65_535)
const host = (description: string) =>
  Nullable(Text(description, { minLength: 1, maxLength: 255, format: 'host-name' }))
const url = (
  description: string,
  format: 'http-url' | 'http-url-or-empty' | 'proxy-url-or-empty' = 'http-url-or-empty',
) => Nullable(Text(description, { maxLength: 2048, format }))
/** Setting for a member of the IMAP ID command. RFC 2971 §3.3 limits values to 1,024 bytes. */
const clientId = (member: string) =>
  Nullable(
    Text(`Value of \`${member}\` sent to IMAP servers (RFC 2971).`, {
      minLength: 1,
      maxLength: 256,
      format: 'one-line',
    }),
  )
const strategy = (protocol: string) =>
  Nullable(
    Type.Union([Type.Literal('default'), Type.Literal('dedicated'), Type.Literal('random')], {
      description: `Choice of the local address for ${protocol}: by the system, fixed per account, or random.`,
    }),
  )

/** Minimum length of a password that admits clients of the IMAP or SMTP proxy to all accounts. */
export const minServerPasswordLength = 32
const serverPassword = (protocol: string) =>
  Nullable(
    Text(`${protocol} proxy password of all accounts, besides tokens.`, {
      minLength: minServerPasswordLength,
      maxLength: 1024,
    }),
  )

const AccountLogs = Strict(
  {
    all: Type.Optional(Bool('If true, logs all accounts, whatever their own `logs` option.')),
    maxLogLines: Type.Optional(
      Int('Maximum lines stored per account.', { minimum: 0, maximum: 1_000_000 }),
    ),
  },
  { description: 'Options of the protocol logs.' },
)

/**
 * Schemas of the settings, by setting name. The value `null` unsets a setting. See "Settings" in
 * the interface spec.
 */
export const settings = {
  webhooks: url('Default webhook target.'),
  webhooksEnabled: flag('If true, webhooks are delivered.'),
  webhookEvents: names('Names of the events for the default target. `*` means all.'),
  webhooksCustomHeaders: Nullable(
    Type.Array(KeyValue, {
      maxItems: 100,
      description:
        'Headers of requests to the default target. Values are stored encrypted. A masked value keeps the stored one.',
    }),
  ),
  notifyHeaders: names('Names of the message headers in messageNew. `*` means all.'),
  notifyText: flag('If true, messageNew contains the text. Defaults to true.'),
  notifyTextSize: bytes('Maximum bytes of each text in messageNew. Defaults to 2,097,152.'),
  notifyWebSafeHtml: flag('If true, messageNew contains sanitized HTML.'),
  notifyAttachments: flag('If true, messageNew contains the attachments.'),
  notifyAttachmentList: flag(
    'If true, messageNew lists all attachments, without contents unless `notifyAttachments` adds them.',
  ),
  notifyAttachmentSize: bytes('Maximum bytes of an attachment in messageNew.'),
  notifyCalendarEvents: flag('If true, messageNew contains the events of calendar parts.'),
  inboxNewOnly: flag('If true, messageNew is sent only for messages arriving in the Inbox.'),
  serviceUrl: url('Public base URL of the service.', 'http-url'),
  notificationBaseUrl: url(
    'Base URL for notifications of mail providers. Defaults to `serviceUrl`.',
    'http-url',
  ),
  gmailSubscriptionTtl: int(
    'Days after which Google deletes an unused Pub/Sub subscription. 0 (default): never.',
    0,
    365,
  ),
  serviceSecret: text('Key of webhook signatures. It can be replaced, not removed.', 1024),
  serviceSecretOverlap: int(
    'Seconds for which a replaced service secret is still used for an additional signature. Defaults to 86,400.',
    0,
    2_592_000,
  ),
  webhookSecrets: Nullable(WebhookTargetSecrets),
  webhooksRetrySchedule: Nullable(RetrySchedule),
  webhooksConcurrency: Nullable(TargetConcurrency),
  webhooksRate: Nullable(TargetRate),
  webhooksAttemptLog: flag('If true, the result of every webhook attempt is stored.'),
  webhooksAttemptLogDays: number('Days for which these results are stored.', 0.001, 3_650),
  webhooksKeepFailedDays: number('Days for which failed deliveries are stored.', 0.001, 3_650),
  webhookTargets: Nullable(
    Type.Array(WebhookTargetOptions, {
      maxItems: 1000,
      description: 'Options of single webhook targets.',
    }),
  ),
  authServer: url('URL of the authentication server.'),
  authServerProtocol: flag(
    'If true, requests to the authentication server have the parameter `proto`: `imap`, `smtp` or `api`. Defaults to false.',
  ),
  ignoreMailCertErrors: flag('If true, any certificate of mail servers is accepted.'),
  smtpEhloName: host('Host name sent with EHLO.'),
  proxyEnabled: flag('If true, connections to mail servers use `proxyUrl`.'),
  proxyUrl: url('URL of the proxy to mail servers.', 'proxy-url-or-empty'),
  httpProxyEnabled: flag('If true, HTTP requests to other servers use `httpProxyUrl`.'),
  httpProxyUrl: url('URL of the proxy for HTTP requests.', 'proxy-url-or-empty'),
  localAddresses: Nullable(
    Type.Array(Type.String({ maxLength: 45, format: 'ip-address' }), {
      maxItems: 1000,
      description: 'Local IP addresses for connections to mail servers.',
    }),
  ),
  smtpStrategy: strategy('SMTP'),
  imapStrategy: strategy('IMAP'),
  enableApiProxy: flag('If false, addresses reported by trusted proxies are ignored.'),
  tokenAuditLog: flag('If true, every use of a token is logged.'),
  enableOAuthTokensApi: flag('If true, the API returns access tokens of accounts.'),
  deliveryAttempts: int('Maximum attempts per submission. Defaults to 10.', 1, 100),
  trackOpens: flag('If true, opens are tracked unless a submission states otherwise.'),
  trackClicks: flag('If true, clicks are tracked unless a submission states otherwise.'),
  trackRepeatWindow: int(
    'Seconds in which requests of one visitor for one link are one trackOpen or trackClick. 0: each request is an event. Defaults to 5.',
    0,
    86_400,
  ),
  templateHeader: text('HTML inserted at the start of public pages.', 1_048_576),
  templateHtmlHead: text('HTML inserted into the head of public pages.', 1_048_576),
  locale: Nullable(
    Text('Language tag of dates in quoted messages, for accounts without a locale.', {
      maxLength: 100,
      format: 'locale',
    }),
  ),
  timezone: Nullable(
    Text('Time zone of dates in quoted messages, for accounts without a time zone.', {
      maxLength: 100,
      format: 'time-zone',
    }),
  ),
  pageBrandName: name('Product name on public pages.'),
  generateEmailSummary: flag('If true, messageNew contains a summary by a language model.'),
  openAiAPIKey: text('API key of the summary endpoint.', 1024),
  openAiAPIUrl: url('Base URL of the summary endpoint, which is compatible with OpenAI.'),
  openAiModel: name('Name of the model for summaries.'),
  openAiPrompt: text('Instructions to the model for summaries.', 1_048_576),
  openAiTemperature: number('Sampling temperature of summaries.', 0, 2),
  openAiTopP: number('Nucleus sampling threshold of summaries.', 0, 1),
  openAiMaxTokens: int('Maximum tokens of a summary.', 1, 10_000_000),
  scriptEnv: Nullable(
    Text('JSON object that functions of webhook routes receive as `env`.', {
      maxLength: 1_048_576,
      format: 'json-object',
    }),
  ),
  resolveGmailCategories: flag('If true, messages of Gmail contain their inbox category.'),
  imapIndexer: Nullable(
    Type.Union([Type.Literal('full'), Type.Literal('fast')], {
      description: 'Mailbox index of accounts without their own setting. Defaults to `full`.',
    }),
  ),
  imapClientName: clientId('name'),
  imapClientVersion: clientId('version'),
  imapClientVendor: clientId('vendor'),
  imapClientSupportUrl: clientId('support-url'),
  logs: Nullable(AccountLogs),
  imapProxyServerEnabled: flag('If true, the IMAP proxy listens.'),
  imapProxyServerPort: port('Port of the IMAP proxy. Defaults to 2993.'),
  imapProxyServerHost: host('Address of the IMAP proxy. Defaults to 127.0.0.1.'),
  imapProxyServerTLSEnabled: flag('If true, the IMAP proxy uses TLS from the start.'),
  imapProxyServerProxy: flag('If true, trusted proxies send a PROXY header to the IMAP proxy.'),
  imapProxyServerPassword: serverPassword('IMAP'),
  smtpServerEnabled: flag('If true, the SMTP proxy listens.'),
  smtpServerPort: port('Port of the SMTP proxy. Defaults to 2525.'),
  smtpServerHost: host('Address of the SMTP proxy. Defaults to 127.0.0.1.'),
  smtpServerTLSEnabled: flag('If true, the SMTP proxy uses TLS from the start.'),
  smtpServerProxy: flag('If true, trusted proxies send a PROXY header to the SMTP proxy.'),
  smtpServerAuthEnabled: flag('If false, the SMTP proxy requires no login. Defaults to true.'),
  smtpServerPassword: serverPassword('SMTP'),
} as const

export type SettingKey = keyof typeof settings
export const settingKeys = Object.keys(settings) as SettingKey[]

/**
 * Settings that are URLs and may contain credentials. The API masks the credentials. An empty text
 * unsets a URL.
 */
export const addressSettings = [
  'webhooks',
  'authServer',
  'proxyUrl',
  'httpProxyUrl',
  'openAiAPIUrl',
] as const satisfies readonly SettingKey[]

/**
 * Names of the settings that are stored sealed. Only auth-bridge can unseal them. The API returns
 * true or false.
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
} as const satisfies Settings

import { type Static, Type } from 'typebox'
import { KeyValue, Nullable, Strict } from '../schemas/primitives.ts'

const Bool = Nullable(Type.Boolean())
const Bytes = Nullable(Type.Integer({ minimum: 0, maximum: 1_073_741_824 }))
const Port = Nullable(Type.Integer({ minimum: 1, maximum: 65_535 }))
const Host = Nullable(Type.String({ minLength: 1, maxLength: 255, format: 'host-name' }))
const ServerSecret = Nullable(Type.String({ maxLength: 1024 }))
const Html = Nullable(Type.String({ maxLength: 1_048_576 }))
const Url = (format: 'http-url-or-empty' | 'proxy-url-or-empty') =>
  Nullable(Type.String({ maxLength: 2048, format }))
/** Member of the IMAP ID command. RFC 2971 §3.3 limits values to 1,024 bytes. */
const ClientIdValue = Nullable(Type.String({ minLength: 1, maxLength: 256, format: 'one-line' }))
const Strategy = Nullable(
  Type.Union([Type.Literal('default'), Type.Literal('dedicated'), Type.Literal('random')]),
)
const Names = Nullable(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 1000 }))

/** URL without credentials and query. Matches all targets at that URL. */
const TargetAddress = Type.String({ maxLength: 1000, format: 'target-address' })
/** Delays in seconds after each failed attempt. The last attempt follows the last delay. */
const RetrySchedule = Type.Array(Type.Number({ minimum: 0.001, maximum: 604_800 }), {
  maxItems: 50,
})
const RetentionDays = Nullable(Type.Number({ minimum: 0.001, maximum: 3_650 }))
/** Concurrent requests of one process to one target. */
const TargetConcurrency = Type.Integer({ minimum: 1, maximum: 1_000 })
/** Requests of one process to one target per second. */
const TargetRate = Type.Number({ minimum: 0.01, maximum: 100_000 })

/** Options of one webhook target that differ from the defaults. */
export const WebhookTargetOptions = Strict({
  target: TargetAddress,
  retrySchedule: Type.Optional(RetrySchedule),
  concurrency: Type.Optional(TargetConcurrency),
  rate: Type.Optional(TargetRate),
})
export type WebhookTargetOptions = Static<typeof WebhookTargetOptions>

/** Key of one webhook target for `webhook-signature`. */
export const WebhookTargetSecret = Strict({
  target: TargetAddress,
  secret: Type.String({ minLength: 1, maxLength: 1024 }),
})
export const WebhookTargetSecrets = Type.Array(WebhookTargetSecret, { maxItems: 100 })
export type WebhookTargetSecret = Static<typeof WebhookTargetSecret>

/** Options of the protocol logs. */
const AccountLogs = Strict({
  /** If true, logs all accounts, whatever their own `logs` option. */
  all: Type.Optional(Type.Boolean()),
  maxLogLines: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
})

/** Settings by name with their schema. `null` unsets a setting. Interface spec, "Settings". */
export const settings = {
  webhooks: Url('http-url-or-empty'),
  webhooksEnabled: Bool,
  webhookEvents: Names,
  webhooksCustomHeaders: Nullable(
    Type.Array(KeyValue, {
      maxItems: 100,
      description:
        'Headers of requests to the default target. Values are stored encrypted. A masked value keeps the stored one.',
    }),
  ),
  notifyHeaders: Names,
  notifyText: Bool,
  notifyTextSize: Bytes,
  notifyWebSafeHtml: Bool,
  notifyAttachments: Bool,
  notifyAttachmentSize: Bytes,
  notifyCalendarEvents: Bool,
  inboxNewOnly: Bool,
  serviceUrl: Nullable(Type.String({ maxLength: 2048, format: 'http-url' })),
  serviceSecret: ServerSecret,
  /** Seconds for which a replaced service secret is still used for an additional signature. */
  serviceSecretOverlap: Nullable(Type.Integer({ minimum: 0, maximum: 2_592_000 })),
  webhookSecrets: Nullable(WebhookTargetSecrets),
  webhooksRetrySchedule: Nullable(RetrySchedule),
  webhooksConcurrency: Nullable(TargetConcurrency),
  webhooksRate: Nullable(TargetRate),
  webhooksAttemptLog: Bool,
  webhooksAttemptLogDays: RetentionDays,
  webhooksKeepFailedDays: RetentionDays,
  webhookTargets: Nullable(Type.Array(WebhookTargetOptions, { maxItems: 1000 })),
  authServer: Url('http-url-or-empty'),
  ignoreMailCertErrors: Bool,
  smtpEhloName: Host,
  proxyEnabled: Bool,
  proxyUrl: Url('proxy-url-or-empty'),
  httpProxyEnabled: Bool,
  httpProxyUrl: Url('proxy-url-or-empty'),
  localAddresses: Nullable(
    Type.Array(Type.String({ maxLength: 45, format: 'ip-address' }), { maxItems: 1000 }),
  ),
  smtpStrategy: Strategy,
  imapStrategy: Strategy,
  enableApiProxy: Bool,
  tokenAuditLog: Bool,
  enableOAuthTokensApi: Bool,
  deliveryAttempts: Nullable(Type.Integer({ minimum: 1, maximum: 100 })),
  trackOpens: Bool,
  trackClicks: Bool,
  templateHeader: Html,
  templateHtmlHead: Html,
  /** Default of accounts without a locale, for quoted messages. */
  locale: Nullable(Type.String({ maxLength: 100, format: 'locale' })),
  timezone: Nullable(Type.String({ maxLength: 100, format: 'time-zone' })),
  pageBrandName: Nullable(Type.String({ minLength: 1, maxLength: 256 })),
  generateEmailSummary: Bool,
  openAiAPIKey: ServerSecret,
  openAiAPIUrl: Url('http-url-or-empty'),
  openAiModel: Nullable(Type.String({ minLength: 1, maxLength: 256 })),
  openAiPrompt: Nullable(Type.String({ maxLength: 1_048_576 })),
  openAiTemperature: Nullable(Type.Number({ minimum: 0, maximum: 2 })),
  openAiTopP: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  openAiMaxTokens: Nullable(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
  /** JSON object that functions of webhook routes receive as `env`. */
  scriptEnv: Nullable(Type.String({ maxLength: 1_048_576, format: 'json-object' })),
  resolveGmailCategories: Bool,
  imapIndexer: Nullable(Type.Union([Type.Literal('full'), Type.Literal('fast')])),
  imapClientName: ClientIdValue,
  imapClientVersion: ClientIdValue,
  imapClientVendor: ClientIdValue,
  imapClientSupportUrl: ClientIdValue,
  logs: Nullable(AccountLogs),
  imapProxyServerEnabled: Bool,
  imapProxyServerPort: Port,
  imapProxyServerHost: Host,
  imapProxyServerTLSEnabled: Bool,
  imapProxyServerProxy: Bool,
  imapProxyServerPassword: ServerSecret,
  smtpServerEnabled: Bool,
  smtpServerPort: Port,
  smtpServerHost: Host,
  smtpServerTLSEnabled: Bool,
  smtpServerProxy: Bool,
  smtpServerAuthEnabled: Bool,
  smtpServerPassword: ServerSecret,
} as const

export type SettingKey = keyof typeof settings
export const settingKeys = Object.keys(settings) as SettingKey[]

/** URLs that may contain credentials, which are masked when read. An empty text unsets one. */
export const addressSettings = [
  'webhooks',
  'authServer',
  'proxyUrl',
  'httpProxyUrl',
  'openAiAPIUrl',
] as const satisfies readonly SettingKey[]

/** Settings stored sealed. Only auth-bridge unseals them; the API returns true or false. */
export const secretSettings = [
  'serviceSecret',
  'webhookSecrets',
  'smtpServerPassword',
  'imapProxyServerPassword',
  'openAiAPIKey',
] as const satisfies readonly SettingKey[]

/**
 * Settings that tokens with a permissions record can neither read nor change, because they give
 * access to messages, tokens or identity of the service.
 */
export const privilegedSettings = [
  'webhooks',
  'webhooksCustomHeaders',
  'serviceUrl',
  'serviceSecret',
  'serviceSecretOverlap',
  'webhookSecrets',
  'authServer',
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

export const SettingsUpdate = Strict(optionalSettings, { minProperties: 1 })
export type SettingsUpdate = Static<typeof SettingsUpdate>
/** Settings as services read them. Unset ones are absent. */
export type Settings = { [K in SettingKey]?: NonNullable<Static<(typeof settings)[K]>> }

/** Settings written on the first start. */
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
  serviceSecretOverlap: 86_400,
} as const satisfies Settings

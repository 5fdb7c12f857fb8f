import { type Static, Type } from 'typebox'
import { OAuth2Config, OAuth2Record, OAuth2Update } from './account-oauth2.ts'
import { AccountId, IsoDate, KeyValue, MailAddress, Nullable, OneOf, Strict } from './primitives.ts'
import { SmtpStatus } from './smtp-status.ts'
import { TokenRequestInfo } from './token-request.ts'

export const accountStates = [
  'new',
  'init',
  'connecting',
  'syncing',
  'connected',
  'authenticationError',
  'connectError',
  'disconnected',
  'unset',
  'paused',
] as const
export type AccountState = (typeof accountStates)[number]

const Login = Strict({
  user: Type.String({ minLength: 1, maxLength: 256, format: 'one-line' }),
  pass: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
})

const Tls = Type.Object({
  rejectUnauthorized: Type.Optional(Type.Boolean()),
  minVersion: Type.Optional(OneOf(['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'])),
})

const server = {
  useAuthServer: Type.Optional(Type.Boolean()),
  auth: Type.Optional(Type.Union([Login, Type.Literal(false)])),
  host: Type.String({ minLength: 1, maxLength: 1024, format: 'host-name' }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  secure: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'If true, uses TLS from the start of the connection. Otherwise uses STARTTLS if the server offers it.',
    }),
  ),
  tls: Type.Optional(Tls),
}

const MailPath = Type.Optional(Nullable(Type.String({ maxLength: 1024, format: 'mailbox-path' })))

const imap = {
  disableIMAP4rev2: Type.Optional(Type.Boolean()),
  resyncDelay: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      default: 900,
      description: 'Interval in seconds between full syncs of all mailboxes.',
    }),
  ),
  sentMailPath: MailPath,
  draftsMailPath: MailPath,
  junkMailPath: MailPath,
  trashMailPath: MailPath,
  archiveMailPath: MailPath,
}

export const ImapConfig = Strict({ ...server, ...imap, disabled: Type.Optional(Type.Boolean()) })
export type ImapConfig = Static<typeof ImapConfig>

/** Incoming server that is switched off: `host` and `port` are optional. */
export const ImapDisabled = Strict({
  ...server,
  ...imap,
  host: Type.Optional(server.host),
  port: Type.Optional(server.port),
  disabled: Type.Literal(true),
})
export type ImapDisabled = Static<typeof ImapDisabled>

export const SmtpConfig = Strict(server)
export type SmtpConfig = Static<typeof SmtpConfig>

/** Body of `POST /v1/account`. Only `account` and `name` are required. */
export const AccountRegistration = Strict({
  account: Nullable(AccountId),
  name: Type.String({ maxLength: 256, format: 'one-line' }),
  email: Type.Optional(MailAddress),
  expectedEmail: Type.Optional(MailAddress),
  path: Type.Optional(
    Nullable(
      Type.Array(Type.String({ maxLength: 1024, format: 'mailbox-path' }), { single: true }),
    ),
  ),
  subconnections: Type.Optional(Type.Array(Type.String({ maxLength: 256 }), { single: true })),
  webhooks: Type.Optional(Type.String({ maxLength: 2048, format: 'http-url-or-empty' })),
  webhooksCustomHeaders: Type.Optional(
    Type.Array(KeyValue, {
      maxItems: 100,
      description:
        'Headers of webhook requests for this account. Values are stored encrypted. A masked value keeps the stored one.',
    }),
  ),
  copy: Type.Optional(Nullable(Type.Boolean())),
  logs: Type.Optional(Type.Boolean()),
  notifyFrom: Type.Optional(Nullable(Type.Union([IsoDate, Type.Literal('now')]))),
  proxy: Type.Optional(Type.String({ maxLength: 1024, format: 'proxy-url-or-empty' })),
  smtpEhloName: Type.Optional(Nullable(Type.String({ maxLength: 255, format: 'host-name' }))),
  imapIndexer: Type.Optional(Nullable(OneOf(['full', 'fast']))),
  imap: Type.Optional(Type.Union([ImapConfig, ImapDisabled, Type.Literal(false)])),
  smtp: Type.Optional(Type.Union([SmtpConfig, Type.Literal(false)])),
  oauth2: Type.Optional(Type.Union([OAuth2Config, Type.Literal(false)])),
  locale: Type.Optional(Type.String({ maxLength: 100 })),
  tz: Type.Optional(Type.String({ maxLength: 100 })),
})
export type AccountRegistration = Static<typeof AccountRegistration>

const updated = {
  ...server,
  host: Type.Optional(server.host),
  port: Type.Optional(server.port),
  // Without a default: a partial update keeps an absent member.
  secure: Type.Optional(Type.Boolean()),
  partial: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'If true, absent members keep their value. Otherwise the whole object is replaced.',
    }),
  ),
}

export const ImapUpdate = Strict({
  ...updated,
  ...imap,
  resyncDelay: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
  disabled: Type.Optional(Type.Boolean()),
})
export type ImapUpdate = Static<typeof ImapUpdate>

export const SmtpUpdate = Strict(updated)
export type SmtpUpdate = Static<typeof SmtpUpdate>

const {
  account: _account,
  name,
  imapIndexer: _indexer,
  ...changeable
} = AccountRegistration.properties

/** Body of `PUT /v1/account/{account}`. Absent members stay; `false` and `null` remove a value. */
export const AccountUpdate = Strict({
  ...changeable,
  name: Type.Optional(name),
  expectedEmail: Type.Optional(Nullable(MailAddress)),
  imap: Type.Optional(Type.Union([ImapUpdate, Type.Literal(false)])),
  smtp: Type.Optional(Type.Union([SmtpUpdate, Type.Literal(false)])),
  oauth2: Type.Optional(Type.Union([OAuth2Update, Type.Literal(false)])),
})
export type AccountUpdate = Static<typeof AccountUpdate>

export const LastError = Type.Object({
  response: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  serverResponseCode: Type.Optional(Type.String()),
  tokenRequest: Type.Optional(TokenRequestInfo),
})
export type LastError = Static<typeof LastError>

export const Quota = Type.Object({
  usage: Type.Integer({ description: 'Bytes in use.' }),
  limit: Type.Integer({ description: 'Maximum bytes.' }),
  status: Type.String({ description: 'Used share of the limit, such as `53%`.' }),
})

const Counters = Type.Object({
  events: Type.Record(Type.String(), Type.Integer(), {
    description: 'Number of events of the account, by event name.',
  }),
})

/** Kinds of accounts. An OAuth2 account has the kind of its application. */
const accountTypes = [
  'imap',
  'sending',
  'gmail',
  'gmailService',
  'outlook',
  'outlookService',
  'mailRu',
  'generic',
  'oauth2',
  'delegated',
  'invalid',
] as const
const AccountType = OneOf(accountTypes, {
  description:
    'Kind of the account: the provider of its OAuth2 application, `imap`, `sending` (no incoming server) or `delegated`. `oauth2` means that the application does not exist, `invalid` that the delegated account does not exist.',
})

/** Account as returned by the API. Passwords are masked as `******`. */
export const AccountRecord = Type.Object({
  account: AccountId,
  name: Type.String(),
  email: Type.Optional(Type.String()),
  expectedEmail: Type.Optional(Type.String()),
  state: OneOf(accountStates),
  type: AccountType,
  app: Type.Optional(Type.String({ description: 'Id of the OAuth2 application.' })),
  baseScopes: Type.Optional(OneOf(['imap', 'api', 'pubsub'])),
  oauth2: Type.Optional(OAuth2Record),
  counters: Counters,
  webhooks: Type.Optional(Type.String()),
  webhooksCustomHeaders: Type.Optional(
    Type.Array(KeyValue, { description: 'Custom headers with masked values.' }),
  ),
  copy: Type.Optional(Nullable(Type.Boolean())),
  logs: Type.Optional(Type.Boolean()),
  notifyFrom: Type.Optional(Nullable(Type.String())),
  path: Type.Optional(Nullable(Type.Array(Type.String()))),
  subconnections: Type.Optional(Type.Array(Type.String())),
  proxy: Type.Optional(Type.String()),
  smtpEhloName: Type.Optional(Nullable(Type.String())),
  imapIndexer: Type.Optional(Nullable(Type.String())),
  imap: Type.Optional(Type.Unknown()),
  smtp: Type.Optional(Type.Unknown()),
  locale: Type.Optional(Type.String()),
  tz: Type.Optional(Type.String()),
  sendOnly: Type.Optional(Type.Boolean()),
  connections: Type.Optional(
    Type.Integer({ description: 'Open connections to the incoming server, a few seconds old.' }),
  ),
  syncError: Type.Optional(
    Type.Object(
      { path: Type.String(), time: Type.String(), error: Type.String() },
      { description: 'Mailbox that could not be synchronized, with the last error.' },
    ),
  ),
  quota: Type.Optional(Type.Union([Quota, Type.Literal(false)])),
  syncTime: Type.Optional(Type.String()),
  authFailureDisabledAt: Type.Optional(Type.String()),
  smtpStatus: Nullable(SmtpStatus),
  lastError: Nullable(LastError),
})
export type AccountRecord = Static<typeof AccountRecord>

export const AccountListEntry = Type.Object({
  account: AccountId,
  name: Type.String(),
  email: Type.Optional(Type.String()),
  type: AccountType,
  app: Type.Optional(Type.String()),
  state: OneOf(accountStates),
  counters: Counters,
  webhooks: Type.Optional(Type.String()),
  proxy: Type.Optional(Type.String()),
  smtpEhloName: Type.Optional(Nullable(Type.String())),
  syncTime: Type.Optional(Type.String()),
  lastError: Nullable(LastError),
})

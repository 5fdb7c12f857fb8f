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
    Type.Boolean({ default: false, description: 'Implicit TLS on connect; otherwise STARTTLS' }),
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
      description: 'Seconds between full looks at all folders',
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

/** An incoming server that is not to be used need not be named. */
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

/** What `POST /v1/account` takes. Only `account` and `name` must be there. */
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
        'Sent with the webhooks of the account. Values are stored sealed; a masked one stays what it was',
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
  // Without a default: what is not given stays, in a partial update.
  secure: Type.Optional(Type.Boolean()),
  partial: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'What is not given stays; otherwise the whole is replaced',
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

/** What `PUT /v1/account/{account}` takes. What is not given stays; `false` and `null` take away. */
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
  usage: Type.Integer({ description: 'Bytes' }),
  limit: Type.Integer({ description: 'Bytes' }),
  status: Type.String({ description: 'How much of it is used, such as `53%`' }),
})

const Counters = Type.Object({
  events: Type.Record(Type.String(), Type.Integer(), {
    description: 'How often each event happened to the account',
  }),
})

/** What an account is: the kind of its OAuth2 application where it has one. */
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
    'The provider, `imap`, `sending` (no incoming server), `delegated`, or `oauth2` and `invalid` where the application or the account it delegates to is not there',
})

/** An account as read back. Passwords are masked as `******`. */
export const AccountRecord = Type.Object({
  account: AccountId,
  name: Type.String(),
  email: Type.Optional(Type.String()),
  expectedEmail: Type.Optional(Type.String()),
  state: OneOf(accountStates),
  type: AccountType,
  app: Type.Optional(Type.String({ description: 'The id of its OAuth2 application' })),
  baseScopes: Type.Optional(OneOf(['imap', 'api', 'pubsub'])),
  oauth2: Type.Optional(OAuth2Record),
  counters: Counters,
  webhooks: Type.Optional(Type.String()),
  webhooksCustomHeaders: Type.Optional(Type.Array(KeyValue, { description: 'Values are masked' })),
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
    Type.Integer({ description: 'To the incoming server, as of a few seconds ago' }),
  ),
  syncError: Type.Optional(
    Type.Object(
      { path: Type.String(), time: Type.String(), error: Type.String() },
      { description: 'A folder that cannot be looked at' },
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

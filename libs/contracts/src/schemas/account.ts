import { type Static, Type } from 'typebox'
import { oauth2Providers } from '../account-types/index.ts'
import { accountStates, shownStates } from './account-state.ts'
import { OAuth2Config, OAuth2Record, OAuth2Update } from './account-oauth2.ts'
import {
  AccountId,
  Bool,
  described,
  Int,
  KeyValue,
  MailAddress,
  Nullable,
  OneOf,
  Strict,
  Text,
  Texts,
  Time,
} from './primitives.ts'
import {
  ImapConfig,
  ImapDisabled,
  ImapRecord,
  ImapUpdate,
  SmtpConfig,
  SmtpRecord,
  SmtpUpdate,
} from './mail-server.ts'
import { OutlookSubscription } from './outlook-subscription.ts'
import { SmtpStatus } from './smtp-status.ts'
import { TokenRequestInfo } from './token-request.ts'

/** Host name that connections to an outgoing mail server send in the EHLO command. */
export const smtpEhloName = Type.Optional(
  Nullable(Text('Host name sent with EHLO.', { maxLength: 255, format: 'host-name' })),
)
export const accountProxy = Type.Optional(
  Text('URL of the proxy to the mail servers, instead of the setting `proxyUrl`.', {
    maxLength: 1024,
    format: 'proxy-url-or-empty',
  }),
)
export const imapIndexer = Type.Optional(
  Nullable(
    OneOf(['full', 'fast'], {
      description:
        'Mailbox index: `full` detects all changes, `fast` new messages only. Defaults to the setting.',
    }),
  ),
)
export const notifyFrom = Type.Optional(
  Nullable(
    Type.Union([Time('Time (ISO 8601).'), Type.Literal('now')], {
      description:
        'Time from which messages are announced (ISO 8601), or `now`. Older messages emit no `messageNew`.',
    }),
  ),
)
const imapDescription = 'Incoming server. False for none.'
const smtpDescription = 'Outgoing server. False for none.'
const oauth2Description = 'OAuth2 login. False for none.'
const localeDescription = 'Language tag of dates in quoted messages.'
const tzDescription = 'Time zone of dates in quoted messages, such as `Europe/Tallinn`.'
const copy = Type.Optional(
  Nullable(
    Bool('If true, a copy of sent messages is filed. Default: unless the provider files them.'),
  ),
)
const logs = Type.Optional(Bool('If true, the protocol log of the account is recorded.'))
const paused = Type.Optional(
  Bool(
    'If true, the account is not connected to its incoming server and has the state `other` with the detail `paused`. Messages are still sent once the first sync is complete.',
  ),
)
const expectedEmail = described(
  'Address that the login must have. Others are rejected.',
  MailAddress,
)
const paths = 'Synced mailboxes by path or special use. Absent, null or `*`: all.'
const subconnected = 'Mailboxes watched over connections of their own, by path or special use.'

/** Body of `POST /v1/account`. Only `account` and `name` are required. */
export const AccountRegistration = Strict({
  account: described('Account id. Null: an id is generated.', Nullable(AccountId)),
  name: Text('Display name of the account.', { maxLength: 256, format: 'one-line' }),
  email: Type.Optional(described('Email address of the mailbox.', MailAddress)),
  expectedEmail: Type.Optional(expectedEmail),
  path: Type.Optional(
    Nullable(
      Type.Array(Type.String({ maxLength: 1024, format: 'mailbox-path' }), {
        single: true,
        description: paths,
      }),
    ),
  ),
  subconnections: Type.Optional(
    Type.Array(Type.String({ maxLength: 256 }), { single: true, description: subconnected }),
  ),
  webhooks: Type.Optional(
    Text('Webhook target of the account, instead of the default target.', {
      maxLength: 2048,
      format: 'http-url-or-empty',
    }),
  ),
  webhooksCustomHeaders: Type.Optional(
    Type.Array(KeyValue, {
      maxItems: 100,
      description:
        'Headers of webhook requests for this account. Values are stored encrypted. A masked value keeps the stored one.',
    }),
  ),
  copy,
  logs,
  paused,
  notifyFrom,
  proxy: accountProxy,
  smtpEhloName,
  imapIndexer,
  imap: Type.Optional(
    Type.Union([ImapConfig, ImapDisabled, Type.Literal(false)], { description: imapDescription }),
  ),
  smtp: Type.Optional(
    Type.Union([SmtpConfig, Type.Literal(false)], { description: smtpDescription }),
  ),
  oauth2: Type.Optional(
    Type.Union([OAuth2Config, Type.Literal(false)], { description: oauth2Description }),
  ),
  locale: Type.Optional(Text(localeDescription, { maxLength: 100 })),
  tz: Type.Optional(Text(tzDescription, { maxLength: 100 })),
})
export type AccountRegistration = Static<typeof AccountRegistration>

const {
  account: _account,
  name,
  imapIndexer: _indexer,
  ...changeable
} = AccountRegistration.properties

/**
 * Body of `PUT /v1/account/{account}`. Absent members keep their stored value. `false` and `null`
 * remove a stored value.
 */
export const AccountUpdate = Strict({
  ...changeable,
  name: Type.Optional(name),
  expectedEmail: Type.Optional(Nullable(expectedEmail)),
  imap: Type.Optional(
    Type.Union([ImapUpdate, Type.Literal(false)], { description: imapDescription }),
  ),
  smtp: Type.Optional(
    Type.Union([SmtpUpdate, Type.Literal(false)], { description: smtpDescription }),
  ),
  oauth2: Type.Optional(
    Type.Union([OAuth2Update, Type.Literal(false)], { description: oauth2Description }),
  ),
})
export type AccountUpdate = Static<typeof AccountUpdate>

export const LastError = Type.Object(
  {
    response: Type.Optional(Text('Reply of the server, or the text of the error.')),
    description: Type.Optional(Text('Explanation of the error.')),
    serverResponseCode: Type.Optional(
      Text('Response code of the server or code of the error, such as `AUTHENTICATIONFAILED`.'),
    ),
    tokenRequest: Type.Optional(TokenRequestInfo),
  },
  { description: 'Last error.' },
)
export type LastError = Static<typeof LastError>

export const Quota = Type.Object({
  usage: Int('Used storage in bytes.'),
  limit: Int('Storage limit in bytes.'),
  status: Text('Used share of the limit, such as `53%`.'),
})

const Counters = Type.Object(
  {
    events: Type.Record(Type.String(), Type.Integer(), {
      description: 'Number of events of the account, by event name.',
    }),
  },
  { description: 'Counters since the registration of the account.' },
)

/** Kinds of accounts. The kind of an OAuth2 account is the kind of its OAuth2 application. */
const accountKinds = [
  'imap',
  'sending',
  ...oauth2Providers,
  'oauth2',
  'delegated',
  'invalid',
] as const

const AccountKind = OneOf(accountKinds, {
  description:
    'Kind of the account: the provider of its OAuth2 application, `imap`, `sending` (no mailbox) or `delegated`. `oauth2` means that the application does not exist, `invalid` that the delegated account does not exist.',
})

const identity = { account: AccountId, name: Text('Display name of the account.') }
const states = {
  state: OneOf(shownStates, {
    description:
      'State of the account. `new`: registered; `init`: connecting, or in its first sync; `connected`; `authenticationError`; `connectError`; `unset`: no incoming server, or syncing is switched off; `other`: disconnected or paused.',
  }),
  stateDetail: OneOf(accountStates, {
    description:
      'Exact state. Besides those of `state`: `connecting`; `syncing`: the first sync since the login lasts; `disconnected`: the connection was lost repeatedly; `paused`. Once an account has synced, `connecting` and `syncing` are shown after 5 seconds, unless configured otherwise.',
  }),
}
const lastError = described('Last error. Null if the account has none.', Nullable(LastError))
const listed = {
  email: Type.Optional(Text('Email address of the mailbox.')),
  app: Type.Optional(Text('Id of the OAuth2 application.')),
  counters: Counters,
  webhooks: Type.Optional(Text('Webhook target of the account, with a masked login.')),
  proxy: Type.Optional(Text('URL of the proxy to the mail servers, with a masked login.')),
  smtpEhloName: Type.Optional(Nullable(Text('Host name sent with EHLO.'))),
  syncTime: Type.Optional(Text('Time of the last complete sync (ISO 8601).')),
}
export const AccountListEntry = Type.Object({
  ...identity,
  type: AccountKind,
  ...states,
  ...listed,
  lastError,
})

/** Account as the API returns it. Passwords are masked as `******`. */
export const AccountRecord = Type.Object({
  ...identity,
  ...states,
  type: AccountKind,
  ...listed,
  expectedEmail: Type.Optional(Text('Address that the login must have.')),
  baseScopes: Type.Optional(
    OneOf(['imap', 'api', 'pubsub'], { description: 'Access of the OAuth2 application.' }),
  ),
  oauth2: Type.Optional(described('OAuth2 login with masked tokens.', OAuth2Record)),
  webhooksCustomHeaders: Type.Optional(
    Type.Array(KeyValue, { description: 'Custom headers with masked values.' }),
  ),
  copy,
  logs,
  paused,
  notifyFrom: Type.Optional(Nullable(Text('Time from which messages are announced (ISO 8601).'))),
  path: Type.Optional(Nullable(Texts(paths))),
  subconnections: Type.Optional(Texts(subconnected)),
  imapIndexer: Type.Optional(Nullable(Text('Kind of mailbox index: `full` or `fast`.'))),
  imap: Type.Optional(ImapRecord),
  smtp: Type.Optional(SmtpRecord),
  locale: Type.Optional(Text(localeDescription)),
  tz: Type.Optional(Text(tzDescription)),
  sendOnly: Type.Optional(Bool('True if the account has no mailbox.')),
  connections: Type.Optional(Int('Open connections to the incoming server, a few seconds old.')),
  syncError: Type.Optional(
    Type.Object(
      {
        path: Text('Path of the mailbox.'),
        time: Text('Time of the error (ISO 8601).'),
        error: Text('Text of the error.'),
      },
      { description: 'Mailbox or `path` that could not be synchronized, with the last error.' },
    ),
  ),
  quota: Type.Optional(
    Type.Union([Quota, Type.Literal(false)], {
      description: 'Storage quota, if requested. False if the server does not report it.',
    }),
  ),
  authFailureDisabledAt: Type.Optional(
    Text('Time syncing was switched off after repeated authentication failures (ISO 8601).'),
  ),
  outlookSubscription: Type.Optional(OutlookSubscription),
  smtpStatus: Nullable(SmtpStatus),
  lastError,
})
export type AccountRecord = Static<typeof AccountRecord>

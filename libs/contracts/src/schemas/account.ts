import { type Static, Type } from 'typebox'
import { AccountKind } from './account-kind.ts'
import { stateSchemas } from './account-state.ts'
import { OAuth2Config, OAuth2Record, OAuth2Update } from './account-oauth2.ts'
import {
  accountProxy,
  copy,
  descriptions,
  expectedEmail,
  imapIndexer,
  logs,
  notifyFrom,
  paused,
  smtpEhloName,
} from './account-options.ts'
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

/** Body of `POST /v1/account`. Only `account` and `name` are required. */
export const AccountRegistration = Strict({
  account: described(
    'Id of the account. If the account exists, the request updates the account. Null: an id is generated.',
    Nullable(AccountId),
  ),
  name: Text('Display name of the account. Default name of the author of sent messages.', {
    maxLength: 256,
    format: 'one-line',
  }),
  email: Type.Optional(
    described(
      'Email address of the account. Default address of the author of sent messages.',
      MailAddress,
    ),
  ),
  expectedEmail: Type.Optional(expectedEmail),
  path: Type.Optional(
    Nullable(
      Type.Array(Type.String({ maxLength: 1024, format: 'mailbox-path' }), {
        single: true,
        description: descriptions.path,
      }),
    ),
  ),
  subconnections: Type.Optional(
    Type.Array(Type.String({ maxLength: 256 }), {
      single: true,
      description: descriptions.subconnections,
    }),
  ),
  webhooks: Type.Optional(
    Text(
      'URL that receives the webhooks of the account, instead of the default target (setting `webhooks`). Empty: the default target.',
      {
        maxLength: 2048,
        format: 'http-url-or-empty',
      },
    ),
  ),
  webhooksCustomHeaders: Type.Optional(
    Type.Array(KeyValue, {
      maxItems: 100,
      description:
        'Additional HTTP headers of webhook requests for the account. Values are stored encrypted. The mask `******` as a value keeps the stored value.',
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
    Type.Union([ImapConfig, ImapDisabled, Type.Literal(false)], { description: descriptions.imap }),
  ),
  smtp: Type.Optional(
    Type.Union([SmtpConfig, Type.Literal(false)], { description: descriptions.smtp }),
  ),
  oauth2: Type.Optional(
    Type.Union([OAuth2Config, Type.Literal(false)], { description: descriptions.oauth2 }),
  ),
  locale: Type.Optional(Text(descriptions.locale, { maxLength: 100 })),
  tz: Type.Optional(Text(descriptions.tz, { maxLength: 100 })),
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
    Type.Union([ImapUpdate, Type.Literal(false)], { description: descriptions.imap }),
  ),
  smtp: Type.Optional(
    Type.Union([SmtpUpdate, Type.Literal(false)], { description: descriptions.smtp }),
  ),
  oauth2: Type.Optional(
    Type.Union([OAuth2Update, Type.Literal(false)], { description: descriptions.oauth2 }),
  ),
})
export type AccountUpdate = Static<typeof AccountUpdate>

export const LastError = Type.Object(
  {
    response: Type.Optional(
      Text('Reply of the mail server or provider with the error, or the text of the error.'),
    ),
    description: Type.Optional(
      Text(
        'Explanation of the error in `response`, for operators. Absent if there is no explanation.',
      ),
    ),
    serverResponseCode: Type.Optional(
      Text(
        'Response code of the mail server, such as `AUTHENTICATIONFAILED`. Without a response code: code of the error, such as `ECONNREFUSED`.',
      ),
    ),
    tokenRequest: Type.Optional(TokenRequestInfo),
  },
  { description: 'Error of the last failed login, connection or token request.' },
)
export type LastError = Static<typeof LastError>

export const Quota = Type.Object({
  usage: Int('Storage that the messages of the account use, in bytes.'),
  limit: Int('Storage limit of the account, in bytes.'),
  status: Text('Used share of the storage limit, such as `53%`.'),
})

const Counters = Type.Object(
  {
    events: Type.Record(Type.String(), Type.Integer(), {
      description: 'Number of events of the account since the registration, by event name.',
    }),
  },
  { description: 'Numbers of events of the account since the registration of the account.' },
)

const identity = {
  account: AccountId,
  name: Text('Display name of the account. Default name of the author of sent messages.'),
}
const lastError = described(
  'Error of the last failed login or connection of the account. Null if there is no error, or if the account is connected.',
  Nullable(LastError),
)
const listed = {
  email: Type.Optional(
    Text('Email address of the account. Default address of the author of sent messages.'),
  ),
  app: Type.Optional(
    Text('Id of the OAuth2 application of the account. Absent if the account does not use OAuth2.'),
  ),
  counters: Counters,
  webhooks: Type.Optional(
    Text(
      'URL that receives the webhooks of the account, with a masked login. Absent if the default target receives the webhooks.',
    ),
  ),
  proxy: Type.Optional(
    Text(
      'URL of the proxy for connections to the mail servers of the account, with a masked login. Absent if the settings `proxyEnabled` and `proxyUrl` apply.',
    ),
  ),
  smtpEhloName: Type.Optional(
    Nullable(
      Text(
        'Host name that is sent to outgoing mail servers in the EHLO command. Absent if the setting `smtpEhloName` applies.',
      ),
    ),
  ),
  syncTime: Type.Optional(
    Text('Time of the last complete sync of the account (ISO 8601). Absent before the first sync.'),
  ),
}
export const AccountListEntry = Type.Object({
  ...identity,
  type: AccountKind,
  ...stateSchemas,
  ...listed,
  lastError,
})

/** Account as the API returns it. Passwords are masked as `******`. */
export const AccountRecord = Type.Object({
  ...identity,
  ...stateSchemas,
  type: AccountKind,
  ...listed,
  expectedEmail: Type.Optional(
    Text('Email address to which the login must belong. Absent if every login is accepted.'),
  ),
  baseScopes: Type.Optional(
    OneOf(['imap', 'api', 'pubsub'], {
      description:
        'Access that the OAuth2 application of the account provides: `imap` for mail servers, `api` for a mail API. `pubsub` is for applications without accounts.',
    }),
  ),
  oauth2: Type.Optional(
    described('OAuth2 login of the account, with masked tokens.', OAuth2Record),
  ),
  webhooksCustomHeaders: Type.Optional(
    Type.Array(KeyValue, {
      description:
        'Additional HTTP headers of webhook requests for the account, with masked values.',
    }),
  ),
  copy,
  logs,
  paused,
  notifyFrom: Type.Optional(
    Nullable(Text('Time of receipt from which messages are announced by `messageNew` (ISO 8601).')),
  ),
  path: Type.Optional(Nullable(Texts(descriptions.path))),
  subconnections: Type.Optional(Texts(descriptions.subconnections)),
  imapIndexer: Type.Optional(
    Nullable(
      Text(
        'Mailbox index of the account: `full` detects new, changed and deleted messages, `fast` new messages only. Absent if the setting `imapIndexer` applies.',
      ),
    ),
  ),
  imap: Type.Optional(ImapRecord),
  smtp: Type.Optional(SmtpRecord),
  locale: Type.Optional(Text(descriptions.locale)),
  tz: Type.Optional(Text(descriptions.tz)),
  sendOnly: Type.Optional(
    Bool(
      'True if the account can only send, because the account has no mailbox. Otherwise absent.',
    ),
  ),
  connections: Type.Optional(
    Int(
      'Number of open connections of the account to the incoming server. The number can be a few seconds old.',
    ),
  ),
  syncError: Type.Optional(
    Type.Object(
      {
        path: Text('Path of the mailbox that could not be synced.'),
        time: Text('Time at which the sync of the mailbox failed (ISO 8601).'),
        error: Text('Text of the error for which the sync of the mailbox failed.'),
      },
      {
        description:
          'Mailbox, or entry of the option `path`, that could not be synced, with the error. Absent if the last sync had no error.',
      },
    ),
  ),
  quota: Type.Optional(
    Type.Union([Quota, Type.Literal(false)], {
      description:
        'Storage quota of the account. Only if requested with `quota`. False if the mail server does not report a quota.',
    }),
  ),
  authFailureDisabledAt: Type.Optional(
    Text(
      'Time at which syncing was switched off after repeated authentication failures (ISO 8601). Absent otherwise.',
    ),
  ),
  outlookSubscription: Type.Optional(OutlookSubscription),
  smtpStatus: Nullable(SmtpStatus),
  lastError,
})
export type AccountRecord = Static<typeof AccountRecord>

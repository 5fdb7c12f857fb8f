import { Type } from 'typebox'
import { Bool, described, MailAddress, Nullable, OneOf, Text, Time } from './primitives.ts'

/** Host name that connections to an outgoing mail server send in the EHLO command. */
export const smtpEhloName = Type.Optional(
  Nullable(
    Text(
      'Host name that is sent to outgoing mail servers in the EHLO command. Null or never set: the setting `smtpEhloName` applies.',
      { maxLength: 255, format: 'host-name' },
    ),
  ),
)
export const accountProxy = Type.Optional(
  Text(
    'URL of the proxy for connections to the mail servers: `http:`, `https:`, `socks4:` or `socks5:`. Empty or never set: the settings `proxyEnabled` and `proxyUrl` apply.',
    { maxLength: 1024, format: 'proxy-url-or-empty' },
  ),
)
export const imapIndexer = Type.Optional(
  Nullable(
    OneOf(['full', 'fast'], {
      description:
        'Mailbox index of an IMAP account: `full` detects new, changed and deleted messages, `fast` new messages only. Null or never set: the setting `imapIndexer` applies.',
    }),
  ),
)
export const notifyFrom = Type.Optional(
  Nullable(
    Type.Union(
      [
        Time('Time of receipt from which messages are announced by `messageNew` (ISO 8601).'),
        Type.Literal('now'),
      ],
      {
        description:
          'Time of receipt (ISO 8601) from which messages are announced by `messageNew`, or `now`. Initially the time of the registration.',
      },
    ),
  ),
)
export const copy = Type.Optional(
  Nullable(
    Bool(
      'If true, a copy of each sent message is stored in the Sent mailbox. Null or never set: a copy is stored unless the mail provider stores sent messages. Without effect for accounts on a mail API.',
    ),
  ),
)
export const logs = Type.Optional(
  Bool(
    'If true, the protocol log of the account is recorded: IMAP commands and responses, or requests to the mail API. `GET /v1/logs/{account}` returns the log.',
  ),
)
export const paused = Type.Optional(
  Bool(
    'If true, the account is paused: it opens no connection to its incoming server or mail API, and renews no subscription. `state` is `other` and `stateDetail` is `paused`. Operations that need the mailbox respond 503 `NoAvailable`. Messages are still sent if the first sync of the account is complete, and mail clients can still log in through the IMAP proxy. If false, the account connects like a new account. Defaults to false.',
  ),
)
export const expectedEmail = described(
  'Email address to which the login of the account must belong. Logins of other addresses are rejected.',
  MailAddress,
)

/**
 * Descriptions of members that the registration of an account and the account record have in
 * common.
 */
export const descriptions = {
  imap: 'Incoming mail server of the account (IMAP). False: the account has no incoming server.',
  smtp: 'Outgoing mail server of the account (SMTP). False: the account has no outgoing server.',
  oauth2: 'OAuth2 login of the account. False: the account has no OAuth2 login.',
  locale:
    'Language tag, such as `en-GB`, for dates in quotations of replies and forwards. Defaults to the setting `locale`.',
  tz: 'Time zone, such as `Europe/Tallinn`, for dates in quotations of replies and forwards. Defaults to the setting `timezone`.',
  path: 'Mailboxes of the account to sync, as paths or special uses such as `\\Sent`. Absent, null or `*`: all mailboxes.',
  subconnections:
    'Mailboxes (paths or special uses such as `\\Sent`) to watch for changes on a separate IMAP connection each. Without effect for servers with NOTIFY (RFC 5465), which report changes of all mailboxes.',
} as const

import { type Static, Type } from 'typebox'
import { Bool, Int, Nullable, OneOf, Strict, Text } from './primitives.ts'

/**
 * Login at a mail server: login name with a password or an access token. Used for tests of a login
 * and for registrations.
 */
const Login = Strict({
  user: Text('Login name at the mail server, usually the email address.', {
    minLength: 1,
    maxLength: 256,
    format: 'one-line',
  }),
  pass: Type.Optional(
    Text('Password for the login name at the mail server.', { maxLength: 256, format: 'one-line' }),
  ),
  accessToken: Type.Optional(
    Type.Union([Type.String({ maxLength: 16_384, format: 'one-line' }), Type.Literal(false)], {
      description:
        'OAuth2 access token for the login, instead of a password (XOAUTH2 or OAUTHBEARER). The caller must replace the token before the token expires. False: the password is used.',
    }),
  ),
})

const Tls = Strict(
  {
    rejectUnauthorized: Type.Optional(
      Bool(
        'If true (default), the TLS certificate of the mail server must be valid. If false, any certificate is accepted.',
      ),
    ),
    minVersion: Type.Optional(
      OneOf(['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'], {
        description:
          'Lowest TLS version that is accepted from the mail server. Defaults to `TLSv1.2`.',
      }),
    ),
    requireStartTls: Type.Optional(
      Bool(
        'If true (default), a connection without TLS ends if the mail server does not offer STARTTLS. If false, login and mail are then sent unencrypted. Mail servers on the same machine are exempt.',
      ),
    ),
  },
  { description: 'TLS options of connections to the mail server.' },
)

const authDescription =
  'Login at the mail server: login name with a password or an OAuth2 access token. False: no login is stored.'
const secureDescription =
  'If true, connections use TLS from the start (usually ports 993 and 465). If false (default), connections use STARTTLS, see `tls.requireStartTls`.'
const server = {
  useAuthServer: Type.Optional(
    Bool(
      'If true, the login is requested from the authentication server (setting `authServer`) and not stored. Defaults to false.',
    ),
  ),
  auth: Type.Optional(Type.Union([Login, Type.Literal(false)], { description: authDescription })),
  host: Text('Host name or IP address of the mail server.', {
    minLength: 1,
    maxLength: 1024,
    format: 'host-name',
  }),
  port: Int('TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP).', {
    minimum: 1,
    maximum: 65_535,
  }),
  secure: Type.Optional(Bool(secureDescription, { default: false })),
  tls: Type.Optional(Tls),
}

const mailPath = (use: string) =>
  Type.Optional(
    Nullable(
      Text(
        `Path of the mailbox that serves as the ${use} mailbox. Null or never set: the mailbox with this special use.`,
        {
          maxLength: 1024,
          format: 'mailbox-path',
        },
      ),
    ),
  )

const resyncDelay = (options: { default?: number }) =>
  Type.Optional(
    Int('Interval in seconds between full syncs of all mailboxes of the account. Initially 900.', {
      minimum: 1,
      maximum: 86_400,
      ...options,
    }),
  )

const imap = {
  disableIMAP4rev2: Type.Optional(
    Bool(
      'If true, IMAP4rev1 is used even if the server offers IMAP4rev2 (RFC 9051). Defaults to false.',
    ),
  ),
  resyncDelay: resyncDelay({ default: 900 }),
  sentMailPath: mailPath('Sent'),
  draftsMailPath: mailPath('Drafts'),
  junkMailPath: mailPath('Junk'),
  trashMailPath: mailPath('Trash'),
  archiveMailPath: mailPath('Archive'),
}

const disabledDescription =
  'If true, the incoming mail server is switched off and no mailbox of the account is synced. Defaults to false.'
const disabled = Type.Optional(Bool(disabledDescription))
export const ImapConfig = Strict({ ...server, ...imap, disabled })
export type ImapConfig = Static<typeof ImapConfig>

/**
 * Incoming mail server of an account, if this server is switched off (`disabled`). `host` and
 * `port` are then optional.
 */
export const ImapDisabled = Strict({
  ...server,
  ...imap,
  host: Type.Optional(server.host),
  port: Type.Optional(server.port),
  disabled: Type.Literal(true, { description: disabledDescription }),
})
export type ImapDisabled = Static<typeof ImapDisabled>

export const SmtpConfig = Strict(server)
export type SmtpConfig = Static<typeof SmtpConfig>

const updated = {
  ...server,
  host: Type.Optional(server.host),
  port: Type.Optional(server.port),
  // The member `secure` of a mail server has no default in this schema, because in a partial update
  // an absent member keeps its stored value.
  secure: Type.Optional(Bool(secureDescription)),
  partial: Type.Optional(
    Bool(
      'If true, absent members of the mail server keep their stored values. If false (default), the whole object is replaced.',
      {
        default: false,
      },
    ),
  ),
}

export const ImapUpdate = Strict({ ...updated, ...imap, resyncDelay: resyncDelay({}), disabled })
export type ImapUpdate = Static<typeof ImapUpdate>

const read = {
  useAuthServer: server.useAuthServer,
  auth: Type.Optional(
    Type.Union(
      [
        Type.Object({
          user: Text('Login name at the mail server, usually the email address.'),
          pass: Type.Optional(Text('Masked password: `******`. Absent if no password is stored.')),
          accessToken: Type.Optional(
            Text('Masked OAuth2 access token: `******`. Absent if no access token is stored.'),
          ),
        }),
        Type.Literal(false),
      ],
      { description: authDescription },
    ),
  ),
  host: Type.Optional(Text('Host name or IP address of the mail server.')),
  port: Type.Optional(Int('TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP).')),
  secure: Type.Optional(Bool(secureDescription)),
  tls: Type.Optional(Tls),
}
/** Mail servers of an account as returned by the API, with masked passwords and access tokens. */
export const ImapRecord = Type.Object(
  { ...read, ...imap, disabled },
  {
    description:
      'Incoming mail server of the account (IMAP), with a masked password or access token.',
  },
)
export const SmtpRecord = Type.Object(read, {
  description:
    'Outgoing mail server of the account (SMTP), with a masked password or access token.',
})

export const SmtpUpdate = Strict(updated)
export type SmtpUpdate = Static<typeof SmtpUpdate>

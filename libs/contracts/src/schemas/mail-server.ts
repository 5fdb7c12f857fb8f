import { type Static, Type } from 'typebox'
import { Bool, Int, Nullable, OneOf, Strict, Text } from './primitives.ts'

/**
 * Login at a mail server: login name with a password or an access token. Used for tests of a login
 * and for registrations.
 */
const Login = Strict({
  user: Text('Login name.', { minLength: 1, maxLength: 256, format: 'one-line' }),
  pass: Type.Optional(Text('Password.', { maxLength: 256, format: 'one-line' })),
  accessToken: Type.Optional(
    Type.Union([Type.String({ maxLength: 16_384, format: 'one-line' }), Type.Literal(false)], {
      description:
        'OAuth2 access token instead of a password, for XOAUTH2 or OAUTHBEARER. The caller replaces the token before its expiry. False for none.',
    }),
  ),
})

const Tls = Strict(
  {
    rejectUnauthorized: Type.Optional(
      Bool('If false, any certificate of the server is accepted. Defaults to true.'),
    ),
    minVersion: Type.Optional(
      OneOf(['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'], { description: 'Lowest TLS version.' }),
    ),
    requireStartTls: Type.Optional(
      Bool(
        'If false, login and mail are sent unencrypted to a server that offers no STARTTLS. Defaults to true; servers on the same machine are exempt.',
      ),
    ),
  },
  { description: 'TLS options of the connection.' },
)

const authDescription = 'Login at the server. False for none.'
const secureDescription =
  'If true, uses TLS from the start of the connection. Otherwise uses STARTTLS, see `tls.requireStartTls`.'
const server = {
  useAuthServer: Type.Optional(
    Bool('If true, the login is requested from the authentication server.'),
  ),
  auth: Type.Optional(Type.Union([Login, Type.Literal(false)], { description: authDescription })),
  host: Text('Host name or IP address of the server.', {
    minLength: 1,
    maxLength: 1024,
    format: 'host-name',
  }),
  port: Int('Port of the server.', { minimum: 1, maximum: 65_535 }),
  secure: Type.Optional(Bool(secureDescription, { default: false })),
  tls: Type.Optional(Tls),
}

const mailPath = (use: string) =>
  Type.Optional(
    Nullable(
      Text(`Path of the ${use} mailbox. Null or absent: the mailbox with that special use.`, {
        maxLength: 1024,
        format: 'mailbox-path',
      }),
    ),
  )

const resyncDelay = (options: { default?: number }) =>
  Type.Optional(
    Int('Interval in seconds between full syncs of all mailboxes.', {
      minimum: 1,
      maximum: 86_400,
      ...options,
    }),
  )

const imap = {
  disableIMAP4rev2: Type.Optional(Bool('If true, IMAP4rev2 is not enabled on the server.')),
  resyncDelay: resyncDelay({ default: 900 }),
  sentMailPath: mailPath('Sent'),
  draftsMailPath: mailPath('Drafts'),
  junkMailPath: mailPath('Junk'),
  trashMailPath: mailPath('Trash'),
  archiveMailPath: mailPath('Archive'),
}

const disabledDescription = 'If true, the incoming server is switched off and nothing is synced.'
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
    Bool('If true, absent members keep their value. Otherwise the whole object is replaced.', {
      default: false,
    }),
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
          user: Text('Login name.'),
          pass: Type.Optional(Text('Masked password: `******`.')),
          accessToken: Type.Optional(Text('Masked access token: `******`.')),
        }),
        Type.Literal(false),
      ],
      { description: authDescription },
    ),
  ),
  host: Type.Optional(Text('Host name or IP address of the server.')),
  port: Type.Optional(Int('Port of the server.')),
  secure: Type.Optional(Bool(secureDescription)),
  tls: Type.Optional(Tls),
}
/** Mail servers of an account as returned by the API, with masked passwords and access tokens. */
export const ImapRecord = Type.Object(
  { ...read, ...imap, disabled },
  { description: 'Incoming server with a masked password or access token.' },
)
export const SmtpRecord = Type.Object(read, {
  description: 'Outgoing server with a masked password or access token.',
})

export const SmtpUpdate = Strict(updated)
export type SmtpUpdate = Static<typeof SmtpUpdate>

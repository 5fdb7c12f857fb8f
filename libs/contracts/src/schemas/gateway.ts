import { type Static, Type } from 'typebox'
import { Bool, described, Int, Nullable, OneOf, Strict, Text, Time } from './primitives.ts'
import { networkPathDescription, smtpFailure } from './smtp-status.ts'

const name = { minLength: 1, maxLength: 256 }
export const GatewayId = Text(
  'Id of the gateway (SMTP server that sends for accounts), chosen by the caller or generated.',
  name,
)
const login = (description: string) =>
  Type.Optional(Nullable(Text(description, { maxLength: 1024, format: 'one-line' })))

const fields = {
  name: Text('Display name of the gateway.', name),
  user: login('Login name at the SMTP server. Null: the SMTP server requires no login.'),
  pass: login('Password at the SMTP server. Null: the SMTP server requires no login.'),
  host: Text('Host name or IP address of the SMTP server.', { format: 'host-name' }),
  port: Int('TCP port of the SMTP server, such as 465 or 587.', { minimum: 1, maximum: 65_535 }),
  secure: Type.Optional(
    Bool(
      'If true, connections to the SMTP server use TLS from the start (usually port 465). Otherwise, connections use STARTTLS if the SMTP server offers STARTTLS.',
    ),
  ),
}

export const GatewayRegistration = Strict({
  gateway: described(
    'Id of the gateway (SMTP server that sends for accounts). Null: an id is generated.',
    Nullable(GatewayId),
  ),
  ...fields,
})
export type GatewayRegistration = Static<typeof GatewayRegistration>

/**
 * Body of an update of a gateway (outgoing SMTP server that belongs to no account). Absent members
 * keep their stored value.
 */
export const GatewayUpdate = Strict({
  ...fields,
  name: Type.Optional(fields.name),
  host: Type.Optional(fields.host),
  port: Type.Optional(fields.port),
})
export type GatewayUpdate = Static<typeof GatewayUpdate>

const GatewayError = Type.Object(
  {
    created: Int('Time of the failed attempt to send a message, in milliseconds since 1970.'),
    status: OneOf(['error'], {
      description: 'Result of the attempt to send a message. Always `error`.',
    }),
    ...smtpFailure,
    networkRouting: Type.Optional(
      Nullable(Type.Object({}, { description: networkPathDescription })),
    ),
  },
  { description: 'Error of the last attempt to send through the gateway. Null after a success.' },
)

export type GatewayError = Static<typeof GatewayError>

const listed = {
  gateway: Text('Id of the gateway (SMTP server that sends for accounts).'),
  name: Text('Display name of the gateway.'),
  deliveries: Int('Number of messages the gateway has accepted.'),
  lastUse: Nullable(
    Time(
      'Time of the last attempt to send through the gateway (ISO 8601). Null before the first attempt.',
    ),
  ),
  lastError: Nullable(GatewayError),
}
export const GatewayListEntry = Type.Object(listed)
export const GatewayRecord = Type.Object({
  ...listed,
  user: Nullable(Text('Login name at the SMTP server. Null if the SMTP server requires no login.')),
  pass: Type.Optional(
    Text('Masked password at the SMTP server: `******`. Absent if no password is stored.'),
  ),
  host: Text('Host name or IP address of the SMTP server.'),
  port: Int('TCP port of the SMTP server, such as 465 or 587.'),
  secure: Bool(
    'True if connections to the SMTP server use TLS from the start, false if connections use STARTTLS when offered.',
  ),
})

import { type Static, Type } from 'typebox'
import { Bool, described, Int, Nullable, OneOf, Strict, Text, Time } from './primitives.ts'
import { networkPathDescription, smtpFailure } from './smtp-status.ts'

const name = { minLength: 1, maxLength: 256 }
export const GatewayId = Text('Gateway id, chosen by the caller.', name)
const login = (description: string) =>
  Type.Optional(Nullable(Text(description, { maxLength: 1024, format: 'one-line' })))

const fields = {
  name: Text('Display name of the gateway.', name),
  user: login('Login name. Null for none.'),
  pass: login('Password. Null for none.'),
  host: Text('Host name or IP address of the server.', { format: 'host-name' }),
  port: Int('Port of the server.', { minimum: 1, maximum: 65_535 }),
  secure: Type.Optional(
    Bool(
      'If true, uses TLS from the start of the connection. Otherwise uses STARTTLS if the server offers it.',
    ),
  ),
}

export const GatewayRegistration = Strict({
  gateway: described('Gateway id. Null: an id is generated.', Nullable(GatewayId)),
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
    created: Int('Time of the error in milliseconds since 1970.'),
    status: OneOf(['error'], { description: 'Always `error`.' }),
    ...smtpFailure,
    networkRouting: Type.Optional(
      Nullable(Type.Object({}, { description: networkPathDescription })),
    ),
  },
  { description: 'Error of the last attempt. Null after a success.' },
)

export type GatewayError = Static<typeof GatewayError>

const listed = {
  gateway: Text('Gateway id.'),
  name: Text('Display name of the gateway.'),
  deliveries: Int('Number of messages the gateway has accepted.'),
  lastUse: Nullable(Time('Time of the last attempt (ISO 8601). Null if it was never used.')),
  lastError: Nullable(GatewayError),
}
export const GatewayListEntry = Type.Object(listed)
export const GatewayRecord = Type.Object({
  ...listed,
  user: Nullable(Text('Login name. Null if there is none.')),
  pass: Type.Optional(Text('Masked password. Absent if none is stored.')),
  host: Text('Host name or IP address of the server.'),
  port: Int('Port of the server.'),
  secure: Bool('True for TLS from the start of the connection.'),
})

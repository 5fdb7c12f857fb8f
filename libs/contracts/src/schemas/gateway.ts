import { type Static, Type } from 'typebox'
import { IsoDate, Nullable, OneOf, Strict } from './primitives.ts'

export const GatewayId = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'Gateway id, chosen by the caller.',
})
const Name = Type.String({ minLength: 1, maxLength: 256 })
const Login = Nullable(Type.String({ maxLength: 1024, format: 'one-line' }))
const Host = Type.String({ format: 'host-name' })
const Port = Type.Integer({ minimum: 1, maximum: 65_535 })
const Secure = Type.Boolean({
  description:
    'If true, uses TLS from the start of the connection. Otherwise uses STARTTLS if the server offers it.',
})

export const GatewayRegistration = Strict({
  gateway: Nullable(GatewayId),
  name: Name,
  user: Type.Optional(Login),
  pass: Type.Optional(Login),
  host: Host,
  port: Port,
  secure: Type.Optional(Secure),
})
export type GatewayRegistration = Static<typeof GatewayRegistration>

/** Body of an update. Absent members keep their value. */
export const GatewayUpdate = Strict({
  name: Type.Optional(Name),
  user: Type.Optional(Login),
  pass: Type.Optional(Login),
  host: Type.Optional(Host),
  port: Type.Optional(Port),
  secure: Type.Optional(Secure),
})
export type GatewayUpdate = Static<typeof GatewayUpdate>

/** Error of the last attempt; null after a success. */
const GatewayError = Type.Object({
  created: Type.Integer({ description: 'Time of the error in milliseconds since 1970.' }),
  status: OneOf(['error']),
  response: Type.Optional(Type.String()),
  responseCode: Type.Optional(Type.Integer()),
  code: Type.Optional(Type.String()),
  command: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  networkRouting: Type.Optional(Nullable(Type.Object({}))),
})

const listed = {
  gateway: Type.String(),
  name: Type.String(),
  deliveries: Type.Integer({ description: 'Number of messages the gateway has accepted.' }),
  lastUse: Nullable(IsoDate),
  lastError: Nullable(GatewayError),
}
export const GatewayListEntry = Type.Object(listed)
export const GatewayRecord = Type.Object({
  ...listed,
  user: Nullable(Type.String()),
  pass: Type.Optional(Type.String({ description: 'Masked password. Absent if none is stored.' })),
  host: Type.String(),
  port: Type.Integer(),
  secure: Type.Boolean(),
})

import { type Static, Type } from 'typebox'
import { IsoDate, Nullable, OneOf, Strict } from './primitives.ts'

export const GatewayId = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'Gateway identifier, chosen by the caller',
})
const Name = Type.String({ minLength: 1, maxLength: 256 })
const Login = Nullable(Type.String({ maxLength: 1024, format: 'one-line' }))
const Host = Type.String({ format: 'host-name' })
const Port = Type.Integer({ minimum: 1, maximum: 65_535 })
const Secure = Type.Boolean({
  description: 'TLS from the start; else STARTTLS where it is offered',
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

/** What is not given stays. */
export const GatewayUpdate = Strict({
  name: Type.Optional(Name),
  user: Type.Optional(Login),
  pass: Type.Optional(Login),
  host: Type.Optional(Host),
  port: Type.Optional(Port),
  secure: Type.Optional(Secure),
})
export type GatewayUpdate = Static<typeof GatewayUpdate>

/** Why the last delivery failed; null since the last success. */
const GatewayError = Type.Object({
  created: Type.Integer({ description: 'Milliseconds since 1970' }),
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
  deliveries: Type.Integer({ description: 'Messages it has taken' }),
  lastUse: Nullable(IsoDate),
  lastError: Nullable(GatewayError),
}
export const GatewayListEntry = Type.Object(listed)
export const GatewayRecord = Type.Object({
  ...listed,
  user: Nullable(Type.String()),
  pass: Type.Optional(Type.String({ description: 'Masked; absent when none is stored' })),
  host: Type.String(),
  port: Type.Integer(),
  secure: Type.Boolean(),
})

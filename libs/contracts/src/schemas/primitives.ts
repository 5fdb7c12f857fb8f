import { type TProperties, Type } from 'typebox'

/** Object without additional members, as all requests require. */
export const Strict = <T extends TProperties>(properties: T, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

export const Nullable = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Union([schema, Type.Null()])

/** Enumeration. Written as JSON Schema `enum`, so that an error lists the values. */
export const OneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

export const AccountId = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'Account id, chosen by the caller.',
})
/** Id of a message in the API, not its Message-ID header. */
export const MessageId = Type.String({ minLength: 1, maxLength: 256 })
export const IsoDate = Type.String({ format: 'date-time', description: 'Time (ISO 8601).' })
/** Email address as accepted by the format `mail-address`. */
export const MailAddress = Type.String({ format: 'mail-address', maxLength: 320 })

export const Address = Strict({
  name: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
  address: MailAddress,
})

/** Address from a received message. Not validated. */
export const ReadAddress = Type.Object({
  name: Type.Optional(Type.String()),
  address: Type.Optional(Type.String()),
})

export const KeyValue = Strict({
  key: Type.String({ minLength: 1, maxLength: 1024, format: 'header-name' }),
  value: Type.Optional(Type.String({ maxLength: 10_240, format: 'one-line', default: '' })),
})

/** Query parameters of lists. */
export const pageQuery = {
  page: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_048_576,
      default: 0,
      description: 'Page number, starting at 0.',
    }),
  ),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 20, description: 'Entries per page.' }),
  ),
}
export const pageCounts = { total: Type.Integer(), page: Type.Integer(), pages: Type.Integer() }

export const timeoutHeader = {
  'x-svc-timeout': Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 7_200_000,
      description:
        'Time in milliseconds to wait for the worker of the account. Values below the default of the service have no effect.',
    }),
  ),
}

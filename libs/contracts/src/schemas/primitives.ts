import { type TProperties, Type } from 'typebox'

/** An object that takes exactly these members: requests are strict. */
export const Strict = <T extends TProperties>(properties: T, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

export const Nullable = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Union([schema, Type.Null()])

/** One of a few words. Written as JSON Schema `enum`, so that an error can list them. */
export const OneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

export const AccountId = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'Account identifier, chosen by the caller',
})
/** Id of a message in the API, not its Message-ID header. */
export const MessageId = Type.String({ minLength: 1, maxLength: 256 })
export const IsoDate = Type.String({ format: 'date-time', description: 'ISO 8601' })
/** An e-mail address; see the `mail-address` format for what is taken. */
export const MailAddress = Type.String({ format: 'mail-address', maxLength: 320 })

export const Address = Strict({
  name: Type.Optional(Type.String({ maxLength: 256, format: 'one-line' })),
  address: MailAddress,
})

/** As read out of messages, where anything may stand. */
export const ReadAddress = Type.Object({
  name: Type.Optional(Type.String()),
  address: Type.Optional(Type.String()),
})

export const KeyValue = Strict({
  key: Type.String({ minLength: 1, maxLength: 1024, format: 'header-name' }),
  value: Type.Optional(Type.String({ maxLength: 10_240, format: 'one-line', default: '' })),
})

/** Zero-based pages, as every list takes them. */
export const pageQuery = {
  page: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_048_576, default: 0, description: 'Zero-based page' }),
  ),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 20 })),
}
export const pageCounts = { total: Type.Integer(), page: Type.Integer(), pages: Type.Integer() }

/** Milliseconds this request may wait for the account's worker; never less than the service's own limit. */
export const timeoutHeader = {
  'x-svc-timeout': Type.Optional(Type.Integer({ minimum: 0, maximum: 7_200_000 })),
}

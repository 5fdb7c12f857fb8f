import {
  type TNumberOptions,
  type TProperties,
  type TSchemaOptions,
  type TStringOptions,
  Type,
} from 'typebox'

// Functions that create schemas for members of requests and responses. The description is the first
// argument, so that the definition of most members fits on one line.

export const Text = (description: string, options: TStringOptions = {}) =>
  Type.String({ ...options, description })
export const Texts = (description: string) => Type.Array(Type.String(), { description })
export const Int = (description: string, options: TNumberOptions = {}) =>
  Type.Integer({ ...options, description })
export const Bool = (description: string, options: TSchemaOptions = {}) =>
  Type.Boolean({ ...options, description })
/** Schema for a time in ISO 8601 format. */
export const Time = (description: string) => Text(description, { format: 'date-time' })

/**
 * Copies a schema and gives the copy another description. In the OpenAPI document, the copy still
 * refers to the named schema.
 */
export const described = <S extends object>(description: string, schema: S): S => ({
  ...schema,
  description,
})

/**
 * Schema of an object without additional members. All API requests and commands use such schemas.
 */
export const Strict = <T extends TProperties>(properties: T, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

export const Nullable = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Union([schema, Type.Null()])

/**
 * Schema of an enumeration. The schema uses the JSON Schema keyword `enum`, so that a validation
 * error lists the allowed values.
 */
export const OneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

export const AccountId = Text('Account id, chosen by the caller.', { minLength: 1, maxLength: 256 })
/**
 * Id of a message in the API, as opposed to the Message-ID header of the message. Ids from mail
 * providers have up to 200 visible ASCII characters.
 */
export const MessageId = Text('Message id, from a list or an event. Percent-encode it in a path.', {
  minLength: 1,
  maxLength: 256,
})
export const IsoDate = Time('Time (ISO 8601).')
/** Email address that conforms to the format `mail-address`. */
export const MailAddress = Text('Email address.', { format: 'mail-address', maxLength: 320 })

export const Address = Strict(
  {
    name: Type.Optional(Text('Display name.', { maxLength: 256, format: 'one-line' })),
    address: MailAddress,
  },
  { description: 'Email address with an optional display name.' },
)

/** Email address in a received message. The address is not validated. */
export const ReadAddress = Type.Object(
  {
    name: Type.Optional(Text('Display name. Empty if there is none.')),
    address: Type.Optional(Text('Email address as received, not validated.')),
  },
  { description: 'Address from a received message.' },
)

export const KeyValue = Strict(
  {
    key: Text('Name of the header.', { minLength: 1, maxLength: 1024, format: 'header-name' }),
    value: Type.Optional(
      Text('Value of the header.', { maxLength: 10_240, format: 'one-line', default: '' }),
    ),
  },
  { description: 'HTTP header.' },
)

/** Query parameters of the API operations that return lists in pages. */
export const pageQuery = {
  page: Type.Optional(
    Int('Page number, starting at 0.', { minimum: 0, maximum: 1_048_576, default: 0 }),
  ),
  pageSize: Type.Optional(Int('Entries per page.', { minimum: 1, maximum: 1000, default: 20 })),
}
export const pageCounts = {
  total: Int('Number of entries on all pages.'),
  page: Int('Number of this page, starting at 0.'),
  pages: Int('Number of pages.'),
}

export const timeoutHeader = {
  'x-svc-timeout': Type.Optional(
    Int(
      'Time in milliseconds to wait for the worker of the account. Values below the default of the service have no effect.',
      { minimum: 0, maximum: 7_200_000 },
    ),
  ),
}

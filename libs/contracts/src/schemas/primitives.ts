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

export const AccountId = Text(
  'Id of the account, chosen by the caller or generated when the account was registered.',
  { minLength: 1, maxLength: 256 },
)
/**
 * Id that the caller can choose for a new entity, so that an import from another installation keeps
 * the ids that clients use. The first character excludes `.` and `..`, which the path of a URL
 * cannot contain. `reserved` lists further ids that are rejected.
 */
export const ChosenId = (entity: string, reserved: readonly string[] = []) => {
  const excluded = reserved.length === 0 ? '' : `(?!(?:${reserved.join('|')})$)`
  const names = reserved.map((id) => `\`${id}\``).join(' and ')
  const exception = reserved.length === 0 ? '' : ` The ids ${names} are reserved.`
  return Type.Optional(
    Text(
      `Id of the new ${entity}. Default: a generated id. If the id exists, nothing changes and \`created\` is false.${exception}`,
      { pattern: `^${excluded}\\w[\\w.-]{0,127}$`, maxLength: 128 },
    ),
  )
}
/**
 * Id of a message in the API, as opposed to the Message-ID header of the message. Ids from mail
 * providers have up to 200 visible ASCII characters.
 */
export const MessageId = Text(
  'Id of the message, from a message list or an event. Percent-encode the id in the path of a URL.',
  {
    minLength: 1,
    maxLength: 256,
  },
)
export const IsoDate = Time('Time (ISO 8601).')
/** Email address that conforms to the format `mail-address`. */
export const MailAddress = Text(
  'Email address, such as `mail@example.com`. At most 320 characters.',
  { format: 'mail-address', maxLength: 320 },
)

export const Address = Strict(
  {
    name: Type.Optional(
      Text('Display name that mail clients show with the email address.', {
        maxLength: 256,
        format: 'one-line',
      }),
    ),
    address: MailAddress,
  },
  { description: 'Email address with an optional display name.' },
)

/** Email address in a received message. The address is not validated. */
export const ReadAddress = Type.Object(
  {
    name: Type.Optional(
      Text('Display name beside the email address. Empty if the message contains no name.'),
    ),
    address: Type.Optional(
      Text('Email address as the message contains the address. Not validated.'),
    ),
  },
  { description: 'Display name and email address from a header of a received message.' },
)

export const KeyValue = Strict(
  {
    key: Text('Name of the HTTP header, such as `X-Tenant`.', {
      minLength: 1,
      maxLength: 1024,
      format: 'header-name',
    }),
    value: Type.Optional(
      Text('Value of the HTTP header. Defaults to an empty text.', {
        maxLength: 10_240,
        format: 'one-line',
        default: '',
      }),
    ),
  },
  { description: 'Additional HTTP header of webhook requests: name and value.' },
)

/** Query parameters of the API operations that return lists in pages. */
export const pageQuery = {
  page: Type.Optional(
    Int('Number of the page to return. The first page, which is the default, is 0.', {
      minimum: 0,
      maximum: 1_048_576,
      default: 0,
    }),
  ),
  pageSize: Type.Optional(
    Int('Maximum number of entries per page. Defaults to 20.', {
      minimum: 1,
      maximum: 1000,
      default: 20,
    }),
  ),
}
export const pageCounts = {
  total: Int('Number of entries on all pages.'),
  page: Int('Number of this page. The first page is 0.'),
  pages: Int('Number of pages at the requested page size.'),
}

export const timeoutHeader = {
  'x-svc-timeout': Type.Optional(
    Int(
      'Maximum time in milliseconds to wait for the response of the worker that serves the account. Values below the default (`SVC_TIMEOUT`, 10,000) have no effect.',
      { minimum: 0, maximum: 7_200_000 },
    ),
  ),
}

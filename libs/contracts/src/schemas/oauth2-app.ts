import { type Static, type TSchema, Type } from 'typebox'
import { LastError } from './account.ts'
import { Nullable, OneOf, Strict } from './primitives.ts'

export const oauth2Providers = [
  'gmail',
  'gmailService',
  'outlook',
  'outlookService',
  'mailRu',
  'generic',
] as const
export type OAuth2Provider = (typeof oauth2Providers)[number]

const clouds = ['global', 'gcc-high', 'dod', 'china'] as const
export type OAuth2Cloud = (typeof clouds)[number]

const Short = Type.String({ minLength: 1, maxLength: 256, format: 'one-line' })
const Address = Type.String({ maxLength: 2048, format: 'http-url' })
const scopes = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!#-\\[\\]-~]+$' }), {
    single: true,
    maxItems: 50,
    description,
  })
const Topic = Type.Union([
  Type.String({ maxLength: 256, pattern: '^(?!goog)[A-Za-z][A-Za-z0-9\\-_.~+%]{2,254}$' }),
  Type.Literal(false),
  Type.Null(),
])

const MailServer = Strict({
  host: Type.String({ minLength: 1, maxLength: 1024, format: 'host-name' }),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  secure: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'If true, uses TLS from the start of the connection.',
    }),
  ),
})

/** Members of an application except name, provider and secrets. */
const details = {
  description: Type.String({ maxLength: 1024 }),
  title: Type.String({ maxLength: 256, description: 'Text of the button on the hosted form.' }),
  includeInListing: Type.Boolean({
    description: 'If true, the hosted form offers this application.',
  }),
  clientId: Short,
  redirectUrl: Address,
  extraScopes: scopes('Additional scopes to request. They are optional for the user.'),
  skipScopes: scopes('Default scopes that are not requested.'),
  authority: Type.String({
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z0-9.-]+$',
    description: 'For Outlook: `common`, `organizations`, `consumers` or a tenant id.',
  }),
  cloud: OneOf(clouds),
  serviceClient: Short,
  serviceClientEmail: Type.String({ maxLength: 256, format: 'one-line' }),
  googleProjectId: Type.Union([
    Type.String({ pattern: '^[a-z][a-z0-9-]{4,28}[a-z0-9]$' }),
    Type.Literal(false),
    Type.Null(),
  ]),
  googleWorkspaceAccounts: Type.Boolean(),
  googleTopicName: Topic,
  googleSubscriptionName: Topic,
  pubSubApp: Type.Union([Type.String({ maxLength: 512 }), Type.Literal(false), Type.Null()]),
}

const fixed = {
  baseScopes: OneOf(['imap', 'api', 'pubsub'], {
    description:
      'Access to the mailbox: `imap` for mail servers (default), `api` for the API of the provider.',
  }),
  authMethod: OneOf(['serviceKey', 'externalAccount']),
}

/** Endpoints of a provider of the kind `generic`. */
const generic = {
  issuer: Type.String({
    maxLength: 2048,
    format: 'http-url',
    description:
      'Issuer URL. Absent endpoints are discovered from it (OpenID Connect Discovery 1.0).',
  }),
  authorizeUrl: Address,
  tokenUrl: Address,
  userinfoUrl: Address,
  revokeUrl: Address,
  scopes: scopes(
    'Scopes to request. All are required except those of OpenID Connect: if the user denies one, consent is requested again.',
  ),
  imap: MailServer,
  smtp: MailServer,
}

const secrets = {
  clientSecret: Type.String({ minLength: 1, maxLength: 256, format: 'one-line' }),
  serviceKey: Type.String({
    minLength: 1,
    maxLength: 102_400,
    description: 'Private key of the service account (PEM).',
  }),
  externalAccount: Type.String({ minLength: 1, maxLength: 65_536 }),
}

type Optionals<T extends Record<string, TSchema>> = {
  [K in keyof T]: ReturnType<typeof Type.Optional<T[K]>>
}
function optional<const T extends Record<string, TSchema>>(members: T): Optionals<T> {
  const entries = Object.entries(members).map(([key, schema]) => [key, Type.Optional(schema)])
  return Object.fromEntries(entries) as Optionals<T>
}

function removable<const S extends TSchema>(schema: S) {
  return Type.Optional(Type.Union([schema, Type.Literal(false), Type.Null()]))
}

export const OAuth2AppConfig = Type.Object({
  ...optional(details),
  ...optional(fixed),
  ...optional(generic),
})
export type OAuth2AppConfig = Static<typeof OAuth2AppConfig>

export const OAuth2AppRegistration = Strict({
  name: Short,
  provider: OneOf(oauth2Providers),
  enabled: Type.Optional(Type.Boolean({ default: false })),
  ...optional(details),
  ...optional(fixed),
  ...optional(generic),
  ...optional(secrets),
})
export type OAuth2AppRegistration = Static<typeof OAuth2AppRegistration>

/** Body of an update. Absent members stay; `false` and null remove a value. */
export const OAuth2AppUpdate = Strict({
  name: Type.Optional(Short),
  enabled: Type.Optional(Type.Boolean()),
  ...optional(details),
  ...optional(generic),
  ...optional(secrets),
  clientId: removable(details.clientId),
  serviceClient: removable(details.serviceClient),
  redirectUrl: removable(details.redirectUrl),
  tenant: Type.Optional(details.authority),
})
export type OAuth2AppUpdate = Static<typeof OAuth2AppUpdate>

const listed = {
  id: Type.String(),
  name: Type.String(),
  provider: OneOf(oauth2Providers),
  enabled: Type.Boolean(),
  created: Type.String(),
  updated: Type.String(),
  ...optional(details),
  ...optional(fixed),
  ...optional(generic),
  tenant: Type.Optional(Type.String()),
  clientSecret: Type.Optional(Type.String({ description: 'Masked client secret.' })),
  serviceKey: Type.Optional(Type.String({ description: 'Masked private key.' })),
  externalAccount: Type.Optional(Type.String({ description: 'Masked external account.' })),
  lastError: Nullable(LastError),
}
/** Application in a list. */
export const OAuth2AppListEntry = Type.Object(listed)
/** Application as returned by the API, with masked secrets. */
export const OAuth2AppRecord = Type.Object({
  ...listed,
  accounts: Type.Integer({ description: 'Number of accounts that use the application.' }),
})

export const OAuth2CheckStep = Type.Object({
  id: Type.String(),
  label: Type.String(),
  status: OneOf(['ok', 'fail', 'skip']),
  message: Nullable(Type.String()),
  hint: Type.Optional(Type.String()),
})
export type OAuth2CheckStep = Static<typeof OAuth2CheckStep>

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
  secure: Type.Optional(Type.Boolean({ default: false, description: 'TLS from the start' })),
})

/** What there is to say about an application beside its name, its provider and its secrets. */
const about = {
  description: Type.String({ maxLength: 1024 }),
  title: Type.String({ maxLength: 256, description: 'On the button of the hosted form' }),
  includeInListing: Type.Boolean({ description: 'Offered by the hosted form' }),
  clientId: Short,
  redirectUrl: Address,
  extraScopes: scopes('Asked for as well; an account is connected without them, too'),
  skipScopes: scopes('Not asked for'),
  authority: Type.String({
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z0-9.-]+$',
    description: 'Outlook: `common`, `organizations`, `consumers` or a tenant',
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
      'What accounts are used by: their mail servers (default) or an API of the provider',
  }),
  authMethod: OneOf(['serviceKey', 'externalAccount']),
}

/** Where a provider of the kind `generic` is found. */
const generic = {
  issuer: Type.String({
    maxLength: 2048,
    format: 'http-url',
    description:
      'Endpoints that are not given are discovered from it (OpenID Connect Discovery 1.0)',
  }),
  authorizeUrl: Address,
  tokenUrl: Address,
  userinfoUrl: Address,
  revokeUrl: Address,
  scopes: scopes(
    'All of them are needed, but for those of OpenID Connect: who does not allow one is asked again',
  ),
  imap: MailServer,
  smtp: MailServer,
}

const secrets = {
  clientSecret: Type.String({ minLength: 1, maxLength: 256, format: 'one-line' }),
  serviceKey: Type.String({ minLength: 1, maxLength: 102_400, description: 'Private key, PEM' }),
  externalAccount: Type.String({ minLength: 1, maxLength: 65_536 }),
}

type Optionals<T extends Record<string, TSchema>> = {
  [K in keyof T]: ReturnType<typeof Type.Optional<T[K]>>
}
function optional<const T extends Record<string, TSchema>>(members: T): Optionals<T> {
  const entries = Object.entries(members).map(([key, schema]) => [key, Type.Optional(schema)])
  return Object.fromEntries(entries) as Optionals<T>
}

function orNothing<const S extends TSchema>(schema: S) {
  return Type.Optional(Type.Union([schema, Type.Literal(false), Type.Null()]))
}

export const OAuth2AppConfig = Type.Object({
  ...optional(about),
  ...optional(fixed),
  ...optional(generic),
})
export type OAuth2AppConfig = Static<typeof OAuth2AppConfig>

export const OAuth2AppRegistration = Strict({
  name: Short,
  provider: OneOf(oauth2Providers),
  enabled: Type.Optional(Type.Boolean({ default: false })),
  ...optional(about),
  ...optional(fixed),
  ...optional(generic),
  ...optional(secrets),
})
export type OAuth2AppRegistration = Static<typeof OAuth2AppRegistration>

/** What is not given stays; `false` and null take away. */
export const OAuth2AppUpdate = Strict({
  name: Type.Optional(Short),
  enabled: Type.Optional(Type.Boolean()),
  ...optional(about),
  ...optional(generic),
  ...optional(secrets),
  clientId: orNothing(about.clientId),
  serviceClient: orNothing(about.serviceClient),
  redirectUrl: orNothing(about.redirectUrl),
  tenant: Type.Optional(about.authority),
})
export type OAuth2AppUpdate = Static<typeof OAuth2AppUpdate>

const listed = {
  id: Type.String(),
  name: Type.String(),
  provider: OneOf(oauth2Providers),
  enabled: Type.Boolean(),
  created: Type.String(),
  updated: Type.String(),
  ...optional(about),
  ...optional(fixed),
  ...optional(generic),
  tenant: Type.Optional(Type.String()),
  clientSecret: Type.Optional(Type.String({ description: 'Masked' })),
  serviceKey: Type.Optional(Type.String({ description: 'Masked' })),
  externalAccount: Type.Optional(Type.String({ description: 'Masked' })),
  lastError: Nullable(LastError),
}
/** An application in a list. */
export const OAuth2AppListEntry = Type.Object(listed)
/** An application as read back. Secrets are masked. */
export const OAuth2AppRecord = Type.Object({
  ...listed,
  accounts: Type.Integer({ description: 'Accounts that refer to it' }),
})

export const OAuth2CheckStep = Type.Object({
  id: Type.String(),
  label: Type.String(),
  status: OneOf(['ok', 'fail', 'skip']),
  message: Nullable(Type.String()),
  hint: Type.Optional(Type.String()),
})
export type OAuth2CheckStep = Static<typeof OAuth2CheckStep>

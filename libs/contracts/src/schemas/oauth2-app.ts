import { type Static, type TSchema, Type } from 'typebox'
import { type OAuth2Provider, oauth2Providers } from '../account-types/index.ts'
import { LastError } from './account.ts'
import { Bool, described, Int, Nullable, OneOf, Strict, Text } from './primitives.ts'

export { oauth2Providers, type OAuth2Provider }

export const oauth2Clouds = ['global', 'gcc-high', 'dod', 'china'] as const
export type OAuth2Cloud = (typeof oauth2Clouds)[number]

const line = { minLength: 1, maxLength: 256, format: 'one-line' }
const url = { maxLength: 2048, format: 'http-url' }
const scopes = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 255, pattern: '^[!#-\\[\\]-~]+$' }), {
    single: true,
    maxItems: 50,
    description,
  })
/** Schema for a member of an OAuth2 application that can be removed with `false` or null. */
const removable = <const S extends TSchema>(schema: S) =>
  Type.Union([schema, Type.Literal(false), Type.Null()])
const topic = (description: string) =>
  removable(
    Text(description, {
      maxLength: 256,
      pattern: '^(?!goog)[A-Za-z][A-Za-z0-9\\-_.~+%]{2,254}$',
    }),
  )

const mailServer = (description: string) =>
  Strict(
    {
      host: Text('Host name or IP address.', {
        minLength: 1,
        maxLength: 1024,
        format: 'host-name',
      }),
      port: Int('Port.', { minimum: 1, maximum: 65_535 }),
      secure: Type.Optional(
        Bool('If true, uses TLS from the start of the connection.', { default: false }),
      ),
    },
    { description },
  )

/** Members of an OAuth2 application except name, provider and secrets. */
const details = {
  description: Text('Description for operators.', { maxLength: 1024 }),
  title: Text('Text of the button on the hosted form.', { maxLength: 256 }),
  includeInListing: Bool('If true, the hosted form offers this application.'),
  clientId: Text('Client id of the application at the provider.', line),
  redirectUrl: Text('Redirect URL registered at the provider: `<serviceUrl>/oauth`.', url),
  extraScopes: scopes('Additional scopes to request. They are optional for the user.'),
  skipScopes: scopes('Default scopes that are not requested.'),
  authority: Text('For Outlook: `common`, `organizations`, `consumers` or a tenant id.', {
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z0-9.-]+$',
  }),
  cloud: OneOf(oauth2Clouds, { description: 'For Outlook: national cloud. Defaults to `global`.' }),
  serviceClient: Text('Client id of the service account.', line),
  serviceClientEmail: Text('Email address of the service account.', {
    maxLength: 256,
    format: 'one-line',
  }),
  googleProjectId: removable(
    Text('Id of the Google Cloud project, for the base scopes `pubsub` (required) and `api`.', {
      pattern: '^[a-z][a-z0-9-]{4,28}[a-z0-9]$',
    }),
  ),
  googleWorkspaceAccounts: Bool('Restriction to Google Workspace. True is rejected.'),
  googleTopicName: topic('Name of the Pub/Sub topic. Defaults to `posthorn-` and the id.'),
  googleSubscriptionName: topic(
    'Name of the Pub/Sub subscription. Defaults to `posthorn-` and the id.',
  ),
  pubSubApp: removable(
    Text('Id of the application for Pub/Sub that receives notifications for the Gmail API.', {
      maxLength: 512,
    }),
  ),
}

const fixed = {
  baseScopes: OneOf(['imap', 'api', 'pubsub'], {
    description:
      'Access to the mailbox: `imap` for mail servers (default). `api` for the Gmail API or Microsoft Graph. `pubsub` (gmailService only) receives notifications of Gmail and has no accounts.',
  }),
  authMethod: OneOf(['serviceKey', 'externalAccount'], {
    description:
      'Authentication of a service account of Google: private key, or external account (Workload Identity Federation). Defaults to the one that is set.',
  }),
}

/** OAuth2 endpoints of an OAuth2 application of the kind `generic`. */
const generic = {
  issuer: Text(
    'Issuer URL. Absent endpoints are discovered from it (OpenID Connect Discovery 1.0).',
    url,
  ),
  authorizeUrl: Text('Authorization endpoint (RFC 6749 §3.1).', url),
  tokenUrl: Text('Token endpoint (RFC 6749 §3.2).', url),
  userinfoUrl: Text('UserInfo endpoint (OpenID Connect Core 1.0 §5.3).', url),
  revokeUrl: Text('Revocation endpoint (RFC 7009).', url),
  scopes: scopes(
    'Scopes to request. All are required except those of OpenID Connect: if the user denies one, consent is requested again.',
  ),
  imap: mailServer('Incoming server of accounts that use the application.'),
  smtp: mailServer('Outgoing server of accounts that use the application.'),
}

const secrets = {
  clientSecret: Text('Client secret of the application at the provider.', line),
  serviceKey: Text(
    'Private key of the service account (PEM). For `outlookService` instead of a client secret: private key and its certificate.',
    {
      minLength: 1,
      maxLength: 102_400,
    },
  ),
  externalAccount: Text(
    'External account configuration of Google (JSON), instead of a service key. Its identity token comes from a URL, or from the file that `SVC_IDENTITY_TOKEN_FILE` of auth-bridge names.',
    {
      minLength: 1,
      maxLength: 65_536,
    },
  ),
}

type Optionals<T extends Record<string, TSchema>> = {
  [K in keyof T]: ReturnType<typeof Type.Optional<T[K]>>
}
function optional<const T extends Record<string, TSchema>>(members: T): Optionals<T> {
  const entries = Object.entries(members).map(([key, schema]) => [key, Type.Optional(schema)])
  return Object.fromEntries(entries) as Optionals<T>
}

const editable = { ...optional(details), ...optional(generic), ...optional(secrets) }
const name = Text('Name of the application.', line)
const provider = OneOf(oauth2Providers, { description: 'Kind of provider.' })
const enabled = 'True if accounts can use the application.'

export const OAuth2AppConfig = Type.Object({
  ...optional(details),
  ...optional(fixed),
  ...optional(generic),
})
export type OAuth2AppConfig = Static<typeof OAuth2AppConfig>

/**
 * Text that identifies the OAuth2 provider's servers. The text is sealed together with the secrets
 * and tokens of an application, which may only be sent to these servers. Equal texts mean equal
 * servers.
 */
export function describeProvider(app: {
  provider: OAuth2Provider
  config: OAuth2AppConfig
}): string {
  const { issuer, tokenUrl, revokeUrl, cloud } = app.config
  const servers = [issuer, tokenUrl, revokeUrl, cloud === 'global' ? undefined : cloud]
  return JSON.stringify([app.provider, ...servers.map((server) => server || null)])
}

export const OAuth2AppRegistration = Strict({
  name,
  provider,
  enabled: Type.Optional(Bool(enabled, { default: true })),
  ...editable,
  ...optional(fixed),
})
export type OAuth2AppRegistration = Static<typeof OAuth2AppRegistration>

/**
 * Body of an update of an OAuth2 application. Absent members keep their stored value. `false` and
 * null remove a stored value.
 */
export const OAuth2AppUpdate = Strict({
  name: Type.Optional(name),
  enabled: Type.Optional(Bool(enabled)),
  ...editable,
  clientId: Type.Optional(removable(details.clientId)),
  serviceClient: Type.Optional(removable(details.serviceClient)),
  redirectUrl: Type.Optional(removable(details.redirectUrl)),
  tenant: Type.Optional(described('Alias of `authority`.', details.authority)),
})
export type OAuth2AppUpdate = Static<typeof OAuth2AppUpdate>

/** Error that occurred when Pub/Sub was set up for an OAuth2 application. */
export const PubSubError = Type.Object({
  message: Text('Text of the error.'),
  description: Nullable(Text('Code of the provider. Null if there is none.')),
})
export type PubSubError = Static<typeof PubSubError>
const pubSubError = described(
  'Failure of topic, subscription or reception. Null if there is none.',
  Nullable(PubSubError),
)

/** Status of Pub/Sub for an OAuth2 application. */
export const PubSubStatusEntry = Type.Object({
  id: Text('Id of the application.'),
  name: Nullable(Text('Name of the application.')),
  lastError: described(
    'Last error of its tokens. Null if there is none.',
    Nullable(Type.Object({ response: Text('Text of the error.') })),
  ),
  pubSubError,
})

const listed = {
  id: Text('Id of the application.'),
  name: Text('Name of the application.'),
  provider,
  enabled: Bool(enabled),
  created: Text('Time of the registration (ISO 8601).'),
  updated: Text('Time of the last change (ISO 8601).'),
  ...OAuth2AppConfig.properties,
  tenant: Type.Optional(Text('Alias of `authority`.')),
  clientSecret: Type.Optional(Text('Masked client secret.')),
  serviceKey: Type.Optional(Text('Masked private key.')),
  externalAccount: Type.Optional(Text('Masked external account.')),
  lastError: described('Last error. Null if there is none.', Nullable(LastError)),
  pubSubError,
}
/** OAuth2 application as an item of a list in the API. */
export const OAuth2AppListEntry = Type.Object(listed)
/**
 * Numbers of mail API requests and quota units that the accounts of an OAuth2 application used on
 * one day.
 */
const OAuth2AppUse = Type.Object({
  date: Text('Day in UTC (ISO 8601): `2026-11-26`.'),
  requests: Int('Number of requested operations. Parts of batches count one by one.'),
  units: Int('Quota units of the operations. Microsoft Graph: 1 for each operation.'),
  limited: Int('Number of requests that the provider refused because of a limit.'),
})
/** OAuth2 application as returned by the API, with masked secrets. */
export const OAuth2AppRecord = Type.Object({
  ...listed,
  accounts: Int('Number of accounts that use the application.'),
  quotaUse: Type.Array(OAuth2AppUse, {
    description:
      'Use of the mail API by the accounts of the application, for each of the last eight days with requests, latest first. Counts appear after up to 10 s.',
  }),
})

export const OAuth2CheckStep = Type.Object({
  id: Text('Id of the step.'),
  label: Text('Name of the step.'),
  status: OneOf(['ok', 'fail', 'skip'], { description: 'Result of the step.' }),
  message: Nullable(Text('Details of the result. Null if there are none.')),
  hint: Type.Optional(Text('Action that repairs a failure.')),
})
export type OAuth2CheckStep = Static<typeof OAuth2CheckStep>

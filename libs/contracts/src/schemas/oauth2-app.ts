import { type Static, type TSchema, Type } from 'typebox'
import { type OAuth2Provider, oauth2Providers } from '../account-types/index.ts'
import { LastError } from './account.ts'
import { pubSubError } from './pub-sub-status.ts'
import { Bool, ChosenId, described, Int, Nullable, OneOf, Strict, Text } from './primitives.ts'

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
      host: Text('Host name or IP address of the mail server.', {
        minLength: 1,
        maxLength: 1024,
        format: 'host-name',
      }),
      port: Int('TCP port of the mail server, such as 993 (IMAP) or 587 (SMTP).', {
        minimum: 1,
        maximum: 65_535,
      }),
      secure: Type.Optional(
        Bool(
          'If true, connections to the mail server use TLS from the start. If false (default), connections use STARTTLS.',
          { default: false },
        ),
      ),
    },
    { description },
  )

/** Members of an OAuth2 application except name, provider and secrets. */
const details = {
  description: Text('Description of the OAuth2 application for operators.', { maxLength: 1024 }),
  title: Text('Text of the button for the OAuth2 application on the hosted form.', {
    maxLength: 256,
  }),
  includeInListing: Bool('If true, the hosted form offers the OAuth2 application to users.'),
  clientId: Text(
    'Client id under which the OAuth2 application is registered at the provider.',
    line,
  ),
  redirectUrl: Text('Redirect URL that is registered at the provider: `<serviceUrl>/oauth`.', url),
  extraScopes: scopes(
    'OAuth2 scopes to request in addition to the default scopes. The user may deny these scopes.',
  ),
  skipScopes: scopes('Default OAuth2 scopes that the application does not request.'),
  authority: Text(
    'Users who may log in with an Outlook application: `common`, `organizations`, `consumers` or a tenant id.',
    {
      minLength: 1,
      maxLength: 1024,
      pattern: '^[A-Za-z0-9.-]+$',
    },
  ),
  cloud: OneOf(oauth2Clouds, {
    description: 'National cloud of an Outlook application. Defaults to `global`.',
  }),
  serviceClient: Text('Client id of the Google service account.', line),
  serviceClientEmail: Text('Email address of the Google service account.', {
    maxLength: 256,
    format: 'one-line',
  }),
  googleProjectId: removable(
    Text(
      'Id of the Google Cloud project with the Pub/Sub topic. Required if `baseScopes` is `pubsub`, optional for `api`.',
      {
        pattern: '^[a-z][a-z0-9-]{4,28}[a-z0-9]$',
      },
    ),
  ),
  googleWorkspaceAccounts: Bool(
    'Restriction to Google Workspace accounts. Not supported: true is rejected.',
  ),
  googleTopicName: topic(
    'Name of the Pub/Sub topic to which Gmail publishes notifications. Defaults to `posthorn-` and the id of the OAuth2 application.',
  ),
  googleSubscriptionName: topic(
    'Name of the Pub/Sub subscription from which notifications are received. Defaults to `posthorn-` and the id of the OAuth2 application.',
  ),
  pubSubApp: removable(
    Text(
      'Id of the OAuth2 application with the base scopes `pubsub` that receives the notifications of the Gmail API for this application.',
      {
        maxLength: 512,
      },
    ),
  ),
}

const fixed = {
  baseScopes: OneOf(['imap', 'api', 'pubsub'], {
    description:
      'Access of the OAuth2 application to mailboxes: `imap` (default) for mail servers, `api` for the Gmail API or Microsoft Graph. `pubsub` (only for the provider `gmailService`): the OAuth2 application receives notifications of Gmail and has no accounts.',
  }),
  authMethod: OneOf(['serviceKey', 'externalAccount'], {
    description:
      'Authentication of a Google service account: `serviceKey` with a private key, `externalAccount` with Workload Identity Federation. Defaults to the method whose secret is set.',
  }),
}

/** OAuth2 endpoints of an OAuth2 application of the kind `generic`. */
const generic = {
  issuer: Text(
    'Issuer URL of a `generic` provider. Endpoints that are not set are discovered from the issuer URL (OpenID Connect Discovery 1.0).',
    url,
  ),
  authorizeUrl: Text(
    'URL of the authorization endpoint of a `generic` provider (RFC 6749 §3.1).',
    url,
  ),
  tokenUrl: Text('URL of the token endpoint of a `generic` provider (RFC 6749 §3.2).', url),
  userinfoUrl: Text(
    'URL of the UserInfo endpoint of a `generic` provider (OpenID Connect Core 1.0 §5.3).',
    url,
  ),
  revokeUrl: Text('URL of the revocation endpoint of a `generic` provider (RFC 7009).', url),
  scopes: scopes(
    'OAuth2 scopes to request from a `generic` provider. The user must grant all scopes except the scopes of OpenID Connect, otherwise the consent is requested again.',
  ),
  imap: mailServer(
    'Incoming mail server (IMAP) of accounts that use the OAuth2 application. For `generic` providers.',
  ),
  smtp: mailServer(
    'Outgoing mail server (SMTP) of accounts that use the OAuth2 application. For `generic` providers.',
  ),
}

const secrets = {
  clientSecret: Text(
    'Client secret of the OAuth2 application at the provider. Stored encrypted.',
    line,
  ),
  serviceKey: Text(
    'Private key of the service account (PEM). For `outlookService`, a private key with the matching certificate replaces the client secret. Stored encrypted.',
    {
      minLength: 1,
      maxLength: 102_400,
    },
  ),
  externalAccount: Text(
    'External account configuration of Google (JSON), instead of a service key. The identity token comes from a URL, or from the file in the variable `SVC_IDENTITY_TOKEN_FILE` of auth-bridge.',
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
const name = Text('Name of the OAuth2 application.', line)
const provider = OneOf(oauth2Providers, {
  description:
    'Kind of the OAuth2 provider, which determines the endpoints and mail servers. `gmailService` and `outlookService` access mailboxes without the consent of users.',
})
const enabled =
  'If true, accounts can use the OAuth2 application. If false, accounts obtain no access tokens.'

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
  id: ChosenId('OAuth2 application'),
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
  tenant: Type.Optional(
    described('Other name of the member `authority`, with the same value.', details.authority),
  ),
})
export type OAuth2AppUpdate = Static<typeof OAuth2AppUpdate>

const listed = {
  id: Text('Id of the OAuth2 application.'),
  name: Text('Name of the OAuth2 application.'),
  provider,
  enabled: Bool(enabled),
  created: Text('Time of the registration of the OAuth2 application (ISO 8601).'),
  updated: Text('Time of the last change of the OAuth2 application (ISO 8601).'),
  ...OAuth2AppConfig.properties,
  tenant: Type.Optional(Text('Other name of the member `authority`, with the same value.')),
  clientSecret: Type.Optional(
    Text('Masked client secret: `******`. Absent if no client secret is stored.'),
  ),
  serviceKey: Type.Optional(
    Text('Masked private key: `******`. Absent if no private key is stored.'),
  ),
  externalAccount: Type.Optional(
    Text('Masked external account configuration: `******`. Absent if no configuration is stored.'),
  ),
  lastError: described(
    'Error of the last failed token request of the OAuth2 application. Null if there is no error.',
    Nullable(LastError),
  ),
  pubSubError,
}
/** OAuth2 application as an item of a list in the API. */
export const OAuth2AppListEntry = Type.Object(listed)
/**
 * Numbers of mail API requests and quota units that the accounts of an OAuth2 application used on
 * one day.
 */
const OAuth2AppUse = Type.Object({
  date: Text('Day of the counts in UTC (ISO 8601), such as `2026-11-26`.'),
  requests: Int(
    'Number of operations that accounts of the OAuth2 application requested from the mail API on this day. Each operation in a batch counts.',
  ),
  units: Int(
    'Quota units that the operations of this day cost. Each operation at Microsoft Graph costs 1 unit.',
  ),
  limited: Int('Number of operations that the mail API refused on this day because of a limit.'),
})
/** OAuth2 application as returned by the API, with masked secrets. */
export const OAuth2AppRecord = Type.Object({
  ...listed,
  accounts: Int('Number of accounts that use the OAuth2 application.'),
  quotaUse: Type.Array(OAuth2AppUse, {
    description:
      'Daily use of the mail API by all accounts of the OAuth2 application. Contains the last eight days with requests, latest day first. Counts appear after up to 10 s.',
  }),
})

export const OAuth2CheckStep = Type.Object({
  id: Text('Id of the step in the test of the OAuth2 application.'),
  label: Text('Name of the step in the test of the OAuth2 application, for display.'),
  status: OneOf(['ok', 'fail', 'skip'], {
    description: 'Result of the step of the test: `ok`, `fail`, or `skip` if the step was not run.',
  }),
  message: Nullable(Text('Details on the result of the test step. Null if there are no details.')),
  hint: Type.Optional(Text('Action that repairs the failed test step. Absent after a success.')),
})
export type OAuth2CheckStep = Static<typeof OAuth2CheckStep>

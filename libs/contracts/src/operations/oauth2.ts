import { Type } from 'typebox'
import { defineOperation, operationKinds, resourceOperations } from '../define.ts'
import {
  OAuth2AppListEntry,
  OAuth2AppRecord,
  OAuth2AppRegistration,
  OAuth2AppUpdate,
  OAuth2CheckStep,
  oauth2Providers,
} from '../schemas/oauth2-app.ts'
import { PubSubStatusEntry } from '../schemas/pub-sub-status.ts'
import {
  AccountId,
  Bool,
  Int,
  Nullable,
  OneOf,
  pageCounts,
  pageQuery,
  Strict,
  Text,
  Texts,
  timeoutHeader,
} from '../schemas/primitives.ts'

const kinds = operationKinds('OAuth2 applications', 'admin')
const id = Text('Id of the OAuth2 application.')
const params = Strict({
  app: Text('Id of the OAuth2 application.', { minLength: 1, maxLength: 256 }),
})
const app = resourceOperations(kinds, params)
const provider = OneOf(oauth2Providers, { description: 'Kind of the OAuth2 provider.' })

export const listOAuth2Apps = defineOperation({
  ...app.list,
  id: 'listOAuth2Apps',
  path: '/v1/oauth2',
  summary: 'List OAuth2 applications',
  description: 'Lists the OAuth2 applications, sorted by the time of registration, oldest first.',
  query: Strict(pageQuery),
  responseDescription: 'One page of the OAuth2 applications, oldest first. Secrets are masked.',
  response: Type.Object({
    ...pageCounts,
    apps: Type.Array(OAuth2AppListEntry, { description: 'OAuth2 applications of this page.' }),
  }),
})

const warnings = Type.Optional(
  Texts(
    'Warnings about settings of the OAuth2 application with which sign-ins will probably fail. Absent if there are no warnings.',
  ),
)

export const createOAuth2App = defineOperation({
  ...app.create,
  id: 'createOAuth2App',
  path: '/v1/oauth2',
  summary: 'Register an OAuth2 application',
  description:
    'Registers an application that was created at an OAuth2 provider. Accounts name its id in `oauth2.provider` and log in with its tokens. Required members depend on `provider`.',
  body: OAuth2AppRegistration,
  responseDescription:
    'Id of the new OAuth2 application, with warnings about the settings of the application.',
  response: Type.Object({
    id,
    created: Bool('False if the chosen id existed already. Nothing was changed then.'),
    warnings,
  }),
})

export const getOAuth2App = defineOperation({
  ...app.get,
  id: 'getOAuth2App',
  path: '/v1/oauth2/:app',
  summary: 'Read an OAuth2 application',
  description:
    'Reads the settings of an OAuth2 application, the last errors, the number of accounts that use the application, and their use of the mail API.',
  responseDescription:
    'The OAuth2 application with the use of the mail API by all accounts of the application. Secrets are masked.',
  response: OAuth2AppRecord,
  errors: ['NotFound'],
})

export const updateOAuth2App = defineOperation({
  ...app.update,
  id: 'updateOAuth2App',
  path: '/v1/oauth2/:app',
  summary: 'Change an OAuth2 application',
  description:
    'Changes an OAuth2 application: the members that the request contains. Absent members keep their values, `false` and `null` remove a value. A masked secret (`******`) keeps the stored secret. The provider cannot be changed.',
  body: OAuth2AppUpdate,
  responseDescription:
    'Id of the OAuth2 application, with warnings about the settings of the application.',
  response: Type.Object({
    id,
    updated: Bool('Always true: a failed request gets an error response.'),
    warnings,
  }),
  errors: ['NotFound'],
})

export const deleteOAuth2App = defineOperation({
  ...app.delete,
  id: 'deleteOAuth2App',
  path: '/v1/oauth2/:app',
  summary: 'Delete an OAuth2 application',
  description:
    'Deletes an OAuth2 application with its secrets. Accounts that use the application remain, but their logins fail with `AppNotFound`.',
  responseDescription:
    'Id of the deleted OAuth2 application, and the number of accounts that used the application.',
  response: Type.Object({
    id,
    deleted: Bool('Always true: a failed request gets an error response.'),
    accounts: Int(
      'Number of accounts that used the deleted OAuth2 application. Logins of these accounts fail from now on.',
    ),
  }),
  errors: ['NotFound'],
})

export const checkOAuth2App = defineOperation({
  ...kinds.read,
  id: 'checkOAuth2App',
  method: 'post',
  path: '/v1/oauth2/:app/verify',
  summary: 'Test an OAuth2 application',
  description:
    'Tests the endpoints and the secret of an OAuth2 application. If the request names an account, the test also requests an access token for the account, and reports the state of its mailbox and its notifications. For applications that receive notifications of Gmail, the test also reports the state of Pub/Sub.',
  params,
  headers: Type.Object(timeoutHeader),
  optionalBody: true,
  body: Strict({
    account: Type.Optional(
      Text(
        'Id of the account whose access token the test of the OAuth2 application requests. For an application with a service account: email address of a mailbox user instead. If absent, no access token of a user is requested.',
        {
          minLength: 1,
          maxLength: 256,
        },
      ),
    ),
    testConnection: Type.Optional(
      Bool(
        'If true (default), the test reports the state of the mailbox of `account`. Without effect if `account` is absent.',
        { default: true },
      ),
    ),
  }),
  responseDescription: 'Result of each step in the test of the OAuth2 application.',
  response: Type.Object({
    app: id,
    provider,
    authMethod: Nullable(
      Text(
        'Authentication of a service account: `serviceKey` or `externalAccount`. Null for other applications.',
      ),
    ),
    account: Nullable(
      Text('Value of `account` in the request. Null if the request had no account.'),
    ),
    ok: Bool('True if no step of the test failed.'),
    failedStep: Nullable(
      Text(
        'Id of the first step that failed in the test of the OAuth2 application. Null if no step failed.',
      ),
    ),
    steps: Type.Array(OAuth2CheckStep, {
      description: 'Steps of the test of the OAuth2 application, in order.',
    }),
  }),
  errors: ['NotFound', 'Timeout'],
})

export const getPubSubStatus = defineOperation({
  id: 'getPubSubStatus',
  method: 'get',
  path: '/v1/pubsub/status',
  tag: 'OAuth2 applications',
  summary: 'Read the status of Pub/Sub',
  description:
    'Lists the OAuth2 applications that receive notifications of Gmail through Pub/Sub, with the last errors of each application.',
  scope: 'api',
  permission: { action: 'read', group: 'diagnostics' },
  query: Strict(pageQuery),
  responseDescription: 'One page of the applications that receive notifications of Gmail.',
  response: Type.Object({
    ...pageCounts,
    apps: Type.Array(PubSubStatusEntry, { description: 'OAuth2 applications of this page.' }),
  }),
})

export const getOAuthToken = defineOperation({
  id: 'getOAuthToken',
  method: 'get',
  path: '/v1/account/:account/oauth-token',
  tag: 'Account',
  summary: 'Get an access token of an account',
  description:
    'Returns an access token of the OAuth2 provider that is valid now. An expired access token is renewed first. Requires the setting `enableOAuthTokensApi`. For accounts of a service account, the response is a 400 with the code `UnsupportedOperation`, because the access token may open other mailboxes.',
  scope: 'api',
  permission: { action: 'read', group: 'admin' },
  params: Strict({ account: AccountId }),
  headers: Type.Object(timeoutHeader),
  responseDescription: 'Access token of the mail provider, with its expiry time.',
  response: Type.Object({
    account: Text('Id of the account.'),
    user: Text('Login name of the account at the mail provider.'),
    accessToken: Text(
      'Access token of the OAuth2 provider. The holder can read the mailbox: keep the access token secret.',
    ),
    provider,
    app: Type.Optional(id),
    registeredScopes: Type.Optional(
      Texts('Scopes of the access token, as granted by the provider. Absent if unknown.'),
    ),
    expires: Type.Optional(
      Text('Time at which the access token expires (ISO 8601). Absent if unknown.'),
    ),
    cached: Bool(
      'True if the access token was already stored, false if the access token was renewed for this request.',
    ),
  }),
  errors: [
    'ApiEndpointDisabled',
    'AppNotFound',
    'InvalidBaseScopes',
    'Timeout',
    'UnsupportedOperation',
  ],
})

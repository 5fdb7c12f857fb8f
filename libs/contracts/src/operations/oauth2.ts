import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import {
  OAuth2AppListEntry,
  OAuth2AppRecord,
  OAuth2AppRegistration,
  OAuth2AppUpdate,
  OAuth2CheckStep,
  oauth2Providers,
} from '../schemas/oauth2-app.ts'
import {
  AccountId,
  Nullable,
  OneOf,
  pageCounts,
  pageQuery,
  Strict,
  timeoutHeader,
} from '../schemas/primitives.ts'

const tag = 'OAuth2 applications'
const params = Strict({ app: Type.String({ minLength: 1, maxLength: 256 }) })

export const listOAuth2Apps = defineOperation({
  id: 'listOAuth2Apps',
  method: 'get',
  path: '/v1/oauth2',
  tag,
  summary: 'List OAuth2 applications',
  scope: 'api',
  permission: { action: 'read', group: 'admin' },
  query: Strict(pageQuery),
  response: Type.Object({ ...pageCounts, apps: Type.Array(OAuth2AppListEntry) }),
})

export const createOAuth2App = defineOperation({
  id: 'createOAuth2App',
  method: 'post',
  path: '/v1/oauth2',
  tag,
  summary: 'Register an OAuth2 application',
  description: 'Required members depend on the provider.',
  scope: 'api',
  permission: { action: 'write', group: 'admin' },
  body: OAuth2AppRegistration,
  response: Type.Object({ id: Type.String(), created: Type.Boolean() }),
})

export const getOAuth2App = defineOperation({
  id: 'getOAuth2App',
  method: 'get',
  path: '/v1/oauth2/:app',
  tag,
  summary: 'Read an OAuth2 application',
  scope: 'api',
  permission: { action: 'read', group: 'admin' },
  params,
  response: OAuth2AppRecord,
  errors: ['NotFound'],
})

export const updateOAuth2App = defineOperation({
  id: 'updateOAuth2App',
  method: 'put',
  path: '/v1/oauth2/:app',
  tag,
  summary: 'Change an OAuth2 application',
  description: 'A masked secret keeps the stored one. The provider cannot be changed.',
  scope: 'api',
  permission: { action: 'write', group: 'admin' },
  params,
  body: OAuth2AppUpdate,
  response: Type.Object({ id: Type.String(), updated: Type.Boolean() }),
  errors: ['NotFound'],
})

export const deleteOAuth2App = defineOperation({
  id: 'deleteOAuth2App',
  method: 'delete',
  path: '/v1/oauth2/:app',
  tag,
  summary: 'Delete an OAuth2 application',
  description:
    'Accounts that use the application remain, but their logins fail with `AppNotFound`.',
  scope: 'api',
  permission: { action: 'destructive', group: 'admin' },
  params,
  response: Type.Object({ id: Type.String(), deleted: Type.Boolean(), accounts: Type.Integer() }),
  errors: ['NotFound'],
})

export const checkOAuth2App = defineOperation({
  id: 'checkOAuth2App',
  method: 'post',
  path: '/v1/oauth2/:app/verify',
  tag,
  summary: 'Test an OAuth2 application',
  description:
    'Tests endpoints and secret. If an account is named, also requests an access token for it and reports the state of its mailbox.',
  scope: 'api',
  permission: { action: 'read', group: 'admin' },
  params,
  headers: Type.Object(timeoutHeader),
  optionalBody: true,
  body: Strict({
    account: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    testConnection: Type.Optional(Type.Boolean({ default: true })),
  }),
  response: Type.Object({
    app: Type.String(),
    provider: OneOf(oauth2Providers),
    authMethod: Nullable(Type.String()),
    account: Nullable(Type.String()),
    ok: Type.Boolean(),
    steps: Type.Array(OAuth2CheckStep),
  }),
  errors: ['NotFound', 'Timeout'],
})

export const getOAuthToken = defineOperation({
  id: 'getOAuthToken',
  method: 'get',
  path: '/v1/account/:account/oauth-token',
  tag: 'Account',
  summary: 'Get an access token of an account',
  description:
    'Access token that is valid now; it is renewed if necessary. Requires the setting `enableOAuthTokensApi`.',
  scope: 'api',
  permission: { action: 'read', group: 'admin' },
  params: Strict({ account: AccountId }),
  headers: Type.Object(timeoutHeader),
  response: Type.Object({
    account: Type.String(),
    user: Type.String(),
    accessToken: Type.String(),
    provider: OneOf(oauth2Providers),
    app: Type.Optional(Type.String()),
    registeredScopes: Type.Optional(Type.Array(Type.String())),
    expires: Type.Optional(Type.String()),
    cached: Type.Boolean(),
  }),
  errors: ['ApiEndpointDisabled', 'AppNotFound', 'InvalidBaseScopes', 'Timeout'],
})

import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { AccountId, Nullable, pageCounts, pageQuery, Strict } from '../schemas/primitives.ts'
import { TokenLogEntry, TokenRecord, TokenRequest } from '../schemas/token.ts'

const created = Type.Object({ token: Type.String(), id: Type.String() })
const write = { action: 'write', group: 'admin' } as const
const destroy = { action: 'destructive', group: 'admin' } as const
const read = { action: 'read', group: 'admin' } as const
const params = Strict({ token: Type.String({ minLength: 1, maxLength: 256 }) })
const tokens = Type.Array(TokenRecord)

export const createToken = defineOperation({
  id: 'createToken',
  method: 'post',
  path: '/v1/tokens',
  tag: 'Token',
  summary: 'Create an access token',
  description:
    'The response is the only place that shows the token: only its SHA-256 is stored. The restrictions cannot be wider than those of the calling token.',
  scope: 'api',
  permission: write,
  body: TokenRequest,
  response: created,
  errors: ['MintWidensRestrictions'],
})

/** Older path of createToken. */
export const createTokenAlias = defineOperation({
  ...createToken,
  id: 'createTokenAlias',
  path: '/v1/token',
  hidden: true,
})

export const deleteToken = defineOperation({
  id: 'deleteToken',
  method: 'delete',
  path: '/v1/tokens/:token',
  tag: 'Token',
  summary: 'Delete an access token by value or id',
  scope: 'api',
  permission: destroy,
  params,
  response: Type.Object({ deleted: Type.Boolean() }),
})

/** Older path of deleteToken. */
export const deleteTokenAlias = defineOperation({
  ...deleteToken,
  id: 'deleteTokenAlias',
  path: '/v1/token/:token',
  hidden: true,
})

export const listTokens = defineOperation({
  id: 'listTokens',
  method: 'get',
  path: '/v1/tokens',
  tag: 'Token',
  summary: 'List access tokens',
  description:
    'Sorted from newest to oldest. A token bound to an account must name that account, and lists the tokens bound to it.',
  scope: 'api',
  permission: read,
  boundBy: 'query',
  query: Strict({
    ...pageQuery,
    query: Type.Optional(
      Type.String({
        maxLength: 1024,
        description: 'Text contained in the id, the description or the account.',
      }),
    ),
    account: Type.Optional(AccountId),
  }),
  response: Type.Object({ account: Nullable(Type.String()), ...pageCounts, tokens }),
})

/** Older path of listTokens. Returns at most 1,000 tokens. */
export const listTokensAlias = defineOperation({
  id: 'listTokensAlias',
  method: 'get',
  path: '/v1/tokens/account/:account',
  tag: 'Token',
  summary: 'List access tokens of an account',
  scope: 'api',
  permission: read,
  params: Strict({ account: AccountId }),
  response: Type.Object({ tokens }),
  hidden: true,
})

export const getToken = defineOperation({
  id: 'getToken',
  method: 'get',
  path: '/v1/tokens/:token',
  tag: 'Token',
  summary: 'Read an access token by value or id',
  scope: 'api',
  permission: read,
  params,
  response: TokenRecord,
})

export const getTokenLog = defineOperation({
  id: 'getTokenLog',
  method: 'get',
  path: '/v1/tokens/:token/log',
  tag: 'Token',
  summary: 'Read the uses of an access token',
  description:
    'Sorted from newest to oldest. Empty unless the setting `tokenAuditLog` is on. The log of a deleted token remains available by its id during the retention period.',
  scope: 'api',
  permission: read,
  params,
  query: Strict({
    page: pageQuery.page,
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 20 })),
  }),
  response: Type.Object({
    token: Type.String(),
    ...pageCounts,
    entries: Type.Array(TokenLogEntry),
  }),
})

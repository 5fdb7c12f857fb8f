import { Type } from 'typebox'
import { defineOperation, operationKinds, resourceOperations } from '../define.ts'
import {
  AccountId,
  Bool,
  described,
  Int,
  Nullable,
  pageCounts,
  pageQuery,
  Strict,
  Text,
} from '../schemas/primitives.ts'
import { TokenLogEntry, TokenRecord, TokenRequest } from '../schemas/token.ts'

const kinds = operationKinds('Token', 'admin')
const created = Type.Object({
  token: Text('Value of the token.'),
  id: Text('SHA-256 of the value, hexadecimal.'),
})
const params = Strict({
  token: Text('Value or id of the token.', { minLength: 1, maxLength: 256 }),
})
const token = resourceOperations(kinds, params)
const tokens = Type.Array(TokenRecord, { description: 'Tokens of this page.' })

export const createToken = defineOperation({
  ...token.create,
  id: 'createToken',
  path: '/v1/tokens',
  summary: 'Create an access token',
  description:
    'The response is the only place that shows the token: only its SHA-256 is stored. The restrictions cannot be wider than those of the calling token.',
  body: TokenRequest,
  response: created,
  errors: ['MintWidensRestrictions'],
})

/** Operation createToken at a path that older clients use. */
export const createTokenAlias = defineOperation({
  ...createToken,
  id: 'createTokenAlias',
  path: '/v1/token',
})

export const deleteToken = defineOperation({
  ...token.delete,
  id: 'deleteToken',
  path: '/v1/tokens/:token',
  summary: 'Delete an access token by value or id',
  response: Type.Object({ deleted: Bool('False if the token does not exist.') }),
})

/** Operation deleteToken at a path that older clients use. */
export const deleteTokenAlias = defineOperation({
  ...deleteToken,
  id: 'deleteTokenAlias',
  path: '/v1/token/:token',
})

export const listTokens = defineOperation({
  ...token.list,
  id: 'listTokens',
  path: '/v1/tokens',
  summary: 'List access tokens',
  description:
    'Sorted from newest to oldest. A token bound to an account must name that account, and lists the tokens bound to it.',
  boundBy: 'query',
  query: Strict({
    ...pageQuery,
    query: Type.Optional(
      Text('Text contained in the id, the description or the account.', { maxLength: 1024 }),
    ),
    account: Type.Optional(described('Account the tokens are bound to.', AccountId)),
  }),
  response: Type.Object({
    account: Nullable(Text('Requested account. Null if none was named.')),
    ...pageCounts,
    tokens,
  }),
})

/** Operation listTokens at a path that older clients use. Returns at most 1,000 tokens. */
export const listTokensAlias = defineOperation({
  ...kinds.read,
  id: 'listTokensAlias',
  method: 'get',
  path: '/v1/tokens/account/:account',
  summary: 'List access tokens of an account',
  params: Strict({ account: AccountId }),
  response: Type.Object({ tokens }),
  hidden: true,
})

export const getToken = defineOperation({
  ...token.get,
  id: 'getToken',
  path: '/v1/tokens/:token',
  summary: 'Read an access token by value or id',
  response: TokenRecord,
})

export const getTokenLog = defineOperation({
  ...token.get,
  id: 'getTokenLog',
  path: '/v1/tokens/:token/log',
  summary: 'Read the uses of an access token',
  description:
    'Sorted from newest to oldest. Empty unless the setting `tokenAuditLog` is on. The log of a deleted token remains available by its id during the retention period.',
  query: Strict({
    page: pageQuery.page,
    pageSize: Type.Optional(Int('Entries per page.', { minimum: 1, maximum: 200, default: 20 })),
  }),
  response: Type.Object({
    token: Text('Id of the token.'),
    ...pageCounts,
    entries: Type.Array(TokenLogEntry, { description: 'Uses on this page.' }),
  }),
})

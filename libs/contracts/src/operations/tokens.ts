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
import { OperatorTokenRequest, TokenLogEntry, TokenRecord, TokenRequest } from '../schemas/token.ts'

const kinds = operationKinds('Token', 'admin')
const created = Type.Object({
  token: Text('Value of the access token, which requests send. The value is not shown again.'),
  id: Text('Id of the access token: SHA-256 of the value, hexadecimal.'),
})
const params = Strict({
  token: Text('Value or id (SHA-256 of the value) of the access token.', {
    minLength: 1,
    maxLength: 256,
  }),
})
const token = resourceOperations(kinds, params)
const tokens = Type.Array(TokenRecord, { description: 'Access tokens of this page, newest first.' })

export const createToken = defineOperation({
  ...token.create,
  id: 'createToken',
  path: '/v1/tokens',
  summary: 'Create an access token',
  description:
    'Creates an access token for the API, or for the IMAP and SMTP proxies. The response is the only place that shows the value of the token: only the SHA-256 of the value is stored. The new token cannot have more rights than the token that sends the request.',
  body: TokenRequest,
  responseDescription: 'Value and id of the new token.',
  response: created,
  errors: ['MintWidensRestrictions', 'MailReadingRequired', 'StepUpRequired'],
})

/** API operation createToken at a path that older clients use. */
export const createTokenAlias = defineOperation({
  ...createToken,
  id: 'createTokenAlias',
  path: '/v1/token',
  description:
    'Creates an access token, like `POST /v1/tokens`. The response is the only place that shows the value of the token: only the SHA-256 of the value is stored. The new token cannot have more rights than the token that sends the request.',
})

export const createOperatorToken = defineOperation({
  ...operationKinds('Token', 'admin', '*').write,
  id: 'createOperatorToken',
  method: 'post',
  path: '/admin/api/operatorTokens',
  summary: 'Create an access token with the scope `*`',
  description:
    'Creates an access token with the scope `*`, which may call every operation for all accounts: for scripts of operators. Only an owner at the administration pages may create such a token, after a recent factor. Requests with an access token are refused with the status 403. The response is the only place that shows the value of the token. `GET /v1/tokens` lists the token, and `DELETE /v1/tokens/{token}` deletes it.',
  body: OperatorTokenRequest,
  responseDescription: 'Value and id of the new token.',
  response: created,
  errors: ['StepUpRequired'],
})

export const deleteToken = defineOperation({
  ...token.delete,
  id: 'deleteToken',
  path: '/v1/tokens/:token',
  summary: 'Delete an access token by value or id',
  description:
    'Deletes an access token. Requests with the token fail within 1 second on all replicas. A token that does not exist is not an error.',
  responseDescription: 'Whether the access token existed.',
  response: Type.Object({
    deleted: Bool('True if the access token was deleted, false if the access token did not exist.'),
  }),
})

/** API operation deleteToken at a path that older clients use. */
export const deleteTokenAlias = defineOperation({
  ...deleteToken,
  id: 'deleteTokenAlias',
  path: '/v1/token/:token',
  description:
    'Deletes an access token, like `DELETE /v1/tokens/{token}`. Requests with the token fail within 1 second on all replicas. A token that does not exist is not an error.',
})

export const listTokens = defineOperation({
  ...token.list,
  id: 'listTokens',
  path: '/v1/tokens',
  summary: 'List access tokens',
  description:
    'Lists access tokens, sorted from newest to oldest. A token that is bound to an account must name that account, and lists only the tokens that are bound to the same account.',
  boundBy: 'query',
  query: Strict({
    ...pageQuery,
    query: Type.Optional(
      Text(
        'Text that the id, the description or the account of the listed tokens contains. If absent, all tokens are listed.',
        { maxLength: 1024 },
      ),
    ),
    account: Type.Optional(
      described(
        'Id of the account to which the listed tokens are bound. If absent, tokens of all accounts are listed.',
        AccountId,
      ),
    ),
  }),
  responseDescription: 'One page of the access tokens, newest first, without their values.',
  response: Type.Object({
    account: Nullable(Text('Id of the requested account. Null if the request had no account.')),
    ...pageCounts,
    tokens,
  }),
})

/** API operation listTokens at a path that older clients use. Returns at most 1,000 tokens. */
export const listTokensAlias = defineOperation({
  ...kinds.read,
  id: 'listTokensAlias',
  method: 'get',
  path: '/v1/tokens/account/:account',
  summary: 'List access tokens of an account',
  params: Strict({ account: AccountId }),
  responseDescription: 'Access tokens of the account, newest first.',
  response: Type.Object({ tokens }),
  hidden: true,
})

export const getToken = defineOperation({
  ...token.get,
  id: 'getToken',
  path: '/v1/tokens/:token',
  summary: 'Read an access token by value or id',
  description:
    'Reads the scopes, restrictions, permissions and last use of an access token. The path names the token by its value or by its id (SHA-256 of the value).',
  responseDescription: 'The access token with its rights and last use, without its value.',
  response: TokenRecord,
})

export const getTokenLog = defineOperation({
  ...token.get,
  id: 'getTokenLog',
  path: '/v1/tokens/:token/log',
  summary: 'Read the uses of an access token',
  description:
    'Lists the uses of an access token, sorted from newest to oldest: requests and proxy logins that were allowed or denied. The log is empty unless the setting `tokenAuditLog` is on. The log of a deleted token remains available by the id of the token for `SVC_TOKEN_LOG_AGE` (default 7 days) after the last use.',
  query: Strict({
    page: pageQuery.page,
    pageSize: Type.Optional(
      Int('Maximum number of entries per page. Defaults to 20.', {
        minimum: 1,
        maximum: 200,
        default: 20,
      }),
    ),
  }),
  responseDescription: 'One page of the uses of the token, newest first.',
  response: Type.Object({
    token: Text('Id of the access token.'),
    ...pageCounts,
    entries: Type.Array(TokenLogEntry, {
      description: 'Uses of the access token on this page, newest first.',
    }),
  }),
})

import type {
  CreateOperatorTokenInput,
  CreateTokenInput,
  ListTokensResult,
  TokenRecord,
} from '@posthorn/client'
import {
  createOperatorToken,
  createToken,
  deleteToken,
  listTokens,
} from '@posthorn/client/operations'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

export type { TokenRecord } from '@posthorn/client'
/** Request that creates an access token. */
export type TokenBody = CreateTokenInput['body']
/** Permissions record of an access token. */
export type TokenPermissions = NonNullable<TokenBody['permissions']>
/** Request that creates an access token for scripts of operators. */
export type OperatorTokenBody = CreateOperatorTokenInput['body']

/** Cache key of the access tokens. */
export const tokensKey = ['tokens'] as const

/** Loads a page of the list of access tokens, of one account or of all. */
export function useTokens(page: number, account: string | undefined): Load<ListTokensResult> {
  const input = { page, pageSize: 50, ...(account && { account }) }
  return useLoad([...tokensKey, input], () => listTokens(calls.api, input))
}

/**
 * Calls that create and delete access tokens. Only the result of a creation has the value of the
 * token.
 */
export const tokenActions = {
  create: (body: TokenBody) => createToken(calls.api, { body }),
  createForOperators: (body: OperatorTokenBody) => createOperatorToken(calls.api, { body }),
  remove: (token: TokenRecord['id']) => deleteToken(calls.api, { token }),
}

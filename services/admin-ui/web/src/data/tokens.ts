import type { CreateTokenInput, ListTokensResult, TokenRecord } from '@posthorn/client'
import { createToken, deleteToken, listTokens } from '@posthorn/client/operations'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

export type { TokenRecord } from '@posthorn/client'
export type TokenBody = CreateTokenInput['body']

export const tokensKey = ['tokens'] as const

export function useTokens(page: number, account: string | undefined): Load<ListTokensResult> {
  const input = { page, pageSize: 50, ...(account && { account }) }
  return useLoad([...tokensKey, input], () => listTokens(calls.api, input))
}

/** Changes of tokens. The value of a new token is in the result only. */
export const tokenActions = {
  create: (body: TokenBody) => createToken(calls.api, { body }),
  remove: (token: TokenRecord['id']) => deleteToken(calls.api, { token }),
}

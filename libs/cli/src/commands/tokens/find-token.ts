import type { ListTokensResult, Posthorn } from '@posthorn/client'
import { CommandError } from '../../exit-codes.ts'

export type ListedToken = ListTokensResult['tokens'][number]

/**
 * Number of characters of an access token's id that tables show. Commands accept the beginning of
 * an id.
 */
export const shownLength = 12

/**
 * Finds the access token whose id begins with a text. The value of a token does not select the
 * token.
 */
export async function findToken(
  client: Posthorn,
  text: string,
  signal: AbortSignal,
): Promise<ListedToken> {
  const matching: ListedToken[] = []
  for await (const token of client.listTokens.all({ query: text, pageSize: 1_000 }, { signal }))
    if (token.id.startsWith(text.toLowerCase())) matching.push(token)
  const [token, ...more] = matching
  if (!token)
    throw new CommandError(
      'no token has an id that begins so: see the ids in `posthorn tokens list`',
    )
  if (more.length > 0)
    throw new CommandError(
      `${matching.length} tokens have an id that begins so: pass more characters`,
    )
  return token
}

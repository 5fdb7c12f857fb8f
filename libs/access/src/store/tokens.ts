import type { Db, Tokens } from '@posthorn/db'
import type { TokenIds } from '@posthorn/secrets'
import { type Selectable, sql } from 'kysely'

// The database roles of the mail proxies cannot read the table `tokens`. The mail proxies call
// database functions that return the rows of the token ids they pass, so a proxy sees only tokens
// that a client has presented.

export type TokenRow = Pick<
  Selectable<Tokens>,
  'id' | 'account' | 'scopes' | 'restrictions' | 'permissions' | 'expiresAt'
>

const columns = ['id', 'account', 'scopes', 'restrictions', 'permissions', 'expiresAt'] as const
const selected = sql.join(columns.map((name) => sql.ref(name)))

/**
 * Returns the rows of the table `tokens` for the access tokens with the given ids. An id without a
 * token has no row.
 */
export async function listTokens(db: Db, ids: readonly string[]): Promise<TokenRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<TokenRow>`select ${selected}
    from tokens_by_id(${[...ids]}::text[])`.execute(db)
  return rows
}

/**
 * Finds the access token with a value by both ids of the value. Undefined if the token does not
 * exist.
 */
export async function findTokenByValue(
  db: Db,
  { own, imported }: TokenIds,
): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`select ${selected}
    from token_by_value(${own}, ${imported ?? null})`.execute(db)
  return rows[0]
}

/**
 * Records the time and the client address of an access token's use, at most once per minute and
 * token.
 */
export async function markTokenUsed(db: Db, id: string, address: string): Promise<void> {
  await sql`select mark_token_used(${id}, ${address})`.execute(db)
}

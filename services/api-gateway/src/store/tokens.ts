import type { Db, Tokens, Tx } from '@posthorn/db'
import { type Insertable, sql } from 'kysely'
import type { Token } from '../access/token.ts'

export interface TokenUse {
  token: string
  address: string
  at: Date
}

export function findToken(db: Db, id: string): Promise<Token | undefined> {
  return db
    .selectFrom('tokens')
    .select(['id', 'account', 'scopes', 'restrictions', 'permissions', 'expiresAt'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Stores a token; one that is there already is left as it is. */
export async function insertToken(db: Db | Tx, token: Insertable<Tokens>): Promise<void> {
  await db
    .insertInto('tokens')
    .values(token)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Deletes the token of any of these ids; says which there were. */
export async function deleteTokens(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db.deleteFrom('tokens').where('id', 'in', ids).returning('id').execute()
  return rows.map(({ id }) => id)
}

export async function hasTokens(tx: Tx): Promise<boolean> {
  const row = await tx.selectFrom('tokens').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}

/** Notes uses; a later one that another replica noted stays. */
export async function touchTokens(db: Db, uses: readonly TokenUse[]): Promise<void> {
  if (uses.length === 0) return
  await sql`
    update tokens set last_used_at = used.at, last_used_ip = used.ip
    from unnest(
      ${uses.map(({ token }) => token)}::text[], ${uses.map(({ address }) => address)}::text[],
      ${uses.map(({ at }) => at)}::timestamptz[]
    ) as used (id, ip, at)
    where tokens.id = used.id and (tokens.last_used_at is null or tokens.last_used_at < used.at)
  `.execute(db)
}

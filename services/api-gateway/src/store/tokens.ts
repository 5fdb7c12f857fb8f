import type { Db, Tokens, Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql } from 'kysely'
import type { Token } from '../access/token.ts'

export interface TokenUse {
  token: string
  address: string
  at: Date
}

/** The tokens of these ids, in their order; undefined where there is none. */
export async function findTokens(db: Db, ids: readonly string[]): Promise<(Token | undefined)[]> {
  const rows = await db
    .selectFrom('tokens')
    .select(['id', 'account', 'scopes', 'restrictions', 'permissions', 'expiresAt'])
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id))
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

export function tokenNotFound(): AppError {
  return new AppError('not-found', 'Token was not found')
}

const recordColumns = [
  'id',
  'account',
  'description',
  'metadata',
  'ip',
  'remoteAddress',
  'scopes',
  'restrictions',
  'permissions',
  'createdAt',
  'expiresAt',
  'lastUsedAt',
  'lastUsedIp',
] as const

/** The record of the token of any of these ids. */
export function findTokenRecord(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('tokens')
    .select(recordColumns)
    .where('id', 'in', ids)
    .limit(1)
    .executeTakeFirst()
}
export type TokenRecordRow = NonNullable<Awaited<ReturnType<typeof findTokenRecord>>>

export interface TokenFilter {
  account: string | undefined
  /** Part of the id, the description or the account. */
  query?: string | undefined
  page: number
  pageSize: number
}

/** One page of the tokens, newest first, and how many there are. */
export async function listTokenRecords(db: Db, { account, query, page, pageSize }: TokenFilter) {
  let matching = db.selectFrom('tokens')
  if (account !== undefined) matching = matching.where('account', '=', account)
  if (query) {
    const contains = (column: 'id' | 'description' | 'account') =>
      sql<boolean>`position(lower(${query}) in lower(${sql.ref(column)})) > 0`
    matching = matching.where((where) =>
      where.or([contains('id'), contains('description'), contains('account')]),
    )
  }
  const { total } = await matching
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  const rows = await matching
    .select(recordColumns)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(pageSize)
    .offset(page * pageSize)
    .execute()
  return { total, rows }
}

/** Removes tokens that ended a day ago: until then one can look up why a client is refused. */
export async function deleteExpiredTokens(db: Db): Promise<void> {
  await db
    .deleteFrom('tokens')
    .where('expiresAt', '<', sql<Date>`now() - interval '1 day'`)
    .execute()
}

export async function hasTokens(tx: Tx): Promise<boolean> {
  const row = await tx.selectFrom('tokens').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}

/** Notes uses; a later one that another replica noted stays. */
export async function markTokensUsed(db: Db, uses: readonly TokenUse[]): Promise<void> {
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

import type { Permissions, Restrictions } from '@posthorn/contracts/schemas/token'
import {
  type Db,
  type PageRequest,
  readPage,
  type Tables,
  type Tokens,
  type Tx,
} from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type TokenIds, tokenIds } from '@posthorn/secrets'
import { type Expression, type ExpressionBuilder, type Insertable, sql, type SqlBool } from 'kysely'
import { orAccountNotFound } from '../accounts/accounts.ts'

/** Access token as stored, without its value. */
export interface Token {
  readonly id: string
  /**
   * Only account that the access token may be used for; null if the token is not bound to an
   * account.
   */
  readonly account: string | null
  readonly scopes: readonly string[]
  readonly restrictions: Restrictions | null
  readonly permissions: Permissions | null
  readonly expiresAt: Date | null
}

export interface TokenUse {
  token: string
  address: string
  at: Date
}

/**
 * Finds access tokens by both ids of their values, in one query. The result has the order of the
 * values, with undefined for a missing token.
 */
export async function findTokens(
  db: Db,
  values: readonly TokenIds[],
): Promise<(Token | undefined)[]> {
  const ids = values.flatMap(({ own, imported }) =>
    imported === undefined ? own : [own, imported],
  )
  const rows = await db
    .selectFrom('tokens')
    .select(['id', 'account', 'scopes', 'restrictions', 'permissions', 'expiresAt', 'imported'])
    .where('id', '=', sql<string>`any(${ids}::text[])`)
    .execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  const ofKind = (id: string | undefined, imported: boolean) => {
    const row = byId.get(id ?? '')
    return row?.imported === imported ? row : undefined
  }
  return values.map(({ own, imported }) => ofKind(own, false) ?? ofKind(imported, true))
}

/**
 * Stores an access token. An existing token stays unchanged.
 *
 * @throws AppError `not-found` if the account is missing
 */
export async function insertToken(db: Db | Tx, token: Insertable<Tokens>): Promise<void> {
  const insert = db
    .insertInto('tokens')
    .values(token)
    .onConflict((conflict) => conflict.column('id').doNothing())
  await orAccountNotFound(insert.execute())
}

/**
 * Deletes the access tokens with a value or id. Returns the ids of the tokens that existed. Later
 * imports do not store the deleted tokens again.
 */
export async function deleteTokens(db: Db, valueOrId: string): Promise<string[]> {
  const rows = await db
    .with('deleted', (cte) =>
      cte.deleteFrom('tokens').where(isNamedBy(valueOrId)).returning(['id', 'imported']),
    )
    .with('noted', (cte) =>
      cte
        .insertInto('deletedTokenImports')
        .columns(['id'])
        .expression(cte.selectFrom('deleted').select('id').where('imported', '=', true))
        .onConflict((conflict) => conflict.doNothing()),
    )
    .selectFrom('deleted')
    .select('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Condition for the access tokens that have a text as value or id. */
function isNamedBy(valueOrId: string) {
  const { own, imported = null } = tokenIds(valueOrId)
  return (where: ExpressionBuilder<Tables, 'tokens'>): Expression<SqlBool> =>
    where.or([
      where('id', '=', valueOrId),
      where.and([where('id', '=', own), where('imported', '=', false)]),
      where.and([where('id', '=', sql<string>`${imported}`), where('imported', '=', true)]),
    ])
}

export function tokenNotFound(): AppError {
  return new AppError('not-found', 'Token was not found')
}

function tokenRecords(db: Db) {
  return db
    .selectFrom('tokens')
    .select(['id', 'account', 'description', 'metadata', 'ip', 'remoteAddress', 'scopes'])
    .select(['restrictions', 'permissions', 'createdAt', 'expiresAt', 'lastUsedAt', 'lastUsedIp'])
    .select('imported')
}

/**
 * Finds the record of an access token by value or id. Of two tokens with the same value, the token
 * that was not imported is valid.
 */
export function findTokenRecord(db: Db, valueOrId: string) {
  return tokenRecords(db)
    .where(isNamedBy(valueOrId))
    .orderBy('imported')
    .limit(1)
    .executeTakeFirst()
}
export type TokenRecordRow = NonNullable<Awaited<ReturnType<typeof findTokenRecord>>>

export interface TokenFilter extends PageRequest {
  account: string | undefined
  /** Text to search for in the id, the description and the account of an access token. */
  query?: string | undefined
}

/**
 * One page of the access tokens that match a filter, newest first, and the number of all matching
 * tokens.
 */
export function listTokenRecords(db: Db, { account, query, ...page }: TokenFilter) {
  let matching = tokenRecords(db)
  if (account !== undefined) matching = matching.where('account', '=', account)
  if (query) {
    const contains = (column: 'id' | 'description' | 'account') =>
      sql<boolean>`position(lower(${query}) in lower(${sql.ref(column)})) > 0`
    matching = matching.where((where) =>
      where.or([contains('id'), contains('description'), contains('account')]),
    )
  }
  return readPage(matching.orderBy('createdAt', 'desc').orderBy('id'), page)
}

/**
 * Deletes access tokens 24 h after their expiry. Until then, the record and the log of a token show
 * why its client is rejected.
 */
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

/**
 * Records the last uses of access tokens. Does not overwrite a later use that another replica
 * recorded.
 */
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

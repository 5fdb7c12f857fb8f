import type { Permissions, Restrictions } from '@posthorn/contracts/schemas/token'
import type { TokenImportResult } from '@posthorn/contracts/schemas/token-import'
import type { Tx } from '@posthorn/db'
import { sql } from 'kysely'

/** Access token of EmailEngine that is to be stored. */
export interface TokenToImport {
  readonly id: string
  readonly account: string | null
  readonly scopes: readonly string[]
  readonly description: string | null
  readonly metadata: string | null
  readonly restrictions: Restrictions | null
  readonly permissions: Permissions | null
  readonly ip: string | null
  readonly remoteAddress: string | null
  /** Time at which the access token was created. Null for the time of the import. */
  readonly createdAt: Date | null
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly lastUsedIp: string | null
}

type SkipReason = TokenImportResult['skipped'][number]['reason']

/**
 * Stores access tokens of EmailEngine, marked as imported. Tokens that exist stay unchanged,
 * including their last use. Tokens that were deleted after an earlier import are not stored again.
 */
export async function storeImportedTokens(
  tx: Tx,
  tokens: readonly TokenToImport[],
): Promise<TokenImportResult> {
  const accounts = await lockExistingAccounts(tx, tokens)
  const reasons = new Map<string, SkipReason>()
  const candidates = tokens.filter(({ id, account, expiresAt }) => {
    if (account !== null && !accounts.has(account)) reasons.set(id, 'unknown-account')
    else if (expiresAt && expiresAt.getTime() <= Date.now()) reasons.set(id, 'expired')
    return !reasons.has(id)
  })
  const inserted = await insertImported(tx, candidates)
  const removed = await removeDeleted(tx, [...inserted])
  for (const id of removed) reasons.set(id, 'deleted-here')
  const existing = candidates.filter(({ id }) => !inserted.has(id)).map(({ id }) => id)
  const own = await findOwn(tx, existing)
  for (const id of own) reasons.set(id, 'created-here')
  const skipped = tokens.flatMap(({ id }) => {
    const reason = reasons.get(id)
    return reason === undefined ? [] : [{ id, reason }]
  })
  const imported = inserted.size - removed.length
  return { imported, unchanged: existing.length - own.length, skipped }
}

/**
 * Returns which accounts of the imported access tokens exist. Locks these accounts until the end of
 * the transaction, so that they are not deleted meanwhile.
 */
async function lockExistingAccounts(tx: Tx, tokens: readonly TokenToImport[]) {
  const named = [...new Set(tokens.flatMap(({ account }) => account ?? []))]
  if (named.length === 0) return new Set<string>()
  // The accounts are locked in a fixed order, so that concurrent imports do not deadlock.
  const rows = await tx
    .selectFrom('accounts')
    .select('account')
    .where('account', '=', sql<string>`any(${named}::text[])`)
    .orderBy('account')
    .forKeyShare()
    .execute()
  return new Set(rows.map(({ account }) => account))
}

/** Inserts access tokens whose ids are free. Returns the ids of the inserted tokens. */
async function insertImported(tx: Tx, tokens: readonly TokenToImport[]): Promise<Set<string>> {
  if (tokens.length === 0) return new Set()
  // The rows of access tokens have snake_case names, because Postgres reads their members as
  // columns.
  const rows = tokens.map((token) => {
    const { remoteAddress, createdAt, expiresAt, lastUsedAt, lastUsedIp, ...columns } = token
    return {
      ...columns,
      remote_address: remoteAddress,
      created_at: createdAt,
      expires_at: expiresAt,
      last_used_at: lastUsedAt,
      last_used_ip: lastUsedIp,
    }
  })
  const { rows: inserted } = await sql<{ id: string }>`
    insert into tokens (id, account, scopes, description, metadata, restrictions, permissions, ip,
      remote_address, created_at, expires_at, last_used_at, last_used_ip, imported)
    select id, account, scopes, description, metadata, restrictions, permissions, ip,
      remote_address, coalesce(created_at, now()), expires_at, last_used_at, last_used_ip, true
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (
      id text, account text, scopes text[], description text, metadata text, restrictions jsonb,
      permissions jsonb, ip text, remote_address text, created_at timestamptz,
      expires_at timestamptz, last_used_at timestamptz, last_used_ip text
    ) order by id
    on conflict (id) do nothing returning id
  `.execute(tx)
  return new Set(inserted.map(({ id }) => id))
}

/**
 * Removes inserted access tokens that were deleted by the API after an earlier import. Runs after
 * the insert, which waits for a deletion in progress.
 */
async function removeDeleted(tx: Tx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await tx
    .deleteFrom('tokens')
    .using('deletedTokenImports')
    .whereRef('deletedTokenImports.id', '=', 'tokens.id')
    .where('tokens.id', '=', sql<string>`any(${[...ids]}::text[])`)
    .returning('tokens.id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns the ids of those access tokens that exist and were not imported. */
async function findOwn(tx: Tx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await tx
    .selectFrom('tokens')
    .select('id')
    .where('id', '=', sql<string>`any(${[...ids]}::text[])`)
    .where('imported', '=', false)
    .execute()
  return rows.map(({ id }) => id)
}

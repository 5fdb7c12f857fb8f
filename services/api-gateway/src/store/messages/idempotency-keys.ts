import { createHash, type Hash } from 'node:crypto'
import { fieldError } from '@posthorn/contracts/describe-error'
import { validationError } from '@posthorn/contracts/validate'
import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { orAccountNotFound } from '../accounts/accounts.ts'

/** Identity of an API request that must take effect only once. */
export interface IdempotencyKey {
  account: string
  key: string
  /** SHA-256 hash of the API request's content. */
  requestHash: Buffer
}

interface KeyedRequest {
  params: { account: string }
  headers: { 'idempotency-key'?: string }
  query?: unknown
  body: unknown
}

/**
 * Identity of an API request: header `Idempotency-Key`, and hash of the content. Undefined without
 * the header.
 */
export function idempotencyKeyOf(operation: string, request: KeyedRequest) {
  const { params, headers, query = {}, body } = request
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  const hash = createHash('sha256')
  updateHash(hash, [operation, params, query, body])
  return { account: params.account, key, requestHash: hash.digest() }
}

/**
 * Adds a value of an API request to the hash of its content, so that different values give
 * different hashes. The order of object members does not matter.
 */
function updateHash(hash: Hash, value: unknown): void {
  if (typeof value === 'string') {
    hash.update(`s${value.length}:`)
    hash.update(value)
  } else if (Array.isArray(value)) {
    hash.update(`a${value.length}:`)
    for (const item of value) updateHash(hash, item)
  } else if (value !== null && typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
    hash.update(`o${members.length}:`)
    for (const member of members) updateHash(hash, member)
  } else {
    hash.update(`v${String(value)};`)
  }
}

/** SQL condition: true for an idempotency key of the last 24 h. Older keys are invalid. */
export const isValidKey = sql<boolean>`(idempotency_keys.created_at > now() - interval '24 hours')`

/**
 * Finds the response to an earlier API request with the same idempotency key.
 *
 * @throws AppError `invalid` if the earlier request was different
 */
export async function findIdempotentResponse<T>(
  db: Db | Tx,
  { account, key, requestHash }: IdempotencyKey,
): Promise<T | undefined> {
  const row = await db
    .selectFrom('idempotencyKeys')
    .select(['requestHash', 'response'])
    .where('account', '=', account)
    .where('key', '=', key)
    .where(isValidKey)
    .executeTakeFirst()
  if (!row) return undefined
  if (!row.requestHash.equals(requestHash))
    throw validationError([fieldError('idempotency-key', 'was used for another request')])
  return row.response as T
}

/**
 * Runs the work of an API request and stores its response, in one transaction. Concurrent requests
 * with the same idempotency key wait for the transaction and get the same response. If the work
 * fails, the work of the next waiting request runs.
 *
 * @throws AppError `not-found` if the account is missing
 */
export function runIdempotent<T>(
  db: Db,
  idempotencyKey: IdempotencyKey,
  work: (tx: Tx) => Promise<T>,
): Promise<{ response: T; isNew: boolean }> {
  const { account, key } = idempotencyKey
  const transaction = db.transaction().execute(async (tx) => {
    if (!(await insertKey(tx, idempotencyKey))) {
      const earlier = await findIdempotentResponse<T>(tx, idempotencyKey)
      if (earlier === undefined) throw new Error('idempotency key was deleted concurrently')
      return { response: earlier, isNew: false }
    }
    const response = await work(tx)
    await tx
      .updateTable('idempotencyKeys')
      .set({ response: JSON.stringify(response) })
      .where('account', '=', account)
      .where('key', '=', key)
      .execute()
    return { response, isNew: true }
  })
  return orAccountNotFound(transaction)
}

/**
 * Inserts an idempotency key or replaces an expired key. Waits for the end of a transaction that
 * inserts the same key.
 */
async function insertKey(tx: Tx, { account, key, requestHash }: IdempotencyKey): Promise<boolean> {
  const row = await tx
    .insertInto('idempotencyKeys')
    .values({ account, key, requestHash, response: 'null' })
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'key'])
        .doUpdateSet({ requestHash, response: 'null', createdAt: sql<Date>`now()` })
        .where(sql<boolean>`not ${isValidKey}`),
    )
    .returning('key')
    .executeTakeFirst()
  return row !== undefined
}

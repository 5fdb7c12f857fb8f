import { fieldError, validationError } from '@posthorn/contracts'
import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { accountNotFound } from './accounts.ts'
import { foreignKeyViolation, sqlState } from './database-errors.ts'

/** A request that is to be carried out once. */
export interface IdempotencyKey {
  account: string
  key: string
  /** SHA-256 of what was asked for. */
  requestHash: Buffer
}

/** For so long a request is remembered. */
const isRemembered = sql<boolean>`(idempotency_keys.created_at > now() - interval '24 hours')`

/**
 * The answer that the request was given before; undefined where it is new.
 *
 * @throws AppError `invalid` where another request came with the key
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
    .where(isRemembered)
    .executeTakeFirst()
  if (!row) return undefined
  if (!row.requestHash.equals(requestHash))
    throw validationError([fieldError('idempotency-key', 'was used for another request')])
  return row.response as T
}

/**
 * Carries work out and remembers its answer, both or neither. Of several with the same key one works; the others wait for it here and
 * get its answer, or, where it fails, the next one works.
 */
export async function runIdempotent<T>(
  db: Db,
  once: IdempotencyKey,
  work: (tx: Tx) => Promise<T>,
): Promise<{ answer: T; isNew: boolean }> {
  try {
    return await db.transaction().execute(async (tx) => {
      if (!(await claim(tx, once))) {
        const known = await findIdempotentResponse<T>(tx, once)
        if (known === undefined) throw new Error('the key was removed meanwhile')
        return { answer: known, isNew: false }
      }
      const answer = await work(tx)
      await tx
        .updateTable('idempotencyKeys')
        .set({ response: JSON.stringify(answer) })
        .where('account', '=', once.account)
        .where('key', '=', once.key)
        .execute()
      return { answer, isNew: true }
    })
  } catch (error) {
    // Deleted since we looked.
    throw sqlState(error) === foreignKeyViolation ? accountNotFound() : error
  }
}

/** Takes the key, or the place of one that is forgotten; waits for whoever is about to. */
async function claim(tx: Tx, { account, key, requestHash }: IdempotencyKey): Promise<boolean> {
  const row = await tx
    .insertInto('idempotencyKeys')
    .values({ account, key, requestHash, response: 'null' })
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'key'])
        .doUpdateSet({ requestHash, response: 'null', createdAt: sql<Date>`now()` })
        .where(sql<boolean>`not ${isRemembered}`),
    )
    .returning('key')
    .executeTakeFirst()
  return row !== undefined
}

/** Forgets what is older than a day. */
export async function deleteExpiredKeys(db: Db): Promise<void> {
  await db
    .deleteFrom('idempotencyKeys')
    .where(sql<boolean>`not ${isRemembered}`)
    .execute()
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Db, Outbox, Tx } from '@posthorn/db'
import { type Insertable, sql } from 'kysely'

export type NewSubmission = Insertable<Outbox>

/** A key under which a message is taken once, and a hash of what belongs to it. */
export interface Idempotency {
  key: string
  hash: Buffer
  /** What a repeat is answered. */
  response: StoredResponse
}

export interface StoredResponse {
  response: string
  messageId: string
  sendAt: string
  queueId: string
}

/** Repeated: what the first one was answered. Mismatch: the key stands for another message. Gone: there is no such account any more. */
export type Stored =
  | { result: 'stored' }
  | { result: 'repeated'; response: StoredResponse }
  | { result: 'mismatch' }
  | { result: 'gone' }

const attempts = 3
const foreignKeyViolation = '23503'

/** What Postgres will answer again: bad data, broken constraints (class 22, 23), missing rights and tables (42). */
function isFinal(code: string): boolean {
  return /^(?:22|23|42)/.test(code)
}

/**
 * Puts a message into the outbox; it is promised to be sent from the moment this resolves. Where a connection broke, it may have been
 * stored without our knowing: it is tried again under the same id, so that there is never a second one.
 */
export async function storeSubmission(
  db: Db,
  submission: NewSubmission,
  idempotency?: Idempotency,
): Promise<Stored> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (!idempotency) {
        await insert(db, submission)
        return { result: 'stored' }
      }
      return await db.transaction().execute((tx) => insertOnce(tx, submission, idempotency))
    } catch (error) {
      const { code = '' } = error as { code?: string }
      // The account was removed since we looked.
      if (code === foreignKeyViolation) return { result: 'gone' }
      if (attempt === attempts || isFinal(code)) throw error
      await delay(200 * attempt)
    }
  }
}

async function insert(db: Db | Tx, submission: NewSubmission): Promise<void> {
  await db
    .insertInto('outbox')
    .values(submission)
    .onConflict((conflict) => conflict.column('queueId').doNothing())
    .execute()
}

/** The row of the key is what two that come at once wait for each other at: the second finds what the first has left. */
async function insertOnce(
  tx: Tx,
  submission: NewSubmission,
  { key, hash, response }: Idempotency,
): Promise<Stored> {
  const { account } = submission
  await tx
    .deleteFrom('idempotencyKeys')
    .where('account', '=', account)
    .where('key', '=', key)
    .where(sql<boolean>`created_at < now() - interval '24 hours'`)
    .execute()
  const [fresh] = await tx
    .insertInto('idempotencyKeys')
    .values({ account, key, requestHash: hash, response: JSON.stringify(response) })
    .onConflict((conflict) => conflict.columns(['account', 'key']).doNothing())
    .returning('key')
    .execute()
  if (fresh) {
    await insert(tx, submission)
    return { result: 'stored' }
  }
  const known = await tx
    .selectFrom('idempotencyKeys')
    .select(['requestHash', 'response'])
    .where('account', '=', account)
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  return known.requestHash.equals(hash)
    ? { result: 'repeated', response: known.response as StoredResponse }
    : { result: 'mismatch' }
}

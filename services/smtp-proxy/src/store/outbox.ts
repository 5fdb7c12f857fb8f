import type { Db, Outbox, Tx } from '@posthorn/db'
import { retryUntil } from '@posthorn/flow'
import { type Insertable, sql } from 'kysely'

export type NewSubmission = Insertable<Outbox>

/** Idempotency key of a submission and hash of the submission's envelope. */
export interface Idempotency {
  key: string
  hash: Buffer
  /** Response to a repeated submission with the same idempotency key. */
  response: StoredResponse
}

export interface StoredResponse {
  response: string
  messageId: string
  sendAt: string
  queueId: string
}

/**
 * Result of storing a submission. `repeated`: the idempotency key was used for this envelope.
 * `mismatch`: the key was used for another envelope. `deleted`: the account was deleted.
 */
export type StoreResult =
  | { result: 'stored' }
  | { result: 'repeated'; response: StoredResponse }
  | { result: 'mismatch' }
  | { result: 'deleted' }

const foreignKeyViolation = '23503'

/**
 * True for errors of Postgres that a retry cannot avoid: data and constraints (class 22, 23),
 * grants (42).
 */
function isPermanent(error: unknown): boolean {
  return /^(?:22|23|42)/.test(codeOf(error))
}

function codeOf(error: unknown): string {
  const { code = '' } = error as { code?: string }
  return code
}

/**
 * Inserts a submission into the outbox. The submission is committed when the promise resolves.
 * After a lost connection the outcome is unknown, so retries use the same queue id and never insert
 * a second row.
 */
export async function storeSubmission(
  db: Db,
  submission: NewSubmission,
  idempotency?: Idempotency,
): Promise<StoreResult> {
  try {
    return await retryUntil(
      async () => {
        if (idempotency)
          return db.transaction().execute((tx) => insertOnce(tx, submission, idempotency))
        await insert(db, submission)
        return { result: 'stored' } as const
      },
      {
        maxAttempts: 3,
        delayMs: (attempt) => 200 * attempt,
        isRetryable: (error) => !isPermanent(error),
      },
    )
  } catch (error) {
    // Reports an account that was deleted after it was read, so that the submission was not
    // inserted.
    if (codeOf(error) === foreignKeyViolation) return { result: 'deleted' }
    throw error
  }
}

async function insert(db: Db | Tx, submission: NewSubmission): Promise<void> {
  await db
    .insertInto('outbox')
    .values(submission)
    .onConflict((conflict) => conflict.column('queueId').doNothing())
    .execute()
}

/**
 * Inserts a submission once per idempotency key. Concurrent submissions with the same key wait for
 * the row of the key: the second submission reads the response of the first submission.
 */
async function insertOnce(
  tx: Tx,
  submission: NewSubmission,
  { key, hash, response }: Idempotency,
): Promise<StoreResult> {
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
  const earlier = await tx
    .selectFrom('idempotencyKeys')
    .select(['requestHash', 'response'])
    .where('account', '=', account)
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  return earlier.requestHash.equals(hash)
    ? { result: 'repeated', response: earlier.response as StoredResponse }
    : { result: 'mismatch' }
}

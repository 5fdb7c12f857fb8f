import type { Db, Filing } from '@posthorn/db'
import { sql } from 'kysely'
import { inMs } from './outbox.ts'

/** Sent message with mailbox work left. */
export interface DueFiling {
  queueId: string
  account: string
  /** Message-ID in the MIME bytes, even if the server assigned another. */
  messageId: string
  filing: Filing | null
  /** Fencing token: rises with every claim. */
  attempt: number
  /** Time since the message was sent. */
  ageMs: number
}

export interface FilingClaimOptions {
  limit: number
  leaseMs: number
  /** Accounts whose filings are in progress here. */
  except: readonly string[]
}

/** Claims due filings for `leaseMs`, oldest first. */
export async function claimFilings(
  db: Db,
  { limit, leaseMs, except }: FilingClaimOptions,
): Promise<DueFiling[]> {
  const { rows } = await sql<DueFiling>`
    with due as materialized (
      select queue_id from outbox
      where filing_next_at <= now() and account <> all(${sql.val(except)}::text[])
      order by filing_next_at limit ${limit} for update skip locked
    )
    update outbox set filing_attempts = filing_attempts + 1, filing_next_at = ${inMs(leaseMs)}
    from due where outbox.queue_id = due.queue_id
    returning outbox.queue_id as "queueId", account,
      coalesce(original_message_id, message_id) as "messageId", filing,
      filing_attempts as attempt,
      (extract(epoch from now() - finished_at) * 1000)::double precision as "ageMs"
  `.execute(db)
  return rows
}

type FilingClaim = Pick<DueFiling, 'queueId' | 'attempt'>

/** Ends the mailbox work and deletes the MIME bytes. `error` lists the parts that failed. */
export async function endFiling(
  db: Db,
  { queueId, attempt }: FilingClaim,
  error: string | null,
): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ filingNextAt: null, filingError: error, mime: null })
    .where('queueId', '=', queueId)
    .where('filingAttempts', '=', attempt)
    .execute()
}

/** Schedules the next try. `counted` is false if the mailbox was not contacted. */
export async function postponeFiling(
  db: Db,
  { queueId, attempt }: FilingClaim,
  { delayMs, error, counted }: { delayMs: number; error: string; counted: boolean },
): Promise<void> {
  await db
    .updateTable('outbox')
    .set({
      filingNextAt: inMs(delayMs),
      filingError: error,
      ...(counted ? {} : { filingAttempts: attempt - 1 }),
    })
    .where('queueId', '=', queueId)
    .where('filingAttempts', '=', attempt)
    .where('filingNextAt', 'is not', null)
    .execute()
}

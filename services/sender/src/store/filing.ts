import type { Db, Filing } from '@posthorn/db'
import { sql } from 'kysely'

/** A message that was sent, and what is left to do in its account's mailbox. */
export interface DueFiling {
  queueId: string
  account: string
  /** The one in its bytes, whatever the server made of it. */
  messageId: string
  filing: Filing | null
  /** This one included: whoever claims it next has another number. */
  attempt: number
  /** Since the message was sent. */
  ageMs: number
}

export interface ClaimFilings {
  limit: number
  leaseMs: number
  /** Accounts that are seen to already. */
  except: readonly string[]
}

/** Takes messages to file, longest waiting first, and hides them from other senders until the lease ends. */
export async function claimFilings(
  db: Db,
  { limit, leaseMs, except }: ClaimFilings,
): Promise<DueFiling[]> {
  const { rows } = await sql<DueFiling>`
    with due as materialized (
      select queue_id from outbox
      where filing_next_at <= now() and account <> all(${sql.val(except)}::text[])
      order by filing_next_at limit ${limit} for update skip locked
    )
    update outbox set filing_attempts = filing_attempts + 1, filing_next_at = now() + make_interval(secs => ${leaseMs / 1_000})
    from due where outbox.queue_id = due.queue_id
    returning outbox.queue_id as "queueId", account, coalesce(original_message_id, message_id) as "messageId", filing, filing_attempts as attempt,
      (extract(epoch from now() - finished_at) * 1000)::double precision as "ageMs"
  `.execute(db)
  return rows
}

type Claimed = Pick<DueFiling, 'queueId' | 'attempt'>

/** Nothing is left to do, or to be tried: the bytes go. `told`: what could not be done. */
export async function endFiling(
  db: Db,
  { queueId, attempt }: Claimed,
  told: string | null,
): Promise<void> {
  await db
    .updateTable('outbox')
    .set({ filingNextAt: null, filingError: told, mime: null })
    .where('queueId', '=', queueId)
    .where('filingAttempts', '=', attempt)
    .execute()
}

/** To be tried again after a while. `counted`: whether it was tried at all. */
export async function postponeFiling(
  db: Db,
  { queueId, attempt }: Claimed,
  { delayMs, error, counted }: { delayMs: number; error: string; counted: boolean },
): Promise<void> {
  await db
    .updateTable('outbox')
    .set({
      filingNextAt: sql<Date>`now() + make_interval(secs => ${delayMs / 1_000})`,
      filingError: error,
      ...(counted ? {} : { filingAttempts: attempt - 1 }),
    })
    .where('queueId', '=', queueId)
    .where('filingAttempts', '=', attempt)
    .where('filingNextAt', 'is not', null)
    .execute()
}

/** How many messages wait to be filed, counted up to 10,000. */
export async function countFilings(db: Db): Promise<number> {
  const { rows } = await sql<{ due: number }>`
    select count(*)::int as due from (select from outbox where filing_next_at is not null limit 10000) as o
  `.execute(db)
  return rows[0]?.due ?? 0
}

import {
  type Db,
  type Filing,
  type NetworkRouting,
  type NewEvent,
  type OutboxError,
  recordEvents,
  type RecordedEvent,
  type Tx,
} from '@posthorn/db'
import { sql } from 'kysely'
import { countUses } from './gateway-states.ts'
import { type OutboxLease, leasedRows, type Submission } from './outbox.ts'

/** What an attempt came to. Events are made once the row is ours for sure, from when the next attempt will be. */
export type AttemptOutcome = { routing?: NetworkRouting | undefined } & (
  | SentOutcome
  /** Some recipients have it, the server wants to see the others later. */
  | {
      state: 'partly'
      response: string
      remaining: string[]
      failure: OutboxError
      delayMs: number
    }
  /** As many recipients have it as the server takes at once: the others are next. */
  | { state: 'rest'; response: string; remaining: string[] }
  /** `inDoubt`: the server may have taken the message. */
  | { state: 'retry'; failure: OutboxError; delayMs: number; inDoubt: boolean }
  | { state: 'failed'; failure: OutboxError; inDoubt: boolean }
)

export interface SentOutcome {
  state: 'sent'
  response: string
  /** The Message-ID that the server says it passes the message on with. */
  serverMessageId?: string | undefined
  routing?: NetworkRouting | undefined
}

export interface OutcomeOptions {
  serviceUrl: string | null
  /** What is to be done in the mailbox of a message that some recipients have, once there are no more attempts. */
  filing: Filing | null
  events: (nextAttempt: Date | undefined) => NewEvent[]
}

/**
 * Records what became of an attempt, with its events, in one transaction. Undefined when the row is not ours any more (or gone, with
 * its account): then nothing is recorded.
 */
export function recordOutcome(
  db: Db,
  submission: Submission,
  { outcome, serviceUrl, filing, events }: OutcomeOptions & { outcome: AttemptOutcome },
): Promise<RecordedEvent[] | undefined> {
  return db.transaction().execute(async (tx) => {
    const row = await updateRow(tx, submission, { outcome, filing })
    if (!row) return undefined
    await countUses(tx, [{ submission, outcome }])
    return recordEvents(
      tx,
      events(row.state === 'queued' ? row.nextAttemptAt : undefined),
      serviceUrl,
    )
  })
}

/** A message that a server took, with what the world is told. */
export interface Sent {
  submission: Submission
  outcome: SentOutcome
  /** What is to be done in the mailbox: the bytes are kept until it is. */
  filing: Filing | null
  events: NewEvent[]
}

/** The same for messages that are done with, several in one transaction. Says which were ours still; the others have no events. */
export function recordSent(
  db: Db,
  sent: Sent[],
  serviceUrl: string | null,
): Promise<{ held: Set<string>; recorded: RecordedEvent[] }> {
  const queueIds = sent.map(({ submission }) => submission.queueId)
  const filings = sent.map(({ filing }) => filing && JSON.stringify(filing))
  const column = <T>(pick: (outcome: SentOutcome) => T) =>
    sql.val(sent.map(({ outcome }) => pick(outcome)))
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ queueId: string }>`
      with mine as (${leasedRows(sent.map(({ submission }) => submission))})
      update outbox set state = 'sent', response = told.response, network_routing = told.routing::jsonb,
        message_id = coalesce(told.message_id, outbox.message_id),
        original_message_id = case when told.message_id <> outbox.message_id then outbox.message_id end,
        finished_at = now(), worker = null, lease_until = null,
        mime = case when told.filing is not null then mime end, filing = told.filing::jsonb,
        filing_next_at = case when told.filing is not null then now() end
      from mine join unnest(${sql.val(queueIds)}::text[], ${column(({ response }) => response)}::text[],
        ${column(({ serverMessageId }) => serverMessageId ?? null)}::text[],
        ${column(({ routing }) => (routing ? JSON.stringify(routing) : null))}::text[], ${sql.val(filings)}::text[])
        as told (queue_id, response, message_id, routing, filing) using (queue_id)
      where outbox.queue_id = mine.queue_id returning outbox.queue_id as "queueId"`.execute(tx)
    const held = new Set(rows.map(({ queueId }) => queueId))
    const ours = sent.filter(({ submission }) => held.has(submission.queueId))
    await countUses(tx, ours)
    const events = ours.flatMap(({ events }) => events)
    return { held, recorded: await recordEvents(tx, events, serviceUrl) }
  })
}

interface Change {
  outcome: AttemptOutcome
  filing: Filing | null
}

function updateRow(tx: Tx, submission: Submission, { outcome, filing }: Change) {
  return tx
    .updateTable('outbox')
    .set({
      worker: null,
      leaseUntil: null,
      networkRouting: outcome.routing ? JSON.stringify(outcome.routing) : null,
      ...changes(submission, { outcome, filing }),
    })
    .where('queueId', '=', submission.queueId)
    .where('worker', '=', submission.worker)
    .where('attempts', '=', submission.attempt)
    .where('state', '=', 'queued')
    .returning(['state', 'nextAttemptAt'])
    .executeTakeFirst()
}

/** Of this attempt: it was refused, or ended before the dot. */
const noDoubt = { dataSentAt: null }

function changes({ envelope, maybeSent, partlySent }: Submission, { outcome, filing }: Change) {
  const finished = { finishedAt: sql<Date>`now()`, mime: null }
  switch (outcome.state) {
    case 'sent':
      return { state: 'sent' as const, response: outcome.response, ...finished }
    case 'partly':
      return {
        response: outcome.response,
        dataSentAt: null,
        envelope: JSON.stringify({ ...envelope, to: outcome.remaining }),
        ...failureColumns(outcome.failure),
        ...later(outcome.delayMs),
      }
    case 'rest':
      return {
        response: outcome.response,
        dataSentAt: null,
        envelope: JSON.stringify({ ...envelope, to: outcome.remaining }),
        attempts: sql<number>`attempts - 1`,
        ...later(0),
      }
    case 'retry':
      return {
        ...failureColumns(outcome.failure),
        ...later(outcome.delayMs),
        ...(outcome.inDoubt || maybeSent ? {} : noDoubt),
      }
    case 'failed':
      return {
        state: 'failed' as const,
        ...(outcome.inDoubt || maybeSent ? {} : noDoubt),
        ...failureColumns(outcome.failure),
        ...finished,
        ...(partlySent && filing ? toFile(filing) : {}),
      }
  }
}

/** The bytes are kept until it is done. */
function toFile(filing: Filing) {
  return {
    mime: sql<Buffer | null>`mime`,
    filing: JSON.stringify(filing),
    filingNextAt: sql<Date>`now()`,
  }
}

function later(delayMs: number) {
  return { nextAttemptAt: sql<Date>`now() + make_interval(secs => ${delayMs / 1_000})` }
}

function failureColumns(failure: OutboxError) {
  return {
    lastError: JSON.stringify(failure),
    firstError: sql<string>`coalesce(first_error, ${failure.message})`,
  }
}

/** A row whose last attempt ended with its process. */
export interface ExhaustedSubmission extends OutboxLease {
  account: string
  messageId: string
  envelope: { from: string; to: string[] }
  maxAttempts: number
  firstError: string | null
  maybeSent: boolean
}

export interface ExhaustedOptions {
  limit: number
  serviceUrl: string | null
  failure: (submission: ExhaustedSubmission) => OutboxError
  events: (submission: ExhaustedSubmission) => NewEvent[]
}

/** Due for the longest time, among which those are that have no attempt left: nothing moves them any further. */
const lookedAt = 2_000
const exhausted = sql<string>`(
  select queue_id from (
    select queue_id, attempts, max_attempts from outbox
    where state = 'queued' and next_attempt_at <= now() and (lease_until is null or lease_until < now())
    order by next_attempt_at limit ${sql.lit(lookedAt)}
  ) as oldest where attempts >= max_attempts
)`

/**
 * Ends messages that have used up their attempts without any outcome: each time the process died on them. Without this, one message
 * that brings processes down would do so for ever.
 */
export function failExhausted(
  db: Db,
  { limit, serviceUrl, failure, events }: ExhaustedOptions,
): Promise<RecordedEvent[]> {
  return db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('outbox')
      .select([
        'queueId',
        'account',
        'messageId',
        'envelope',
        'worker',
        'attempts',
        'maxAttempts',
        'firstError',
        'dataSentAt',
      ])
      .where('queueId', 'in', exhausted)
      // Looked at again once the row is locked: another sender may have ended it.
      .where('state', '=', 'queued')
      .whereRef('attempts', '>=', 'maxAttempts')
      .orderBy('nextAttemptAt')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute()
    const recorded: RecordedEvent[] = []
    for (const { attempts, dataSentAt, worker, ...row } of rows) {
      const submission = {
        ...row,
        worker: worker ?? '',
        attempt: attempts,
        maybeSent: dataSentAt !== null,
      }
      const columns = failureColumns(failure(submission))
      await tx
        .updateTable('outbox')
        .set({
          state: 'failed',
          mime: null,
          finishedAt: sql<Date>`now()`,
          worker: null,
          leaseUntil: null,
          ...columns,
        })
        .where('queueId', '=', row.queueId)
        .execute()
      recorded.push(...(await recordEvents(tx, events(submission), serviceUrl)))
    }
    return recorded
  })
}

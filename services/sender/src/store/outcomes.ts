import {
  type Db,
  type NewEvent,
  type OutboxError,
  recordEvents,
  type RecordedEvent,
  type Tx,
} from '@posthorn/db'
import { sql } from 'kysely'
import { type Hold, heldRows, type Submission } from './outbox.ts'

/** What an attempt came to. Events are made once the row is ours for sure, from when the next attempt will be. */
export type Outcome =
  | { state: 'sent'; response: string }
  /** Some recipients have it, the server wants to see the others later. */
  | {
      state: 'partly'
      response: string
      remaining: string[]
      failure: OutboxError
      delayMs: number
    }
  | { state: 'retry'; failure: OutboxError; delayMs: number }
  | { state: 'failed'; failure: OutboxError }

export interface OutcomeOptions {
  serviceUrl: string | null
  events: (nextAttempt: Date | undefined) => NewEvent[]
}

/**
 * Records what became of an attempt, with its events, in one transaction. Undefined when the row is not ours any more (or gone, with
 * its account): then nothing is recorded.
 */
export function recordOutcome(
  db: Db,
  submission: Submission,
  { outcome, serviceUrl, events }: OutcomeOptions & { outcome: Outcome },
): Promise<RecordedEvent[] | undefined> {
  return db.transaction().execute(async (tx) => {
    const row = await updateRow(tx, submission, outcome)
    if (!row) return undefined
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
  response: string
  events: NewEvent[]
}

/** The same for messages that are done with, several in one transaction. Says which were ours still; the others have no events. */
export function recordSent(
  db: Db,
  sent: Sent[],
  serviceUrl: string | null,
): Promise<{ held: Set<string>; recorded: RecordedEvent[] }> {
  const queueIds = sent.map(({ submission }) => submission.queueId)
  const responses = sent.map(({ response }) => response)
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ queueId: string }>`
      with mine as (${heldRows(sent.map(({ submission }) => submission))})
      update outbox set state = 'sent', response = told.response, finished_at = now(), mime = null, worker = null, lease_until = null
      from mine join unnest(${sql.val(queueIds)}::text[], ${sql.val(responses)}::text[]) as told (queue_id, response) using (queue_id)
      where outbox.queue_id = mine.queue_id returning outbox.queue_id as "queueId"`.execute(tx)
    const held = new Set(rows.map(({ queueId }) => queueId))
    const ours = sent.filter(({ submission }) => held.has(submission.queueId))
    const events = ours.flatMap(({ events }) => events)
    return { held, recorded: await recordEvents(tx, events, serviceUrl) }
  })
}

function updateRow(tx: Tx, submission: Submission, outcome: Outcome) {
  return tx
    .updateTable('outbox')
    .set({ worker: null, leaseUntil: null, ...changes(submission, outcome) })
    .where('queueId', '=', submission.queueId)
    .where('worker', '=', submission.worker)
    .where('attempts', '=', submission.attempt)
    .where('state', '=', 'queued')
    .returning(['state', 'nextAttemptAt'])
    .executeTakeFirst()
}

function changes({ envelope }: Submission, outcome: Outcome) {
  const finished = { finishedAt: sql<Date>`now()`, mime: null }
  switch (outcome.state) {
    case 'sent':
      return { state: 'sent' as const, response: outcome.response, ...finished }
    case 'partly':
      return {
        response: outcome.response,
        envelope: JSON.stringify({ ...envelope, to: outcome.remaining }),
        ...failureColumns(outcome.failure),
        ...later(outcome.delayMs),
      }
    case 'retry':
      return { ...failureColumns(outcome.failure), ...later(outcome.delayMs) }
    case 'failed':
      return { state: 'failed' as const, ...failureColumns(outcome.failure), ...finished }
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
export interface ExhaustedSubmission extends Hold {
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
      .where('state', '=', 'queued')
      .where(
        sql<boolean>`(next_attempt_at <= now() and (lease_until is null or lease_until < now()))`,
      )
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

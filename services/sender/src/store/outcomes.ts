import {
  type Db,
  type Filing,
  inMs,
  type NewEvent,
  type OutboxError,
  recordEvents,
  type RecordedEvent,
  type Tx,
} from '@posthorn/db'
import { sql } from 'kysely'
import { requestCleanup } from './draft-cleanups.ts'
import { filingColumns } from './filing.ts'
import { updateGatewayStates } from './gateway-states.ts'
import { leasedRows } from './outbox.ts'
import type { Submission } from './submission.ts'
import {
  type AcceptedOutcome,
  type AttemptOutcome,
  stateAfter,
  stateLiteral,
} from './submission-states.ts'

/**
 * Outcome of a sending attempt other than an acceptance, which `recordAccepted` records in batches.
 */
type UnfinishedOutcome = Exclude<AttemptOutcome, { trigger: 'accept' }>

/** Outcome of a sending attempt to record, with its mailbox work and events. */
export interface OutcomeOptions {
  outcome: UnfinishedOutcome
  serviceUrl: string | null
  /**
   * Mailbox work of a partly accepted message, such as filing its copy, due when no attempts are
   * left.
   */
  filing: Filing | null
  /**
   * Returns the events of the outcome of a sending attempt. Called inside the transaction, with the
   * time of the next attempt.
   */
  events: (nextAttempt: Date | undefined) => NewEvent[]
}

/**
 * Records the outcome of a sending attempt with its events, in one transaction. Returns undefined
 * and records nothing if the outbox lease was lost, or the row was deleted with the account.
 */
export function recordOutcome(
  db: Db,
  submission: Submission,
  { outcome, serviceUrl, filing, events }: OutcomeOptions,
): Promise<RecordedEvent[] | undefined> {
  return db.transaction().execute(async (tx) => {
    const row = await updateRow(tx, submission, { outcome, filing })
    if (!row) return undefined
    await updateGatewayStates(tx, [{ submission, outcome }])
    if (outcome.trigger === 'reject') await requestCleanup(tx, row)
    const nextAttempt = row.state === 'queued' ? row.nextAttemptAt : undefined
    return recordEvents(tx, events(nextAttempt), serviceUrl)
  })
}

/**
 * Outcome of a sending attempt: the server accepted the message for all recipients. Contains the
 * events of the acceptance.
 */
export interface AcceptedSubmission {
  submission: Submission
  outcome: AcceptedOutcome
  /**
   * Mailbox work of the accepted message, such as filing its copy. The MIME bytes are stored until
   * the mailbox work is done.
   */
  filing: Filing | null
  events: NewEvent[]
}

/**
 * Records the acceptance of several messages, with their events. Returns the outbox rows that were
 * still leased; no events are recorded for other rows.
 */
export function recordAccepted(
  db: Db,
  accepted: AcceptedSubmission[],
  serviceUrl: string | null,
): Promise<{ recorded: Set<string>; events: RecordedEvent[] }> {
  const column = <T>(pick: (one: AcceptedSubmission) => T) => sql.val(accepted.map(pick))
  const toJson = (value: object | null | undefined) => (value ? JSON.stringify(value) : null)
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ queueId: string }>`
      with leased as (${leasedRows(accepted.map(({ submission }) => submission))})
      update outbox set state = ${stateLiteral('leased', 'accept')}, response = result.response,
        network_routing = result.routing::jsonb,
        message_id = coalesce(result.message_id, outbox.message_id),
        original_message_id = case when result.message_id <> outbox.message_id
          then outbox.message_id end,
        finished_at = now(), worker = null, lease_until = null,
        mime = case when result.filing is not null then mime end, filing = result.filing::jsonb,
        filing_next_at = case when result.filing is not null then now() end
      from leased join unnest(${column(({ submission }) => submission.queueId)}::text[],
        ${column(({ outcome }) => outcome.response)}::text[],
        ${column(({ outcome }) => outcome.serverMessageId ?? null)}::text[],
        ${column(({ outcome }) => toJson(outcome.routing))}::text[],
        ${column(({ filing }) => toJson(filing))}::text[])
        as result (queue_id, response, message_id, routing, filing) using (queue_id)
      where outbox.queue_id = leased.queue_id
      returning outbox.queue_id as "queueId"`.execute(tx)
    const recorded = new Set(rows.map(({ queueId }) => queueId))
    const leased = accepted.filter(({ submission }) => recorded.has(submission.queueId))
    await updateGatewayStates(tx, leased)
    const events = leased.flatMap((one) => one.events)
    return { recorded, events: await recordEvents(tx, events, serviceUrl) }
  })
}

type RowChange = Pick<OutcomeOptions, 'outcome' | 'filing'>

function updateRow(tx: Tx, submission: Submission, { outcome, filing }: RowChange) {
  return tx
    .updateTable('outbox')
    .set({
      state: stateAfter('leased', outcome.trigger),
      worker: null,
      leaseUntil: null,
      networkRouting: outcome.routing ? JSON.stringify(outcome.routing) : null,
      ...outcomeColumns(submission, { outcome, filing }),
    })
    .where('queueId', '=', submission.queueId)
    .where('worker', '=', submission.worker)
    .where('attempts', '=', submission.attempt)
    .where('state', '=', 'queued')
    .returning(['queueId', 'account', 'messageId', 'providerDraft', 'state', 'nextAttemptAt'])
    .executeTakeFirst()
}

function outcomeColumns(
  { envelope, maybeSent, partlySent }: Submission,
  { outcome, filing }: RowChange,
) {
  const keepsIntent = 'outcomeUnknown' in outcome && (outcome.outcomeUnknown || maybeSent)
  const columns = {
    // Removes the intent record (`data_sent_at`), because the attempt ended with a reply, or before
    // the end of data.
    ...(!keepsIntent && { dataSentAt: null }),
    ...('failure' in outcome && failureColumns(outcome.failure)),
    ...('remaining' in outcome && {
      response: outcome.response,
      envelope: JSON.stringify({ ...envelope, to: outcome.remaining }),
    }),
  }
  if (outcome.trigger === 'reject') {
    const mailboxWork = partlySent && filing ? filingColumns(filing) : {}
    return { ...columns, finishedAt: sql<Date>`now()`, mime: null, ...mailboxWork }
  }
  return outcome.trigger === 'continue'
    ? // A continued sending attempt is not counted, because nothing failed.
      { ...columns, attempts: sql<number>`attempts - 1`, nextAttemptAt: inMs(0) }
    : { ...columns, nextAttemptAt: inMs(outcome.delayMs) }
}

/** Columns of an outbox row that store the failure of a sending attempt. */
export function failureColumns(failure: OutboxError) {
  return {
    lastError: JSON.stringify(failure),
    firstError: sql<string>`coalesce(first_error, ${failure.message})`,
  }
}

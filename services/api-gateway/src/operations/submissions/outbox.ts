import type { Operation } from '@posthorn/contracts/define'
import { defined } from '@posthorn/contracts/defined'
import { operations } from '@posthorn/contracts/operations'
import type { OutboxEntry } from '@posthorn/contracts/schemas/outbox'
import type { Caller } from '../../access/authenticate.ts'
import { requestTimeout, type WorkerCall, type WorkerDeps } from '../../http/call-worker.ts'
import { changeSubmission, type SubmissionChange } from '../../http/change-submission.ts'
import { handle, type OperationHandler } from '../../http/handle.ts'
import { maskUrl } from '../../http/masks.ts'
import { getOutboxRow, listOutboxRows, type OutboxRow } from '../../store/messages/outbox.ts'
import { visibleFailure } from '../hide-failure.ts'
import { present } from '../present.ts'

/**
 * Operations on submissions. Changes of a submission are sent to a sender as commands, because only
 * senders change stored submissions.
 */
export function outboxHandlers(deps: WorkerDeps): OperationHandler[] {
  const { db } = deps
  return [
    handle(operations.listOutbox, async ({ query, caller }) => {
      const { rows, ...counts } = await listOutboxRows(db, query)
      return { ...counts, messages: rows.map((row) => describeEntry(row, caller)) }
    }),
    handle(operations.getOutboxEntry, async ({ params: { queueId }, caller }) =>
      describeEntry(await getOutboxRow(db, queueId), caller),
    ),
    changeHandler(deps, operations.deleteOutboxEntry, ['delete', { deleted: true }]),
    changeHandler(deps, operations.holdOutboxEntry, ['hold', { held: true }]),
    changeHandler(deps, operations.releaseOutboxEntry, ['release', { released: true }]),
    changeHandler(deps, operations.sendOutboxEntry, ['send', { due: true }]),
  ]
}

type ChangeCall = Omit<WorkerCall, 'params'> & { params: { queueId: string } }

/**
 * Creates the handler of an API operation that sends a sender the command to change a submission.
 */
function changeHandler(
  deps: WorkerDeps,
  operation: Operation,
  [action, response]: [SubmissionChange['action'], object],
): OperationHandler {
  const run = async ({ params: { queueId }, headers, signal }: ChangeCall) => {
    const limits = { timeoutMs: requestTimeout(deps, headers), signal }
    await changeSubmission(deps.bus, { queueId, action }, limits)
    return response
  }
  return { operation, run }
}

/** Submission as the API represents it. */
export function describeEntry(row: OutboxRow, caller: Pick<Caller, 'token'>): OutboxEntry {
  const isWaiting = row.state === 'queued' && !row.leased
  return {
    queueId: row.queueId,
    account: row.account,
    source: row.source,
    state: row.state === 'sent' && row.bouncedAt ? 'bounced' : row.state,
    messageId: row.messageId,
    envelope: row.envelope,
    subject: row.subject,
    gateway: row.gateway,
    proxy: row.proxy === null ? null : maskUrl(row.proxy),
    localAddress: row.localAddress,
    idempotencyKey: row.idempotencyKey,
    useStructuredFormat: row.useStructuredFormat,
    created: row.createdAt.toISOString(),
    scheduled: row.sendAt.toISOString(),
    nextAttempt: isWaiting ? row.nextAttemptAt.toISOString() : false,
    // Limits the shown number of sending attempts to the maximum: an attempt beyond the maximum
    // does not send the message, but only checks whether the message was sent.
    attemptsMade: Math.min(row.attempts, row.maxAttempts),
    attempts: row.maxAttempts,
    progress: progressOf(row, visibleFailure(row.lastError, caller)),
  }
}

function progressOf(row: OutboxRow, lastError: OutboxRow['lastError']): OutboxEntry['progress'] {
  const status = statusOf(row)
  const { networkRouting, messageId, response, originalMessageId } = row
  const sent = status === 'submitted' ? { messageId } : {}
  const progress = { status, ...sent, ...present({ response, originalMessageId }) }
  if (status !== 'error' || !lastError) return progress
  const { message, code, responseCode: statusCode } = lastError
  return { ...progress, error: { message, ...defined({ code, statusCode }), networkRouting } }
}

function statusOf(row: OutboxRow): OutboxEntry['progress']['status'] {
  const { state, leased, dataSentAt, lastError } = row
  if (state === 'sent') return 'submitted'
  if (state === 'failed') return 'error'
  if (leased) return dataSentAt ? 'smtp-completed' : 'processing'
  return lastError ? 'error' : 'queued'
}

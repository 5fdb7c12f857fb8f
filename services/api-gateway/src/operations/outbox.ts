import type { Bus } from '@posthorn/bus'
import {
  changeOutbox,
  type CommandRequest,
  defined,
  operations,
  type OutboxEntry,
} from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { requestTimeout } from '../http/call-worker.ts'
import { handle, type OperationHandler } from '../http/handle.ts'
import { maskUrl } from '../http/masks.ts'
import {
  getOutboxRow,
  listOutboxRows,
  type OutboxRow,
  submissionNotFound,
} from '../store/outbox.ts'

export interface OutboxDeps {
  db: Db
  bus: Bus
  timeoutMs: number
}

/** Operations on submissions. Only senders write to stored ones, so changes are commands to them. */
export function outboxHandlers(deps: OutboxDeps): OperationHandler[] {
  const { db } = deps
  return [
    handle(operations.listOutbox, async ({ query: { page = 0, pageSize = 20, ...filter } }) => {
      const { total, rows } = await listOutboxRows(db, { ...filter, page, pageSize })
      return { total, page, pages: Math.ceil(total / pageSize), messages: rows.map(describeEntry) }
    }),
    handle(operations.getOutboxEntry, async ({ params: { queueId } }) =>
      describeEntry(await getOutboxRow(db, queueId)),
    ),
    handle(operations.deleteOutboxEntry, async (input) => {
      await changeEntry(deps, input, 'delete')
      return { deleted: true }
    }),
    handle(operations.holdOutboxEntry, async (input) => {
      await changeEntry(deps, input, 'hold')
      return { held: true }
    }),
    handle(operations.releaseOutboxEntry, async (input) => {
      await changeEntry(deps, input, 'release')
      return { released: true }
    }),
    handle(operations.sendOutboxEntry, async (input) => {
      await changeEntry(deps, input, 'send')
      return { due: true }
    }),
  ]
}

interface ChangeCall {
  params: { queueId: string }
  headers: { 'x-svc-timeout'?: number }
  signal: AbortSignal
}

async function changeEntry(
  deps: OutboxDeps,
  { params: { queueId }, headers, signal }: ChangeCall,
  action: CommandRequest<typeof changeOutbox>['action'],
): Promise<void> {
  const options = { key: 'outbox', timeoutMs: requestTimeout(deps, headers), signal }
  const { result } = await deps.bus.request(changeOutbox, { queueId, action }, options)
  if (result === 'missing') throw submissionNotFound()
  if (result === 'busy')
    throw new AppError('invalid', 'The message is being sent, retry later', {
      code: 'UnsupportedOperation',
    })
}

/** Submission in the form of the API. */
export function describeEntry(row: OutboxRow): OutboxEntry {
  const isWaiting = row.state === 'queued' && !row.leased
  return {
    queueId: row.queueId,
    account: row.account,
    source: row.source,
    state: row.state,
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
    attemptsMade: row.attempts,
    attempts: row.maxAttempts,
    progress: progressOf(row),
  }
}

function progressOf(row: OutboxRow): OutboxEntry['progress'] {
  const status = statusOf(row)
  const { lastError, networkRouting, messageId } = row
  const progress = defined({
    status,
    response: row.response ?? undefined,
    messageId: status === 'submitted' ? messageId : undefined,
    originalMessageId: row.originalMessageId ?? undefined,
  })
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

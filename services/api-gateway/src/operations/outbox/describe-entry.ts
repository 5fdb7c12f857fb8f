import type { OutboxEntry } from '@posthorn/contracts'
import type { OutboxRow } from '../../store/outbox-entries.ts'
import { maskUrl } from '../../http/masks.ts'

/** A message to send, as the API tells of it. */
export function describeEntry(row: OutboxRow): OutboxEntry {
  const waits = row.state === 'queued' && !row.leased
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
    nextAttempt: waits ? row.nextAttemptAt.toISOString() : false,
    attemptsMade: row.attempts,
    attempts: row.maxAttempts,
    progress: progressOf(row),
  }
}

function progressOf(row: OutboxRow): OutboxEntry['progress'] {
  const status = statusOf(row)
  const { lastError, networkRouting, response } = row
  return {
    status,
    ...(response === null ? {} : { response }),
    ...(status === 'submitted' ? { messageId: row.messageId } : {}),
    ...(row.originalMessageId === null ? {} : { originalMessageId: row.originalMessageId }),
    ...(status === 'error' && lastError
      ? {
          error: {
            message: lastError.message,
            ...(lastError.code === undefined ? {} : { code: lastError.code }),
            ...(lastError.responseCode === undefined ? {} : { statusCode: lastError.responseCode }),
            networkRouting,
          },
        }
      : {}),
  }
}

function statusOf({
  state,
  leased,
  dataSentAt,
  lastError,
}: OutboxRow): OutboxEntry['progress']['status'] {
  if (state === 'sent') return 'submitted'
  if (state === 'failed') return 'error'
  if (leased) return dataSentAt ? 'smtp-completed' : 'processing'
  return lastError ? 'error' : 'queued'
}

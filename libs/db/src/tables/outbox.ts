import type { Generated } from 'kysely'
import type { Json, JsonOrNull } from './json.ts'

export interface OutboxError {
  message: string
  code?: string
  response?: string
  responseCode?: number
  command?: string
}

/** Messages to send. Inserted by api-gateway and smtp-proxy, from then on changed by sender alone. */
export interface Outbox {
  queueId: string
  account: string
  shard: number
  source: 'api' | 'smtp'
  state: Generated<'queued' | 'sent' | 'failed'>
  /** With its angle brackets, as in the header. */
  messageId: string
  envelope: Json<{ from: string; to: string[] }>
  subject: string | null
  /** The bytes to send, without Bcc; null once nothing needs them. */
  mime: Buffer | null
  createdAt: Generated<Date>
  sendAt: Generated<Date>
  nextAttemptAt: Generated<Date>
  /** Counted before connecting. */
  attempts: Generated<number>
  maxAttempts: Generated<number>
  worker: string | null
  leaseUntil: Date | null
  attemptStartedAt: Date | null
  /** Committed just before the final dot: only such a row may have been accepted already. */
  dataSentAt: Date | null
  firstError: string | null
  lastError: JsonOrNull<OutboxError>
  response: string | null
  finishedAt: Date | null
}

import type { Generated } from 'kysely'
import type { Json, JsonOrNull } from './json.ts'

export interface OutboxError {
  message: string
  code?: string
  response?: string
  responseCode?: number
  command?: string
}

/** The way an attempt went out. */
export interface NetworkRouting {
  localAddress?: string
  /** What EHLO said. */
  name?: string
  /** Without credentials. */
  proxy?: string
  /** The local address that was asked for, where it could not be had. */
  requestedLocalAddress?: string
}

/** Delivery status notifications that are asked for (RFC 3461). */
export interface DsnRequest {
  id?: string
  return: 'headers' | 'full'
  notify?: ('never' | 'success' | 'failure' | 'delay')[]
  recipient?: string
}

/** What is left to do in the mailbox once a message is sent. */
export interface Filing {
  /** A copy goes into Sent. Absent: the account decides. */
  copy?: boolean
  /** Where the copy goes; absent: the account's Sent folder. */
  sentMailPath?: string
  /** The message that was answered or passed on: gets a flag. */
  reference?: { message: string; action: 'reply' | 'reply-all' | 'forward' }
  /** The draft that was sent: is removed. */
  draft?: string
}

/** Messages to send. Inserted by api-gateway and smtp-proxy, from then on changed by sender alone. */
export interface Outbox {
  queueId: string
  account: string
  shard: number
  source: 'api' | 'smtp'
  state: Generated<'queued' | 'held' | 'sent' | 'failed'>
  /** With its angle brackets, as in the header. */
  messageId: string
  envelope: Json<{ from: string; to: string[] }>
  subject: string | null
  /** The list the message is of, and its one recipient, both as in `list_blocks`. */
  listId: string | null
  listRecipient: string | null
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
  /** Sent by it, and not by the account's own server. */
  gateway: string | null
  /** SOCKS or HTTP; credentials in it are sealed. */
  proxy: string | null
  localAddress: string | null
  dsn: JsonOrNull<DsnRequest>
  idempotencyKey: string | null
  useStructuredFormat: Generated<boolean>
  /** The one we had given, where the server wrote another; `messageId` is the server's then. */
  originalMessageId: string | null
  networkRouting: JsonOrNull<NetworkRouting>
  filing: JsonOrNull<Filing>
  /** Null while the message is not sent, and once all is done or given up. */
  filingNextAt: Date | null
  filingAttempts: Generated<number>
  filingError: string | null
}

/** Answers to submissions that brought an Idempotency-Key, for 24 hours. Written with the messages, in one transaction. */
export interface IdempotencyKeys {
  account: string
  key: string
  /** SHA-256 of what was asked for. */
  requestHash: Buffer
  response: Json<unknown>
  createdAt: Generated<Date>
}

/** Queues whose work is stopped. Written by api-gateway. */
export interface PausedQueues {
  queue: string
  pausedAt: Generated<Date>
}

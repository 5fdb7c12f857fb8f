import type { NetworkRouting } from '@posthorn/contracts/events/sending'
import type { Dsn } from '@posthorn/contracts/schemas/submission'
import type { Generated } from 'kysely'
import type { Json, JsonOrNull } from './json.ts'

export interface OutboxError {
  message: string
  code?: string
  response?: string
  responseCode?: number
  command?: string
}

export type { NetworkRouting } from '@posthorn/contracts/events/sending'
export type { Dsn as DsnRequest } from '@posthorn/contracts/schemas/submission'

/** Filing of a sent message: mailbox work after the message is sent. */
export interface Filing {
  /** True to store a copy in the Sent mailbox. Absent: the account's setting applies. */
  copy?: boolean
  /** Path of the mailbox for the Sent copy. Absent: the account's Sent mailbox. */
  sentMailPath?: string
  /** Message that the sent message answers or forwards, to be flagged. */
  reference?: { message: string; action: 'reply' | 'reply-all' | 'forward' }
  /** Draft that was sent and is to be removed from its mailbox. */
  draft?: string
}

/** Draft of a submission at a mail provider, like `ApiDraft` of libs/backends. */
export interface ProviderDraft {
  id: string
  messageId: string
  threadId?: string
  version?: string
  /**
   * True for a stored draft of the mailbox owner: the draft is sent itself (released), never
   * removed.
   */
  stored?: true
  /** Names of header fields that the draft lacks. */
  omittedHeaders?: string[]
}

/**
 * Stored draft of the mailbox owner, as it was at the time of submission. The outbox row has the
 * content, too.
 */
export interface StoredDraft {
  /** Id of the message that holds the draft. */
  messageId: string
  /** Message-ID of the draft, which differs from the Message-ID of the outbox row. */
  messageIdHeader?: string
  /** Change marker of the draft, unless changes show in `messageId`. */
  version?: string
}

/**
 * Submissions. Inserted by api-gateway and smtp-proxy, then changed by sender; `bouncedAt` by
 * sync-worker. Waiting rows of an account are deleted by api-gateway with the account.
 */
export interface Outbox {
  queueId: string
  account: string
  shard: number
  source: 'api' | 'smtp'
  state: Generated<'queued' | 'held' | 'sent' | 'failed'>
  /** Message-ID of the submission with angle brackets, as in the header. */
  messageId: string
  envelope: Json<{ from: string; to: string[] }>
  subject: string | null
  /** Mailing list of the message and its single recipient, as in `account_list_blocks`. */
  listId: string | null
  listRecipient: string | null
  /** MIME bytes of the message without Bcc; null after sending and filing. */
  mime: Buffer | null
  createdAt: Generated<Date>
  sendAt: Generated<Date>
  nextAttemptAt: Generated<Date>
  /** Number of sending attempts, incremented before connecting. */
  attempts: Generated<number>
  maxAttempts: Generated<number>
  worker: string | null
  leaseUntil: Date | null
  attemptStartedAt: Date | null
  /**
   * Time of the intent record of a handover to the server, committed before the end of data.
   * Without an intent record, the message was not accepted.
   */
  dataSentAt: Date | null
  /**
   * Recipients that the outgoing server had accepted at `dataSentAt`. Null: all recipients of the
   * envelope.
   */
  handedOver: JsonOrNull<string[]>
  firstError: string | null
  lastError: JsonOrNull<OutboxError>
  response: string | null
  finishedAt: Date | null
  /**
   * Time of the first report that the message was not delivered. The API shows state `sent` as
   * `bounced`.
   */
  bouncedAt: Date | null
  /** Id of the gateway that sends instead of the account's own server. */
  gateway: string | null
  /** URL of the SOCKS or HTTP proxy of the submission; credentials in the URL are sealed. */
  proxy: string | null
  localAddress: string | null
  dsn: JsonOrNull<Dsn>
  idempotencyKey: string | null
  useStructuredFormat: Generated<boolean>
  /**
   * Original Message-ID of the message if the server replaced it; `messageId` is then the server's
   * Message-ID.
   */
  originalMessageId: string | null
  networkRouting: JsonOrNull<NetworkRouting>
  filing: JsonOrNull<Filing>
  /**
   * Draft at the provider of a mail API that is to be sent (released). The value stays after
   * sending.
   */
  providerDraft: JsonOrNull<ProviderDraft>
  /**
   * Stored draft that is sent itself (released), while it is unchanged. For accounts at a mail API.
   */
  storedDraft: JsonOrNull<StoredDraft>
  /** Thread at the mail provider that the message continues. */
  providerThread: string | null
  /**
   * Time of the next attempt at filing the sent message. Null before sending, and after filing is
   * complete or failed permanently.
   */
  filingNextAt: Date | null
  filingAttempts: Generated<number>
  filingError: string | null
}

/**
 * Responses to submissions by Idempotency-Key, kept for 24 h. Written in the transaction of the
 * submission.
 */
export interface IdempotencyKeys {
  account: string
  key: string
  /** SHA-256 of the submission request with the Idempotency-Key. */
  requestHash: Buffer
  response: Json<unknown>
  createdAt: Generated<Date>
}

/** Work queues (`submit`, `notify`) paused by an operator. Written by api-gateway. */
export interface PausedQueues {
  queue: string
  pausedAt: Generated<Date>
}

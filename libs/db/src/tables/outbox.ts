import type { NetworkRouting } from '@posthorn/contracts/events/sending'
import type { Dsn } from '@posthorn/contracts/schemas/dsn'
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
export type { Dsn as DsnRequest } from '@posthorn/contracts/schemas/dsn'

/** Filing of a sent message: mailbox work that is done after the message was sent. */
export interface Filing {
  /**
   * True to store a copy of the sent message in the Sent mailbox. If absent, the account's setting
   * applies.
   */
  copy?: boolean
  /**
   * Path of the mailbox for the copy of the sent message. If absent, the account's Sent mailbox is
   * used.
   */
  sentMailPath?: string
  /** Message to flag, because the sent message replies to it or forwards it. */
  reference?: { message: string; action: 'reply' | 'reply-all' | 'forward' }
  /** Draft to remove from its mailbox, because its content was sent. */
  draft?: string
}

/** Draft of a submission at a mail provider, with the members of `ApiDraft` in libs/backends. */
export interface ProviderDraft {
  id: string
  messageId: string
  threadId?: string
  version?: string
  /**
   * True if the mailbox owner stored the draft of the submission. Such a draft is sent itself
   * (released) and never removed.
   */
  stored?: true
  /** Names of header fields that the submitted message has and its draft lacks. */
  omittedHeaders?: string[]
}

/**
 * Draft that the mailbox owner had stored, as it was at the time of submission. The outbox row
 * contains the content of the draft, too.
 */
export interface StoredDraft {
  /** Id of the message that represents the mailbox owner's draft in its mailbox. */
  messageId: string
  /**
   * Message-ID in the header of the mailbox owner's draft. Differs from the Message-ID in the
   * outbox row.
   */
  messageIdHeader?: string
  /**
   * Marker that changes with every edit of a draft. Absent if `messageId` changes with every edit.
   */
  version?: string
}

/**
 * Submissions. Inserted by api-gateway and smtp-proxy, then changed by sender. `bouncedAt` is
 * written by sync-worker. When an account is deleted, api-gateway deletes the account's waiting
 * rows.
 */
export interface Outbox {
  queueId: string
  account: string
  shard: number
  source: 'api' | 'smtp'
  state: Generated<'queued' | 'held' | 'sent' | 'failed'>
  /** Message-ID of the submission with angle brackets, as in the message header. */
  messageId: string
  envelope: Json<{ from: string; to: string[] }>
  subject: string | null
  /**
   * Mailing list to which the message belongs, and its single recipient, as in
   * `account_list_blocks`.
   */
  listId: string | null
  listRecipient: string | null
  /** MIME bytes of the message without Bcc. Null after the message was sent and filed. */
  mime: Buffer | null
  createdAt: Generated<Date>
  sendAt: Generated<Date>
  nextAttemptAt: Generated<Date>
  /** Number of attempts to send the message, incremented before connecting. */
  attempts: Generated<number>
  maxAttempts: Generated<number>
  worker: string | null
  leaseUntil: Date | null
  attemptStartedAt: Date | null
  /**
   * Time at which sender recorded, before the end of data (SMTP DATA), that the outgoing server may
   * accept the message from now on (intent record). Null as long as the server cannot have accepted
   * the message.
   */
  dataSentAt: Date | null
  /**
   * Recipients that the outgoing server had accepted at the time `dataSentAt`, before the end of
   * data. Null stands for all recipients of the envelope.
   */
  handedOver: JsonOrNull<string[]>
  firstError: string | null
  lastError: JsonOrNull<OutboxError>
  response: string | null
  finishedAt: Date | null
  /**
   * Time of the first report that the message was not delivered. With this time, the API shows the
   * state `sent` as `bounced`.
   */
  bouncedAt: Date | null
  /**
   * Id of the gateway (outgoing mail server) that sends the message instead of the account's own
   * server.
   */
  gateway: string | null
  /**
   * URL of the SOCKS or HTTP proxy for sending the message. Credentials in the URL are sealed
   * (encrypted).
   */
  proxy: string | null
  localAddress: string | null
  dsn: JsonOrNull<Dsn>
  idempotencyKey: string | null
  useStructuredFormat: Generated<boolean>
  /**
   * Message-ID that the message had before the outgoing server replaced it. `messageId` is then the
   * server's Message-ID. Null if the server did not replace it.
   */
  originalMessageId: string | null
  networkRouting: JsonOrNull<NetworkRouting>
  filing: JsonOrNull<Filing>
  /**
   * Draft at the mail provider that a mail API sends (releases). The value remains after the
   * message was sent.
   */
  providerDraft: JsonOrNull<ProviderDraft>
  /**
   * Stored draft of the mailbox owner. A mail API sends the draft itself (releases it) if it was
   * not edited since. For accounts with a mail API only.
   */
  storedDraft: JsonOrNull<StoredDraft>
  /** Id of the thread at the mail provider to which the message belongs. */
  providerThread: string | null
  /**
   * Time of the next attempt to file the sent message. Null before the message was sent, and after
   * the filing was completed or has failed permanently.
   */
  filingNextAt: Date | null
  filingAttempts: Generated<number>
  filingError: string | null
}

/**
 * Responses to submissions with an Idempotency-Key, kept for 24 h. Written in the transaction that
 * inserts the submission.
 */
export interface IdempotencyKeys {
  account: string
  key: string
  /** SHA-256 hash of the submission request that had the Idempotency-Key. */
  requestHash: Buffer
  response: Json<unknown>
  createdAt: Generated<Date>
}

/** Work queues (`submit`, `notify`) that an operator has paused. Written by api-gateway. */
export interface PausedQueues {
  queue: string
  pausedAt: Generated<Date>
}

import type { SecureVersion } from 'node:tls'
import type { Credentials } from '@posthorn/contracts/commands/credentials'
import type { DsnRequest, NetworkRouting, OutboxError } from '@posthorn/db'
import { AppError } from '@posthorn/errors'

/** Outgoing server of a message, and the network path to the server. */
export interface Destination {
  /**
   * Identifies all properties that a session depends on. Messages with equal keys share sessions.
   */
  key: string
  host: string
  port: number
  /** Implicit TLS (RFC 8314); otherwise STARTTLS. */
  secure: boolean
  /** True if the session may stay unencrypted without STARTTLS. */
  allowsPlaintext: boolean
  /** If false, any certificate is accepted. */
  verifyCertificate: boolean
  minTlsVersion?: SecureVersion
  /**
   * True if a tenant has chosen the server. The duration of a failed connection must then not
   * reveal whether the port is open.
   */
  isTenantsServer?: boolean
  /** Argument of EHLO. Defaults to the host name of the outgoing address. */
  ehloName?: string
  /** Proxy URL with the login in plaintext. Absent for a direct connection. */
  proxy?: string
  /** Local addresses to connect from, preferred first. If empty, the system chooses. */
  localAddresses: readonly string[]
  /** Local address the submission asked for, whether available or not. */
  requestedLocalAddress?: string
  /**
   * Login for a new session; undefined if the server needs no login. `rejected` are credentials the
   * server has just rejected: the callee then obtains new credentials.
   */
  credentials: (rejected?: Credentials) => Promise<Credentials | undefined>
}

export interface OutgoingMessage {
  envelope: { from: string; to: string[] }
  mime: Buffer
  destination: Destination
  /** Requested delivery status notifications. Ignored by servers without DSN (RFC 3461). */
  dsn: DsnRequest | null
  /**
   * Commits the intent record, with the recipients that the server has accepted. If
   * `commitHandover` rejects, the end of data is not sent.
   */
  commitHandover: (recipients: readonly string[]) => Promise<void>
  /**
   * Called synchronously with the acceptance. An acceptance is lost if the process is killed before
   * this call.
   */
  onReply: (result: SendResult) => void
  /** Cancels the attempt. Ignored once the end of data may have been sent. */
  signal: AbortSignal
}

/** Acceptance of a message by the server, for at least one recipient. */
export interface SendResult {
  response: string
  /** Message-ID assigned by the server, if the server's reply names a Message-ID. */
  serverMessageId?: string
  accepted: string[]
  rejected: RejectedRecipient[]
  /** Absent for the default path: no proxy, address chosen by the system. */
  routing?: NetworkRouting
}

/** Recipient the server did not accept. */
export interface RejectedRecipient {
  recipient: string
  failure: AttemptFailure
}

/** Protocol that sends messages. Disposal closes idle sessions. */
export interface Transport extends AsyncDisposable {
  /**
   * Sends one message.
   *
   * @throws AttemptError if the server or the network failed; PreAttemptError if the attempt was
   * cancelled before the handover; the rejection of `commitHandover`
   */
  send(message: OutgoingMessage): Promise<SendResult>
}

/**
 * Cause of a failed attempt, as stored in the outbox and reported in events.
 *
 * - `code`: short identifier: `EAUTH`, `ECONNREFUSED`, `EENVELOPE`, …
 * - `response`, `responseCode`: reply of the server
 * - `command`: SMTP command during which the failure happened, such as `RCPT TO`. `CONN`: the
 * connection
 */
export type AttemptFailure = OutboxError

/**
 * Stage error before the handover with a local cause: credentials or Postgres unavailable, process
 * stopping. The server has no message, unless `inDoubt`. The claim is released and the attempt not
 * counted.
 */
export class PreAttemptError extends Error {
  override name = 'PreAttemptError'
  /** True if a mail API may nevertheless have sent the message. The intent record stays. */
  inDoubt = false
}

/**
 * Stage error before the handover: the provider permits no requests now. The claim is released, and
 * nothing is sent for the account before `pauseMs` have passed.
 */
export class PausedError extends PreAttemptError {
  override name = 'PausedError'
  /** Undefined if the provider names no time. */
  readonly pauseMs: number | undefined

  constructor(message: string, options: ErrorOptions & { pauseMs?: number | undefined }) {
    super(message, options)
    this.pauseMs = options.pauseMs
  }
}

/** Consequences of a failure for the message and its lanes. */
export interface ReplyClass {
  /** True if another attempt would also fail. */
  permanent: boolean
  /**
   * Lane that the failure concerns beyond this message: the server for all accounts (`host`), or
   * the server for this account (`account`). The lane is suspended, so that other messages keep
   * their attempts.
   */
  suspends?: 'host' | 'account'
}

/** Error of an attempt whose signal was aborted before the handover. */
export function cancelled({ reason }: AbortSignal): PreAttemptError {
  return new PreAttemptError('attempt cancelled', { cause: reason })
}

/** Stage error of the attempt: server, network or message. Reported as messageDeliveryError. */
export class AttemptError extends Error {
  override name = 'AttemptError'
  readonly failure: AttemptFailure
  /** Network path of the attempt. Undefined for the default path. */
  routing: NetworkRouting | undefined
  /** True if the end of data was sent without a reply: the server may have accepted the message. */
  inDoubt = false
  /** Time for which the provider of a mail API asked to pause the account. */
  pauseMs: number | undefined
  /** Set by a mail API; otherwise the SMTP reply decides. */
  replyClass: ReplyClass | undefined

  constructor(failure: AttemptFailure, options?: ErrorOptions) {
    super(failure.message, options)
    this.failure = failure
  }
}

/**
 * Stage error of recording: the outbox lease was lost. The new holder of the row records the
 * outcome; this process must not write the row.
 */
export class RecordError extends AppError {
  override name = 'RecordError'

  constructor(message: string) {
    super('stale', message)
  }
}

/** Failure of a step that the server did not reply to in time. */
export function timeoutError(command: string, cause: unknown): AttemptError {
  return new AttemptError(
    { message: `No reply to ${command} in time`, code: 'ETIMEDOUT', command },
    { cause },
  )
}

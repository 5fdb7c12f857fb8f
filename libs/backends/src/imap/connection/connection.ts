import { AppError } from '@posthorn/errors'
import { Mutex, settleWithin } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { ImapFlow, type ImapFlowOptions } from 'imapflow'
import { type MailboxFaults, MessageFaults } from '../../message-faults.ts'
import {
  commandError,
  connectError,
  connectionClosed,
  connectAborted,
  timedOut,
  invalidatesLogin,
} from './errors.ts'
import { NotificationBuffer } from './notification-buffer.ts'
import { RejectionLogger } from './rejection-logger.ts'
import { pollStatus } from './counters.ts'
import type { Transcript } from './transcript.ts'
import { Wire } from './wire.ts'

/**
 * Maximum duration of an IMAP command during which the server keeps sending data. A silent server
 * is detected much earlier by the socket timeout.
 */
export const commandMs = 5 * 60_000
/**
 * Maximum number of keep-alives (NOOP) of an IMAP session between two calls of its owner. Without
 * keep-alives the server ends a session that its owner no longer uses.
 */
const maxKeepAlives = 12
/** Maximum wait for the response to LOGOUT of an IMAP session. */
const logoutMs = 2_000

/**
 * Mailbox that a call of an IMAP session applies to. The UIDs of the mailbox are meaningless in any
 * other mailbox.
 */
export interface MailboxRef {
  path: string
  uidValidity: bigint
}

/**
 * Objects that an IMAP connection uses: a transcript of its lines, and a record of the messages
 * that the server cannot describe. Several connections of an account may share both objects.
 */
interface ConnectionParts {
  transcript?: Transcript | undefined
  faults?: MessageFaults | undefined
}

/**
 * IMAP connection of an account. Owns an imapflow client and runs its commands one after the other.
 */
export class ImapConnection {
  readonly client: ImapFlow
  readonly wire: Wire
  readonly mutex = new Mutex()
  readonly notifications = new NotificationBuffer()
  readonly closed: Promise<Error | undefined>
  readonly #rejections: RejectionLogger
  readonly #faults: MessageFaults
  /** Number of connections of the account that were lost before this IMAP connection was opened. */
  readonly #openedAt: number
  #reason: Error | undefined
  #closing = false
  #keepAlives = 0
  #selected: MailboxRef | undefined

  constructor(
    options: ImapFlowOptions,
    log: Logger,
    { transcript, faults = new MessageFaults() }: ConnectionParts,
  ) {
    this.#faults = faults
    this.#openedAt = faults.losses
    this.#rejections = new RejectionLogger(log)
    this.client = new ImapFlow({ ...options, logger: this.#rejections.logger(transcript) })
    // The error listener of the imapflow client stays attached after the connection is closed,
    // because an 'error' event without a listener ends the process.
    this.client.on('error', (error) => (this.#reason ??= connectError(error)))
    const { promise, resolve } = Promise.withResolvers<Error | undefined>()
    this.closed = promise
    this.client.once('close', () => {
      if (!this.#closing) this.#reason ??= this.#byeErrorOr(connectionClosed())
      resolve(this.#closing ? undefined : this.#reason)
    })
    this.wire = new Wire(this.client)
    this.notifications.listenTo(this.client, this.wire)
  }

  /** Connects to the IMAP server and logs in. On failure the connection is closed. */
  async connect(signal: AbortSignal, keepAliveMs: number): Promise<void> {
    const abort = () => this.end(connectAborted(signal))
    signal.addEventListener('abort', abort, { once: true })
    try {
      if (signal.aborted) abort()
      await this.client.connect()
      if (!this.client.usable) throw this.#closedError()
      // imapflow ignores rejections of the commands that it sends after the login, such as
      // NAMESPACE. A rejection that shows a failed login is thrown here.
      const lastRejection = this.#rejections.last
      if (lastRejection && invalidatesLogin(lastRejection)) throw lastRejection
      this.#keepAlive(keepAliveMs)
    } catch (error) {
      const reason = signal.aborted ? (this.#reason ?? error) : error
      this.end(connectError(reason))
      throw connectError(reason)
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /**
   * Runs IMAP commands after all earlier calls of this connection have ended. If `mailbox` is
   * given, the call fails with `unavailable` unless that mailbox is still selected. Every failure
   * is an AppError.
   */
  async call<T>(
    work: (client: ImapFlow) => Promise<T>,
    mailbox?: MailboxRef,
    timeoutMs?: number,
  ): Promise<T> {
    this.#keepAlives = 0
    return await this.mutex.run(() => this.perform(work, mailbox, timeoutMs))
  }

  /**
   * Runs IMAP commands like `call`, but for callers that already hold the mutex of the IMAP
   * connection.
   */
  async perform<T>(
    work: (client: ImapFlow) => Promise<T>,
    mailbox?: MailboxRef,
    timeoutMs = commandMs,
  ): Promise<T> {
    if (!this.client.usable) throw this.#closedError()
    if (mailbox && !(this.client.mailbox && this.#wasSelected(mailbox)))
      throw new AppError('unavailable', 'Another mailbox was selected meanwhile')
    this.#rejections.last = undefined
    const timer = setTimeout(
      () => this.end(timedOut('The mail server did not respond in time')),
      timeoutMs,
    )
    try {
      return await work(this.client)
    } catch (error) {
      throw this.#reason !== undefined && !this.client.usable
        ? this.#closedError()
        : commandError(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Number of IMAP responses so far that imapflow skipped because it could not parse or process the
   * response.
   */
  get unreadableResponses(): number {
    return this.#rejections.unreadable
  }

  /** Returns the record of those messages in a mailbox that the IMAP server cannot describe. */
  faultsIn(mailbox: MailboxRef): MailboxFaults {
    return this.#faults.of(mailbox)
  }

  /**
   * Records the error of a FETCH query in the message faults (messages that the server cannot
   * describe) if the IMAP connection was lost during the query.
   */
  recordLoss(error: unknown, add: Parameters<MessageFaults['recordLoss']>[2]): void {
    if (this.#closing || this.client.usable) return
    this.#faults.recordLoss(error, this.#openedAt, add)
  }

  /**
   * Error for a `false` result of imapflow after a rejected command. The result does not contain
   * the reason.
   */
  rejection(action: string): AppError {
    if (!this.client.usable) return this.#closedError()
    const lastRejection = this.#rejections.last
    return lastRejection
      ? commandError(lastRejection)
      : new AppError('rejected', `The mail server did not ${action}`)
  }

  /**
   * Sends NOOP. Servers that do not report changes in response to NOOP get STATUS instead. The
   * caller must hold the mutex of the connection.
   */
  async noop(client: ImapFlow): Promise<void> {
    if (ignoresNoop(client)) return await pollStatus(this, this.#selected?.path ?? 'INBOX')
    // imapflow returns false if NOOP fails, which its type does not show.
    const result: unknown = await client.noop()
    if (result === false) throw this.rejection('respond to NOOP')
  }

  /** Selected mailbox of the IMAP connection. Throws if no mailbox is selected. */
  get selected(): MailboxRef {
    if (!this.client.usable) throw this.#closedError()
    if (!this.#selected) throw new AppError('internal', 'No mailbox is selected')
    return this.#selected
  }

  /** Selected mailbox of the IMAP connection. Undefined if no mailbox is selected. */
  get selectedIfAny(): MailboxRef | undefined {
    return this.#selected
  }

  set selected(mailbox: MailboxRef | undefined) {
    if (!mailbox || !this.#wasSelected(mailbox)) this.notifications.clear()
    this.#selected = mailbox
  }

  /**
   * Closes the IMAP connection immediately. Running and later calls fail with the reason given
   * here.
   */
  end(reason: AppError): void {
    this.#reason ??= reason
    this.client.close()
  }

  /** Sends LOGOUT, waits for at most 2 s, then closes the IMAP connection. */
  async close(): Promise<void> {
    if (this.client.isClosed) return
    this.#closing = true
    await settleWithin(this.client.logout(), logoutMs)
    this.client.close()
  }

  #keepAlive(everyMs: number): void {
    const timer = setInterval(() => {
      if (!this.mutex.isIdle || ++this.#keepAlives > maxKeepAlives) return
      // A failure of the keep-alive NOOP is ignored here: the next call of the session reports it.
      this.mutex.run(() => this.perform((client) => this.noop(client))).catch(() => {})
    }, everyMs)
    timer.unref()
    this.client.once('close', () => clearInterval(timer))
  }

  /**
   * True if no other mailbox was selected on the IMAP connection after this mailbox. The server may
   * have closed the mailbox meanwhile.
   */
  #wasSelected({ path, uidValidity }: MailboxRef): boolean {
    return this.#selected?.path === path && this.#selected.uidValidity === uidValidity
  }

  #closedError(): AppError {
    return this.#byeErrorOr(connectionClosed(this.#reason))
  }

  /**
   * Error of a closed IMAP connection. Uses the text of the server's BYE, if any, because this text
   * explains more than the closed socket.
   */
  #byeErrorOr(error: AppError): AppError {
    const bye = this.client.byeReason
    if (bye === undefined || this.#closing || error.code !== 'ECONNRESET') return error
    return connectError(Object.assign(new Error('closed'), { code: 'NoConnection', reason: bye }))
  }
}

/**
 * True for the mail server Coremail of 163.com and other providers, which reports no changes on
 * NOOP.
 */
function ignoresNoop({ greeting = '', serverInfo }: ImapFlow): boolean {
  return /coremail/i.test(`${greeting} ${serverInfo?.name ?? ''}`)
}

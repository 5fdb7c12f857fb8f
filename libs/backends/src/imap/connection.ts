import { AppError } from '@posthorn/errors'
import { Mutex } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { ImapFlow, type ImapFlowOptions } from 'imapflow'
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

/** No command takes longer, whatever trickles in meanwhile. A silent server is noticed much earlier, by the socket's own timeout. */
export const commandMs = 5 * 60_000
/** A session that nobody uses is kept alive, but not for ever: it may have been forgotten. */
const maxKeepAlives = 12
/** A polite LOGOUT is worth this much waiting. */
const logoutMs = 2_000

/** The mailbox a call is meant for: UIDs mean nothing in another. */
export interface MailboxRef {
  path: string
  uidValidity: bigint
}

/** An imapflow client from its first byte to its last, and the one way to give it commands. */
export class ImapConnection {
  readonly client: ImapFlow
  readonly wire: Wire
  readonly mutex = new Mutex()
  readonly notifications = new NotificationBuffer()
  readonly closed: Promise<Error | undefined>
  readonly #refusals: RejectionLogger
  #reason: Error | undefined
  #closing = false
  #keepAlives = 0
  #open: MailboxRef | undefined

  constructor(options: ImapFlowOptions, log: Logger, transcript?: Transcript) {
    this.#refusals = new RejectionLogger(log)
    this.client = new ImapFlow({ ...options, logger: this.#refusals.logger(transcript) })
    // For as long as the client lives, closed or not: an 'error' event that nobody hears ends the process.
    this.client.on('error', (error) => (this.#reason ??= connectError(error)))
    const { promise, resolve } = Promise.withResolvers<Error | undefined>()
    this.closed = promise
    this.client.once('close', () => {
      if (!this.#closing) this.#reason ??= this.#byeOr(connectionClosed())
      resolve(this.#closing ? undefined : this.#reason)
    })
    this.wire = new Wire(this.client)
    this.notifications.listenTo(this.client, this.wire)
  }

  /** Connects and logs in. Whatever goes wrong, nothing stays open. */
  async connect(signal: AbortSignal, keepAliveMs: number): Promise<void> {
    const giveUp = () => this.end(connectAborted(signal))
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      if (signal.aborted) giveUp()
      await this.client.connect()
      if (!this.client.usable) throw this.#gone()
      // imapflow passes over a refusal of what it asks at the beginning.
      const refusal = this.#refusals.last
      if (refusal && invalidatesLogin(refusal)) throw refusal
      this.#keepAlive(keepAliveMs)
    } catch (error) {
      const reason = signal.aborted ? (this.#reason ?? error) : error
      this.end(connectError(reason))
      throw connectError(reason)
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** Runs commands when their turn has come. With a mailbox, only while that one is open. Every failure is an AppError. */
  async call<T>(
    work: (client: ImapFlow) => Promise<T>,
    mailbox?: MailboxRef,
    timeoutMs?: number,
  ): Promise<T> {
    this.#keepAlives = 0
    return await this.mutex.run(() => this.perform(work, mailbox, timeoutMs))
  }

  /** The same for whoever holds the lane already. */
  async perform<T>(
    work: (client: ImapFlow) => Promise<T>,
    mailbox?: MailboxRef,
    timeoutMs = commandMs,
  ): Promise<T> {
    if (!this.client.usable) throw this.#gone()
    if (mailbox && !this.#isOpen(mailbox))
      throw new AppError('unavailable', 'Another mailbox was opened meanwhile')
    this.#refusals.clear()
    const timer = setTimeout(
      () => this.end(timedOut('The mail server took too long to answer')),
      timeoutMs,
    )
    try {
      return await work(this.client)
    } catch (error) {
      throw this.#reason !== undefined && !this.client.usable ? this.#gone() : commandError(error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** The error behind an answer of imapflow that is merely `false`. */
  rejection(action: string): AppError {
    if (!this.client.usable) return this.#gone()
    const refusal = this.#refusals.last
    return refusal
      ? commandError(refusal)
      : new AppError('rejected', `The mail server did not ${action}`)
  }

  /** NOOP, for whoever holds the lane. Some servers do not count it as a sign of life: these are asked for counters. */
  async noop(client: ImapFlow): Promise<void> {
    if (ignoresNoop(client)) return await pollStatus(this, this.#open?.path ?? 'INBOX')
    // imapflow answers false where it failed, whatever its types say.
    const answer: unknown = await client.noop()
    if (answer === false) throw this.rejection('answer NOOP')
  }

  /** The mailbox that is open now. */
  get selected(): MailboxRef {
    if (!this.client.usable) throw this.#gone()
    if (!this.#open) throw new AppError('internal', 'No mailbox is open')
    return this.#open
  }

  /** The same, for whoever can do without. */
  get selectedIfAny(): MailboxRef | undefined {
    return this.#open
  }

  set selected(mailbox: MailboxRef | undefined) {
    const same =
      mailbox && this.#open?.path === mailbox.path && this.#open.uidValidity === mailbox.uidValidity
    if (!same) this.notifications.clear()
    this.#open = mailbox
  }

  /** Cuts the connection, for a reason of ours. */
  end(reason: AppError): void {
    this.#reason ??= reason
    this.client.close()
  }

  /** Says goodbye where that is quickly done, and closes. */
  async close(): Promise<void> {
    if (this.client.isClosed) return
    this.#closing = true
    const { promise: late, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => resolve(), logoutMs)
    await Promise.race([this.client.logout().catch(() => {}), late])
    clearTimeout(timer)
    this.client.close()
  }

  #keepAlive(everyMs: number): void {
    const timer = setInterval(() => {
      if (!this.mutex.isIdle || ++this.#keepAlives > maxKeepAlives) return
      // Whoever comes next sees what became of it.
      this.mutex.run(() => this.perform((client) => this.noop(client))).catch(() => {})
    }, everyMs)
    timer.unref()
    this.client.once('close', () => clearInterval(timer))
  }

  #isOpen({ path, uidValidity }: MailboxRef): boolean {
    return (
      this.client.mailbox !== false &&
      this.#open?.path === path &&
      this.#open.uidValidity === uidValidity
    )
  }

  #gone(): AppError {
    return this.#byeOr(connectionClosed(this.#reason))
  }

  /** The server's parting words explain more than a closed socket. */
  #byeOr(error: AppError): AppError {
    const bye = this.client.byeReason
    if (bye === undefined || this.#closing || error.code !== 'ECONNRESET') return error
    return connectError(Object.assign(new Error('closed'), { code: 'NoConnection', reason: bye }))
  }
}

/** Coremail, behind 163.com and its like. */
function ignoresNoop({ greeting = '', serverInfo }: ImapFlow): boolean {
  return /coremail/i.test(`${greeting} ${serverInfo?.name ?? ''}`)
}

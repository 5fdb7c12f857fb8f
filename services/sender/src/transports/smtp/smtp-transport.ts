import { setImmediate } from 'node:timers/promises'
import type { Bus } from '@posthorn/bus'
import type { NetworkRouting, SettingsCache } from '@posthorn/db'
import type { UnsealLogin } from '@posthorn/unseal'
import type { Submission } from '../../store/submission.ts'
import { findSentCopy, isFiledByServer } from '../sent-copy.ts'
import {
  assertAttemptsLeft,
  assertSendable,
  type FailedSend,
  outcomeOf,
  PreAttemptError,
  SendError,
  type SendOptions,
  type SendOutcome,
  type SendResult,
  type Transport,
} from '../transport.ts'
import { networkRoutingOf } from './connect.ts'
import { type Destination, resolveDestination } from './destination.ts'
import type { OutgoingMessage } from './handover-stream.ts'
import { type SessionOptions, type SmtpLimits, SmtpSession } from './smtp-session.ts'

export interface SmtpTransportDeps {
  bus: Pick<Bus, 'request'>
  unsealLogin: UnsealLogin
  settings: SettingsCache
  limits: SmtpLimits
  /** Timeout of a credentials request to auth-bridge, including its upstream calls. */
  credentialsMs: number
  /**
   * Maximum time for which an unavailable Sent mailbox delays a message that an earlier attempt may
   * have sent.
   */
  findSentMs: number
}

/**
 * Response that replaces the lost reply of the mail server, after the message was found in the Sent
 * mailbox.
 */
const sentCopyResponse =
  'Found in the Sent folder of the account: the reply to the previous attempt was lost'

/**
 * Sends submissions by SMTP, to the server of the account or to a gateway (shared SMTP server).
 *
 * SMTP cannot tell whether a server has a message (RFC 1047). After an unknown outcome, the Sent
 * mailbox is searched if the server files sent mail. Otherwise the same bytes are sent again.
 */
export class SmtpTransport implements Transport, AsyncDisposable {
  readonly #deps: SmtpTransportDeps
  readonly #sessions: SessionPool

  constructor(deps: SmtpTransportDeps) {
    this.#deps = deps
    this.#sessions = new SessionPool(deps.limits)
  }

  async send(submission: Submission, options: SendOptions): Promise<SendOutcome> {
    try {
      if (await this.#hasSentCopy(submission, options)) return foundInSent(submission)
      assertAttemptsLeft(submission, submission.maybeSent)
      if (submission.maybeSent) options.log.warn('resending after unknown outcome')
      return await this.#transmit(submission, options)
    } catch (error) {
      return withoutOwnProxy(submission, outcomeOf(error))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sessions[Symbol.asyncDispose]()
  }

  async #transmit(submission: Submission, options: SendOptions): Promise<SendOutcome> {
    const settings = await this.#deps.settings.get().catch((cause: unknown) => {
      throw new PreAttemptError('settings unavailable', { cause })
    })
    assertSendable(submission)
    const { signal, onAccepted } = options
    const destination = await resolveDestination(submission, { ...this.#deps, settings, signal })
    const result = await this.#sessions.send({ ...submission, ...options, destination })
    onAccepted()
    return { kind: 'accepted', ...result }
  }

  /**
   * True if an earlier attempt to send the submission was accepted. Searches the Sent mailbox only
   * if the mail server itself files sent mail. A partly sent message is in the Sent mailbox in any
   * case, so its Sent copy proves nothing.
   */
  async #hasSentCopy(submission: Submission, { log, signal }: SendOptions): Promise<boolean> {
    const { maybeSent, partlySent } = submission
    if (!maybeSent || partlySent || !isFiledByServer(submission)) return false
    const { bus, findSentMs } = this.#deps
    const hasCopy = await findSentCopy({ bus, findSentMs, log, signal }, submission)
    if (hasCopy) log.warn('message with an unknown outcome found in the Sent mailbox')
    return hasCopy
  }
}

/**
 * Result of a message that an earlier attempt has sent. The server accepted the recipients that the
 * earlier attempt had handed over.
 */
function foundInSent({ envelope: { to }, handedOver }: Submission): SendOutcome {
  const accepted = handedOver ? to.filter((address) => handedOver.includes(address)) : to
  const untried = to.filter((address) => !accepted.includes(address))
  const response = sentCopyResponse
  return { kind: 'accepted', response, accepted, rejected: [], untried, hasSentCopy: true }
}

/**
 * Removes the suspension of other submissions from a failure of a proxy that only this submission
 * uses. Such a failure does not concern other submissions to the server.
 */
function withoutOwnProxy({ proxy }: Submission, failed: FailedSend): FailedSend {
  if (failed.failure.code !== 'EPROXY' || !proxy) return failed
  const { suspends: _lane, ...outcome } = failed
  return outcome
}

interface IdleSession {
  key: string
  session: SmtpSession
  timer: NodeJS.Timeout
}

/**
 * Maximum number of idle SMTP sessions over all destinations. Above the maximum, the longest idle
 * session is closed.
 */
const maxIdle = 200

/**
 * Pool of SMTP submission sessions (RFC 6409). Keeps sessions for `idleMs` after a message and
 * reuses the sessions for the same destination. The caller limits the number of concurrent
 * messages.
 */
class SessionPool implements AsyncDisposable {
  readonly #limits: SmtpLimits
  /** Idle SMTP sessions, longest idle session first. */
  readonly #idle = new Set<IdleSession>()
  #closed = false

  constructor(limits: SmtpLimits) {
    this.#limits = limits
  }

  /** Sends one message by SMTP. A failure is a SendError, with the network path of the attempt. */
  async send(message: OutgoingMessage): Promise<SendResult> {
    const { destination, signal } = message
    const reused = this.#take(destination)
    if (reused) {
      try {
        return await this.#sendOver(reused, message)
      } catch (error) {
        // Opens a new SMTP session if the mail server has closed the idle session, which is no
        // failure of the message.
        if (!isStaleSession(error)) throw error
      }
    }
    return this.#sendOver(await openSession({ destination, limits: this.#limits, signal }), message)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const entry of this.#idle) this.#close(entry)
  }

  async #sendOver(session: SmtpSession, message: OutgoingMessage): Promise<SendResult> {
    try {
      const result = await session.send(message)
      // The SMTP session returns to the pool before the result of its message is returned, so that
      // the next message finds the session.
      await this.#keep(message.destination, session)
      return result
    } catch (error) {
      // A message rejected before MAIL FROM leaves the SMTP session usable.
      if (session.usable) await this.#keep(message.destination, session)
      throw withRouting(error, session.routing)
    }
  }

  /**
   * Removes the SMTP session that was used last from the pool, and returns the session. Closes
   * broken sessions.
   */
  #take({ key }: Destination): SmtpSession | undefined {
    for (const entry of [...this.#idle].toReversed()) {
      if (entry.key !== key) continue
      this.#remove(entry)
      if (entry.session.usable) return entry.session
      entry.session.destroy()
    }
    return undefined
  }

  async #keep({ key }: Destination, session: SmtpSession): Promise<void> {
    // An SMTP session is reused only after this delay. Unexpected data after the reply to the last
    // command is read meanwhile and marks the session as broken.
    await setImmediate()
    await setImmediate()
    if (this.#closed || !session.usable) return session.close()
    const timer = setTimeout(() => this.#close(entry), this.#limits.idleMs)
    timer.unref()
    const entry = { key, session, timer }
    this.#idle.add(entry)
    const [oldest] = this.#idle
    if (oldest && this.#idle.size > maxIdle) this.#close(oldest)
  }

  #close(entry: IdleSession): void {
    this.#remove(entry)
    entry.session.close()
  }

  #remove(entry: IdleSession): void {
    clearTimeout(entry.timer)
    this.#idle.delete(entry)
  }
}

/** Opens an SMTP session. If this fails, the error reports the network path that was intended. */
async function openSession(options: SessionOptions): Promise<SmtpSession> {
  const { destination } = options
  try {
    return await SmtpSession.open(options)
  } catch (error) {
    const [localAddress] = destination.localAddresses
    const path = { localAddress, name: destination.ehloName }
    throw withRouting(error, networkRoutingOf(destination, path))
  }
}

function withRouting(error: unknown, routing: NetworkRouting | undefined): unknown {
  if (!(error instanceof SendError) || routing === undefined) return error
  return new SendError({ ...error.outcome, routing }, { cause: error.cause })
}

/** True if the SMTP session had ended before the server replied to the message. */
function isStaleSession(error: unknown): boolean {
  if (!(error instanceof SendError)) return false
  const { code = '', response, responseCode, command } = error.outcome.failure
  if (command !== 'MAIL FROM') return false
  const isLost = ['ECONNECTION', 'ECONNRESET', 'EPIPE', 'ESOCKET', 'ETIMEDOUT'].includes(code)
  return responseCode === 421 || (isLost && response === undefined)
}

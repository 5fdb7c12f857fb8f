import { setImmediate } from 'node:timers/promises'
import type { NetworkRouting } from '@posthorn/db'
import { SendError, type SendResult } from '../transport.ts'
import { networkRoutingOf } from './connect.ts'
import type { Destination, OutgoingMessage } from './outgoing-message.ts'
import { type SessionOptions, type SmtpLimits, SmtpSession } from './smtp-session.ts'

interface IdleSession {
  key: string
  session: SmtpSession
  timer: NodeJS.Timeout
}

/** Maximum idle sessions over all destinations. Beyond it, the longest idle session is closed. */
const maxIdle = 200

/**
 * Sessions of SMTP submission (RFC 6409). Keeps sessions for `idleMs` after a message and reuses
 * them for the same destination. The caller limits the number of concurrent messages.
 */
export class SessionPool implements AsyncDisposable {
  readonly #limits: SmtpLimits
  /** Idle sessions, longest idle session first. */
  readonly #idle = new Set<IdleSession>()
  #closed = false

  constructor(limits: SmtpLimits) {
    this.#limits = limits
  }

  /** Sends one message. Failures are a SendError, with the network path of the attempt. */
  async send(message: OutgoingMessage): Promise<SendResult> {
    const { destination, signal } = message
    const reused = this.#take(destination)
    if (reused) {
      try {
        return await this.#sendOver(reused, message)
      } catch (error) {
        // A server that closed the idle session is not a failure of the message.
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
      // Before returning, so that the next message finds the session.
      await this.#keep(message.destination, session)
      return result
    } catch (error) {
      // A message rejected before MAIL FROM leaves the session usable.
      if (session.usable) await this.#keep(message.destination, session)
      throw withRouting(error, session.routing)
    }
  }

  /** Removes and returns the session that was used last. Closes broken sessions. */
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
    // Lets the session read unexpected data behind the last reply, which marks the session as
    // broken.
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

/** Opens a session. A failure reports the intended network path. */
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

/** True if the session had ended before the server replied to the message. */
function isStaleSession(error: unknown): boolean {
  if (!(error instanceof SendError)) return false
  const { code = '', response, responseCode, command } = error.outcome.failure
  if (command !== 'MAIL FROM') return false
  const isLost = ['ECONNECTION', 'ECONNRESET', 'EPIPE', 'ESOCKET', 'ETIMEDOUT'].includes(code)
  return responseCode === 421 || (isLost && response === undefined)
}

import { setImmediate } from 'node:timers/promises'
import { DeliveryError } from '../delivery/delivery-error.ts'
import { SmtpSession, type SmtpLimits } from './smtp-session.ts'
import type { Accepted, OutgoingMessage, Target, Transport } from './transport.ts'

interface Idle {
  session: SmtpSession
  timer: NodeJS.Timeout
}

/**
 * SMTP submission (RFC 6409). Sessions are kept for a while after a message and used again for the next one of the same target; how
 * many there are at once is up to the caller.
 */
export class SmtpTransport implements Transport {
  readonly #limits: SmtpLimits
  readonly #idle = new Map<string, Idle[]>()
  #closed = false

  constructor(limits: SmtpLimits) {
    this.#limits = limits
  }

  async send(message: OutgoingMessage): Promise<Accepted> {
    const { target, signal } = message
    const used = this.#take(target)
    if (used) {
      try {
        return await this.#sendOver(used, message)
      } catch (error) {
        // The server ended the session while it was idle, and we found out only now: that is no failure of this message.
        if (!wasGone(error)) throw error
      }
    }
    return this.#sendOver(await SmtpSession.open(target, this.#limits, signal), message)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const { session, timer } of [...this.#idle.values()].flat()) {
      clearTimeout(timer)
      session.close()
    }
    this.#idle.clear()
  }

  async #sendOver(session: SmtpSession, message: OutgoingMessage): Promise<Accepted> {
    const accepted = await session.send(message)
    void this.#keep(message.target, session)
    return accepted
  }

  #take({ key }: Target): SmtpSession | undefined {
    const idle = this.#idle.get(key)
    for (let last = idle?.pop(); last; last = idle?.pop()) {
      clearTimeout(last.timer)
      if (last.session.usable) return last.session
      last.session.destroy()
    }
    return undefined
  }

  async #keep({ key }: Target, session: SmtpSession): Promise<void> {
    // What came along with the last reply is read by now; a session with replies to spare is broken.
    await setImmediate()
    await setImmediate()
    if (this.#closed || !session.usable) return session.close()
    const idle = this.#idle.get(key) ?? []
    this.#idle.set(key, idle)
    const timer = setTimeout(() => {
      idle.splice(idle.indexOf(entry), 1)
      if (idle.length === 0 && this.#idle.get(key) === idle) this.#idle.delete(key)
      session.close()
    }, this.#limits.idleMs)
    timer.unref()
    const entry = { session, timer }
    idle.push(entry)
  }
}

/** A session that was over before the server said anything about the message. */
function wasGone(error: unknown): boolean {
  if (!(error instanceof DeliveryError)) return false
  const { code = '', response, responseCode, command } = error.failure
  if (command !== 'MAIL FROM') return false
  const lost = ['ECONNECTION', 'ECONNRESET', 'EPIPE', 'ESOCKET', 'ETIMEDOUT'].includes(code)
  return responseCode === 421 || (lost && response === undefined)
}

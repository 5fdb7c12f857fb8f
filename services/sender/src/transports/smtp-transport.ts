import { setImmediate } from 'node:timers/promises'
import { AttemptError } from './stage-errors.ts'
import { routingOf } from './routing.ts'
import { SmtpSession, type SmtpLimits } from './smtp-session.ts'
import type { SendResult, OutgoingMessage, Destination, Transport } from './transport.ts'

interface Idle {
  key: string
  session: SmtpSession
  timer: NodeJS.Timeout
}

/** Unused sessions kept at once, over all targets: the one that has waited longest goes first. */
const maxIdle = 200

/**
 * SMTP submission (RFC 6409). Sessions are kept for a while after a message and used again for the next one of the same target; how
 * many there are at once is up to the caller.
 */
export class SmtpTransport implements Transport {
  readonly #limits: SmtpLimits
  readonly #idle = new Map<string, Idle[]>()
  /** The same, longest unused first. */
  readonly #byAge = new Set<Idle>()
  #closed = false

  constructor(limits: SmtpLimits) {
    this.#limits = limits
  }

  async send(message: OutgoingMessage): Promise<SendResult> {
    const { destination: target, signal } = message
    const used = this.#take(target)
    if (used) {
      try {
        return await this.#sendOver(used, message)
      } catch (error) {
        // The server ended the session while it was idle, and we found out only now: that is no failure of this message.
        if (!wasGone(error)) throw error
      }
    }
    return this.#sendOver(await open(target, this.#limits, signal), message)
  }

  /** Sessions that wait for another message. */
  get idle(): number {
    return this.#byAge.size
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    for (const entry of this.#byAge) this.#drop(entry)
  }

  async #sendOver(session: SmtpSession, message: OutgoingMessage): Promise<SendResult> {
    try {
      const accepted = await session.send(message)
      // Whoever comes next finds it.
      await this.#keep(message.destination, session)
      return accepted
    } catch (error) {
      // What this server cannot say ended nothing: the session is as good as before.
      if (session.usable) await this.#keep(message.destination, session)
      if (error instanceof AttemptError) error.routing = session.routing
      throw error
    }
  }

  #take({ key }: Destination): SmtpSession | undefined {
    const entries = this.#idle.get(key) ?? []
    for (let last = entries.at(-1); last; last = entries.at(-1)) {
      this.#forget(last)
      if (last.session.usable) return last.session
      last.session.destroy()
    }
    return undefined
  }

  async #keep({ key }: Destination, session: SmtpSession): Promise<void> {
    // What came along with the last reply is read by now; a session with replies to spare is broken.
    await setImmediate()
    await setImmediate()
    if (this.#closed || !session.usable) return session.close()
    const timer = setTimeout(() => this.#drop(entry), this.#limits.idleMs)
    timer.unref()
    const entry = { key, session, timer }
    const entries = this.#idle.get(key) ?? []
    this.#idle.set(key, entries)
    entries.push(entry)
    this.#byAge.add(entry)
    const [oldest] = this.#byAge
    if (oldest && this.#byAge.size > maxIdle) this.#drop(oldest)
  }

  #drop(entry: Idle): void {
    this.#forget(entry)
    entry.session.close()
  }

  #forget(entry: Idle): void {
    clearTimeout(entry.timer)
    this.#byAge.delete(entry)
    const entries = this.#idle.get(entry.key) ?? []
    entries.splice(entries.lastIndexOf(entry), 1)
    if (entries.length === 0) this.#idle.delete(entry.key)
  }
}

/** A failure tells the way that was meant to be gone. */
async function open(
  target: Destination,
  limits: SmtpLimits,
  signal: AbortSignal,
): Promise<SmtpSession> {
  try {
    return await SmtpSession.open(target, limits, signal)
  } catch (error) {
    const [localAddress] = target.localAddresses
    if (error instanceof AttemptError)
      error.routing = routingOf(target, { localAddress, name: target.ehloName })
    throw error
  }
}

/** A session that was over before the server said anything about the message. */
function wasGone(error: unknown): boolean {
  if (!(error instanceof AttemptError)) return false
  const { code = '', response, responseCode, command } = error.failure
  if (command !== 'MAIL FROM') return false
  const lost = ['ECONNECTION', 'ECONNRESET', 'EPIPE', 'ESOCKET', 'ETIMEDOUT'].includes(code)
  return responseCode === 421 || (lost && response === undefined)
}

import { backoff } from '@posthorn/flow'

/**
 * Number of lost connections at the SELECT or STATUS of a mailbox after which the mailbox is parked
 * (left out of syncs). A single loss may have another cause.
 */
const maxLosses = 2
const maxParkedMs = 6 * 3_600_000

interface Losses {
  count: number
  /** Time from which the parked mailbox may be selected again, in epoch milliseconds. */
  until: number
}

/**
 * Mailboxes of an account at whose SELECT or STATUS the IMAP connection is lost. After two
 * consecutive losses, a mailbox is parked: left out of syncs, so that other mailboxes are synced.
 * The delay until the mailbox is tried again doubles up to 6 h. While a mailbox is parked, further
 * mailboxes are parked after a single loss.
 */
export class ParkedMailboxes {
  readonly #losses = new Map<string, Losses>()
  readonly #delayMs: (times: number) => number

  constructor(minParkedMs: number) {
    this.#delayMs = backoff({ baseMs: minParkedMs, maxMs: maxParkedMs })
  }

  /**
   * Earliest time at which a parked mailbox may be tried again. Infinity if no mailbox is parked.
   */
  get nextTryAt(): number {
    return Math.min(Infinity, ...[...this.#losses].map(([path]) => this.#parkedUntil(path)))
  }

  /**
   * True if the mailbox is parked (left out of syncs). Also true after the delay of the mailbox,
   * until a try succeeds.
   */
  isParked(path: string): boolean {
    return this.#parkedUntil(path) < Infinity
  }

  mayTry(path: string, now: number): boolean {
    return now >= this.#parkedUntil(path)
  }

  /** Records that the IMAP connection was lost during a SELECT or STATUS of the mailbox. */
  add(path: string, now: number): void {
    const isFurther = this.nextTryAt < Infinity && !this.#losses.has(path)
    const count = (this.#losses.get(path)?.count ?? 0) + (isFurther ? maxLosses : 1)
    const until = now + this.#delayMs(Math.max(1, count - maxLosses + 1))
    this.#losses.set(path, { count, until })
  }

  clear(path: string): void {
    this.#losses.delete(path)
  }

  clearAll(): void {
    this.#losses.clear()
  }

  /** Removes the recorded connection losses of mailboxes whose paths are not listed any more. */
  retain(paths: Iterable<string>): void {
    const kept = new Set(paths)
    for (const path of this.#losses.keys()) if (!kept.has(path)) this.#losses.delete(path)
  }

  #parkedUntil(path: string): number {
    const losses = this.#losses.get(path)
    return losses && losses.count >= maxLosses ? losses.until : Infinity
  }
}

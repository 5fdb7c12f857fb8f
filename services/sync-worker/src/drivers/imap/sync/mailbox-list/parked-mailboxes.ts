import { backoff } from '@posthorn/flow'

/**
 * Number of connection losses at the opening of a mailbox before the mailbox is parked (left out of
 * syncs). A single loss may have another cause.
 */
const maxLosses = 2
const maxParkedMs = 6 * 3_600_000

interface Losses {
  count: number
  /** Time from which the mailbox may be opened again. */
  until: number
}

/**
 * Mailboxes of an account whose opening ends the connection. After two losses in a row a mailbox is
 * left out, so that other mailboxes are synced. The delay until the mailbox is tried again doubles
 * up to 6 h. While a mailbox is parked, further mailboxes are parked after one loss.
 */
export class ParkedMailboxes {
  readonly #losses = new Map<string, Losses>()
  readonly #delayMs: (times: number) => number

  constructor(minParkedMs: number) {
    this.#delayMs = backoff({ baseMs: minParkedMs, maxMs: maxParkedMs })
  }

  /**
   * Time at which the first parked mailbox may be tried again. Infinity if no mailbox is parked.
   */
  get nextTryAt(): number {
    return Math.min(Infinity, ...[...this.#losses].map(([path]) => this.#parkedUntil(path)))
  }

  /** True if the mailbox is parked, even if the mailbox may be tried again. */
  isParked(path: string): boolean {
    return this.#parkedUntil(path) < Infinity
  }

  mayTry(path: string, now: number): boolean {
    return now >= this.#parkedUntil(path)
  }

  /** Records that the connection was lost while the mailbox was opened. */
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

  /** Evicts mailboxes whose path is not listed, such as deleted mailboxes. */
  retain(paths: Iterable<string>): void {
    const kept = new Set(paths)
    for (const path of this.#losses.keys()) if (!kept.has(path)) this.#losses.delete(path)
  }

  #parkedUntil(path: string): number {
    const losses = this.#losses.get(path)
    return losses && losses.count >= maxLosses ? losses.until : Infinity
  }
}

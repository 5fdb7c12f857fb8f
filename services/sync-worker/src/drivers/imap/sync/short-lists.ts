import { backoff } from '@posthorn/flow'

interface Gap {
  readonly uidValidity: bigint
  readonly since: number
  tries: number
  /** Time of the next list of the mailbox. Infinity after the gap has lasted. */
  nextTryAt: number
  /** Last UID that was requested because lists lack it. */
  checkedTo: number
}

export interface ShortListOptions {
  /** Delay of the list that follows the first short list. Doubles for each further list. */
  minDelayMs: number
  /** Time for which lists must be short before they are accepted. */
  lastingMs: number
  now?: () => number
}

/** Age of a gap from which the first list of a mailbox is accepted: no client can read before. */
const firstMs = 60_000

/**
 * Mailboxes of an account whose lists are shorter than the number of messages that the server
 * reports. A gap begins with a short list and ends with a complete list. Until the gap has lasted,
 * the mailbox is listed again after growing delays; after that, with the usual syncs only.
 */
export class ShortLists {
  readonly #gaps = new Map<string, Gap>()
  readonly #delayMs: (times: number) => number
  readonly #lastingMs: number
  readonly #now: () => number

  constructor({ minDelayMs, lastingMs, now = Date.now }: ShortListOptions) {
    this.#delayMs = backoff({ baseMs: minDelayMs })
    this.#lastingMs = lastingMs
    this.#now = now
  }

  /** Time at which the first mailbox with a gap is listed again. */
  get nextTryAt(): number {
    return Math.min(Infinity, ...[...this.#gaps.values()].map(({ nextTryAt }) => nextTryAt))
  }

  /** Takes the mailboxes that are due. Their next lists are due later, whatever these lists say. */
  takeDue(): ReadonlySet<string> {
    const now = this.#now()
    const due = [...this.#gaps].filter(([, gap]) => gap.nextTryAt <= now)
    for (const [, gap] of due) this.#schedule(gap, now)
    return new Set(due.map(([mailbox]) => mailbox))
  }

  /** Adds a short list. True if a gap begins. */
  add(mailbox: string, uidValidity: bigint): boolean {
    if (this.#gaps.get(mailbox)?.uidValidity === uidValidity) return false
    const now = this.#now()
    const gap = { uidValidity, since: now, tries: 0, nextTryAt: now, checkedTo: 0 }
    this.#schedule(gap, now)
    this.#gaps.set(mailbox, gap)
    return true
  }

  has(mailbox: string): boolean {
    return this.#gaps.has(mailbox)
  }

  /** True if the first list of a mailbox is accepted although it is short: it deletes nothing. */
  acceptsFirst(mailbox: string): boolean {
    return this.#hasLasted(mailbox, Math.min(firstMs, this.#lastingMs))
  }

  /** True if all lists of the mailbox have been short for the time that accepts them. */
  isLasting(mailbox: string): boolean {
    return this.#hasLasted(mailbox, this.#lastingMs)
  }

  /** Last UID that was requested in the gap; 0 before the first request. */
  checkedTo(mailbox: string): number {
    return this.#gaps.get(mailbox)?.checkedTo ?? 0
  }

  setChecked(mailbox: string, uid: number): void {
    const gap = this.#gaps.get(mailbox)
    if (gap) gap.checkedTo = uid
  }

  /** Ends the gap of a mailbox. True if the mailbox had a gap. */
  clear(mailbox: string): boolean {
    return this.#gaps.delete(mailbox)
  }

  /** Evicts mailboxes that are not synced any more. */
  retain(mailboxes: Iterable<string>): void {
    const kept = new Set(mailboxes)
    for (const mailbox of this.#gaps.keys()) if (!kept.has(mailbox)) this.#gaps.delete(mailbox)
  }

  #hasLasted(mailbox: string, ms: number): boolean {
    const gap = this.#gaps.get(mailbox)
    return gap !== undefined && this.#now() >= gap.since + ms
  }

  #schedule(gap: Gap, now: number): void {
    const lastsAt = gap.since + this.#lastingMs
    gap.nextTryAt = now >= lastsAt ? Infinity : Math.min(now + this.#delayMs(++gap.tries), lastsAt)
  }
}

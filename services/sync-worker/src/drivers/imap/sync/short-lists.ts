import { backoff } from '@posthorn/flow'

interface Gap {
  readonly uidValidity: bigint
  readonly since: number
  tries: number
  /**
   * Time at which the messages of the mailbox are listed next. Infinity once the gap (period of
   * short lists) has lasted for `lastingMs`.
   */
  nextTryAt: number
  /** Highest UID in the last request for messages that the lists of a mailbox lack. */
  checkedTo: number
}

export interface ShortListOptions {
  /**
   * Delay until a mailbox is listed again after its first short list. Doubles for each further
   * list.
   */
  minDelayMs: number
  /** Period for which the lists of a mailbox must be short before a short list is accepted. */
  lastingMs: number
  now?: () => number
}

/**
 * Age of a gap (period of short lists) from which the first list of a mailbox is accepted. Clients
 * cannot read the mailbox before its first sync.
 */
const firstMs = 60_000

/**
 * Mailboxes of an account with a gap: the server's lists of messages are shorter than the number of
 * messages that the server reports. A gap begins with a short list and ends with a complete list.
 * Until the gap has lasted for `lastingMs`, the mailbox is listed again after growing delays. After
 * that, it is listed only by the usual syncs.
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

  /** Earliest time at which a mailbox with a gap (short lists) has to be listed again. */
  get nextTryAt(): number {
    return Math.min(Infinity, ...[...this.#gaps.values()].map(({ nextTryAt }) => nextTryAt))
  }

  /** Returns the mailboxes to list now, and schedules the next list of each mailbox. */
  takeDue(): ReadonlySet<string> {
    const now = this.#now()
    const due = [...this.#gaps].filter(([, gap]) => gap.nextTryAt <= now)
    for (const [, gap] of due) this.#schedule(gap, now)
    return new Set(due.map(([mailbox]) => mailbox))
  }

  /** Records that a list of a mailbox is short. Returns true if a gap begins with this list. */
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

  /** True if all lists of the mailbox have been short long enough to accept a short list. */
  isLasting(mailbox: string): boolean {
    return this.#hasLasted(mailbox, this.#lastingMs)
  }

  /**
   * Highest UID in the last request for unlisted messages of a mailbox. 0 before the first request.
   */
  checkedTo(mailbox: string): number {
    return this.#gaps.get(mailbox)?.checkedTo ?? 0
  }

  setChecked(mailbox: string, uid: number): void {
    const gap = this.#gaps.get(mailbox)
    if (gap) gap.checkedTo = uid
  }

  /** Ends the gap (period of short lists) of a mailbox. Returns true if there was a gap. */
  clear(mailbox: string): boolean {
    return this.#gaps.delete(mailbox)
  }

  /** Removes the gaps (periods of short lists) of mailboxes that are not synced any more. */
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

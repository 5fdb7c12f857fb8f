/** Time for which a server must count unlisted messages before the messages are requested. */
const lastingMs = 10 * 60_000

/** Mailboxes whose lists are shorter than the server's number of messages. */
export class ShortLists {
  readonly #now: () => number
  readonly #gaps = new Map<string, { gap: number; since: number }>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Adds the gap of a list. False if the list before had the same gap. */
  add(mailbox: string, gap: number): boolean {
    if (this.#gaps.get(mailbox)?.gap === gap) return false
    this.#gaps.set(mailbox, { gap, since: this.#now() })
    return true
  }

  /** True if the lists of a mailbox have had this gap for 10 minutes. */
  isLasting(mailbox: string, gap: number): boolean {
    const before = this.#gaps.get(mailbox)
    return before?.gap === gap && this.#now() - before.since >= lastingMs
  }

  /** Forgets a mailbox whose list is complete. */
  clear(mailbox: string): void {
    this.#gaps.delete(mailbox)
  }
}

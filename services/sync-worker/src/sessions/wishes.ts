/** What is wished for since it was last asked. */
export interface Wished {
  /** Every mailbox is to be looked at in full. */
  all: boolean
  /** These are, by id. */
  mailboxes: ReadonlySet<string>
  /** These are to be opened, whatever is told of them. */
  distrusted: ReadonlySet<string>
}

/** What others want the session that syncs to look at: several wishes before it gets to them are one. */
export class Wishes {
  #all = false
  #mailboxes = new Set<string>()
  #distrusted = new Set<string>()
  #made = new AbortController()

  /** Aborted while there are wishes. */
  get made(): AbortSignal {
    return this.#made.signal
  }

  wishForAll(): void {
    this.#all = true
    this.#made.abort()
  }

  wishFor(mailboxes: Iterable<string>): void {
    for (const mailbox of mailboxes) this.#mailboxes.add(mailbox)
    if (this.#mailboxes.size > 0) this.#made.abort()
  }

  wishToOpen(mailbox: string): void {
    this.#distrusted.add(mailbox)
    this.#made.abort()
  }

  take(): Wished {
    const wished = { all: this.#all, mailboxes: this.#mailboxes, distrusted: this.#distrusted }
    this.#all = false
    this.#mailboxes = new Set()
    this.#distrusted = new Set()
    if (this.#made.signal.aborted) this.#made = new AbortController()
    return wished
  }
}

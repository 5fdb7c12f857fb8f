/** What is wished for since it was last asked. */
export interface PendingSync {
  /** Every mailbox is to be looked at in full. */
  all: boolean
  /** These are, by id. */
  mailboxes: ReadonlySet<string>
  /** These are to be opened, whatever is told of them. */
  reselect: ReadonlySet<string>
}

/** What others want the session that syncs to look at: several wishes before it gets to them are one. */
export class SyncRequests {
  #all = false
  #mailboxes = new Set<string>()
  #reselect = new Set<string>()
  #made = new AbortController()

  /** Aborted while there are wishes. */
  get pending(): AbortSignal {
    return this.#made.signal
  }

  requestFull(): void {
    this.#all = true
    this.#made.abort()
  }

  requestMailboxes(mailboxes: Iterable<string>): void {
    for (const mailbox of mailboxes) this.#mailboxes.add(mailbox)
    if (this.#mailboxes.size > 0) this.#made.abort()
  }

  requestReselect(mailbox: string): void {
    this.#reselect.add(mailbox)
    this.#made.abort()
  }

  take(): PendingSync {
    const wished = { all: this.#all, mailboxes: this.#mailboxes, reselect: this.#reselect }
    this.#all = false
    this.#mailboxes = new Set()
    this.#reselect = new Set()
    if (this.#made.signal.aborted) this.#made = new AbortController()
    return wished
  }
}

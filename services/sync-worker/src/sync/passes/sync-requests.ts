/** Sync requests since the last `take`. */
export interface PendingSync {
  /** True to compare all mailboxes in full. */
  all: boolean
  /** Ids of mailboxes to sync. */
  mailboxes: ReadonlySet<string>
  /** Ids of mailboxes to select whatever their counters are. */
  reselect: ReadonlySet<string>
}

/** Sync requests of commands to the session that syncs. Requests before a `take` are merged. */
export class SyncRequests {
  #all = false
  #mailboxes = new Set<string>()
  #reselect = new Set<string>()
  #pending = new AbortController()

  /** Aborted while there are requests. */
  get pending(): AbortSignal {
    return this.#pending.signal
  }

  requestFull(): void {
    this.#all = true
    this.#pending.abort()
  }

  requestMailboxes(mailboxes: Iterable<string>): void {
    for (const mailbox of mailboxes) this.#mailboxes.add(mailbox)
    if (this.#mailboxes.size > 0) this.#pending.abort()
  }

  requestReselect(mailbox: string): void {
    this.#reselect.add(mailbox)
    this.#pending.abort()
  }

  /** Returns and clears the requests. */
  take(): PendingSync {
    const requests = { all: this.#all, mailboxes: this.#mailboxes, reselect: this.#reselect }
    this.#all = false
    this.#mailboxes = new Set()
    this.#reselect = new Set()
    if (this.#pending.signal.aborted) this.#pending = new AbortController()
    return requests
  }
}

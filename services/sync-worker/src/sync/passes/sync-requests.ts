/** Sync requests of commands to the session that syncs. Requests before a `take` are merged. */
export class SyncRequests {
  #requests = noRequests()
  #pending = new AbortController()

  /** Aborted while there are requests. */
  get pending(): AbortSignal {
    return this.#pending.signal
  }

  requestFull(): void {
    this.#requests.all = true
    this.#pending.abort()
  }

  requestMailboxes(mailboxes: Iterable<string>): void {
    for (const mailbox of mailboxes) this.#requests.mailboxes.add(mailbox)
    if (this.#requests.mailboxes.size > 0) this.#pending.abort()
  }

  requestReselect(mailbox: string): void {
    this.#requests.reselect.add(mailbox)
    this.#pending.abort()
  }

  /** Returns and clears the requests. */
  take(): ReturnType<typeof noRequests> {
    const requests = this.#requests
    this.#requests = noRequests()
    if (this.#pending.signal.aborted) this.#pending = new AbortController()
    return requests
  }
}

function noRequests() {
  return {
    /** True to compare all mailboxes in full. */
    all: false,
    /** Ids of mailboxes to sync. */
    mailboxes: new Set<string>(),
    /** Ids of mailboxes to select whatever their counters are. */
    reselect: new Set<string>(),
  }
}

/** Most noticed messages that are requested apart; more are a full sync. */
const maxMessages = 100

/**
 * Sync requests of commands and notifications to the session that syncs. Requests before a `take`
 * are merged.
 */
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

  /** Requests the changes of messages that a provider noticed. */
  requestMessages(messages: Iterable<{ id: string; isDeleted?: boolean | undefined }>): void {
    const noticed = this.#requests.messages
    for (const { id, isDeleted = false } of messages)
      noticed.set(id, isDeleted && (noticed.get(id) ?? true))
    if (noticed.size > maxMessages) {
      noticed.clear()
      this.#requests.all = true
    }
    this.#pending.abort()
  }

  requestReselect(mailbox: string): void {
    this.#requests.reselect.add(mailbox)
    this.#pending.abort()
  }

  /** Interrupts the session between two syncs, without a request. */
  interrupt(): void {
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
    /** Ids of noticed messages. True for deleted ones. */
    messages: new Map<string, boolean>(),
    /** Ids of mailboxes to select whatever their counters are. */
    reselect: new Set<string>(),
  }
}

/** Maximum entries. Beyond these the oldest entry is forgotten, and found again. */
const maxMailboxes = 100
const maxMessages = 10_000

/** Messages that the server refuses to describe, by mailbox, for as long as a connection lasts. */
export class RefusedMessages {
  readonly #mailboxes = new Map<string, Set<number>>()

  /** UIDs of a mailbox, to which the caller adds. */
  of(mailbox: string): Set<number> {
    const uids = this.#mailboxes.get(mailbox) ?? new Set()
    this.#mailboxes.set(mailbox, uids)
    dropOldest(this.#mailboxes, maxMailboxes)
    dropOldest(uids, maxMessages)
    return uids
  }
}

function dropOldest(entries: Map<string, unknown> | Set<number>, max: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return
    entries.delete(oldest as never)
  }
}

import { AppError } from '@posthorn/errors'

/**
 * Maximum entries of the caches of messages that a mail server cannot describe. Beyond the limit
 * the oldest entry is evicted. The fault of an evicted message is detected again.
 */
const maxMailboxes = 100
const maxMessages = 10_000
/**
 * Number of smaller batches into which a batch of messages is split for the next FETCH requests,
 * after the mail connection was lost during the batch.
 */
const partsOfBatch = 8
/**
 * Number of lost mail connections during the fetch of a single message after which the message
 * counts as the cause of the losses.
 */
const maxLosses = 2
/** Error codes of a mail connection that was ended by the mail server or the network. */
const lossCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'BYE'])

/** Message that was in flight when a mail connection was lost, and may be the cause of the loss. */
interface Suspect {
  /**
   * Maximum number of messages in the next FETCH batch that contains this message, which is
   * suspected of making the server drop the connection.
   */
  batch: number
  /** Number of mail connections that were lost while this message alone was in flight. */
  losses: number
  /**
   * Number, within the account, of the last mail connection that was lost while this message alone
   * was in flight.
   */
  lostAt: number
}

/** Loss of a mail connection. The lost connections of an account are numbered. */
interface Loss {
  at: number
  /**
   * Number of connections of the account that had been lost when this mail connection was opened.
   */
  openedAt: number
}

/** Messages of a mailbox that the mail server cannot describe by one kind of FETCH query. */
export class QueryFaults {
  readonly #refused = new Set<number>()
  readonly #suspects = new Map<number, Suspect>()

  get isEmpty(): boolean {
    return this.#refused.size === 0 && this.#suspects.size === 0
  }

  /** True if a message is a possible cause of a lost connection. */
  get hasSuspects(): boolean {
    return this.#suspects.size > 0
  }

  /**
   * True if the message must not be requested by the FETCH query again, because the mail server
   * rejected the query for this message or dropped the connection.
   */
  isRefused(uid: number): boolean {
    return this.#refused.has(uid)
  }

  refuse(uid: number): void {
    this.#suspects.delete(uid)
    this.#refused.add(uid)
    dropOldest(this.#refused, maxMessages)
  }

  /**
   * Splits messages of a mailbox into batches to fetch. The first batch has all messages that are
   * not suspected of making the mail server drop the connection.
   */
  batches(uids: readonly number[]): number[][] {
    const batches = [uids.filter((uid) => !this.#suspects.has(uid))]
    let max = 0
    for (const uid of uids) {
      const suspect = this.#suspects.get(uid)
      if (!suspect) continue
      max = Math.min(max, suspect.batch)
      if (batches.length === 1 || (batches.at(-1)?.length ?? 0) >= max) {
        batches.push([])
        max = suspect.batch
      }
      batches.at(-1)?.push(uid)
    }
    return batches.filter(({ length }) => length > 0)
  }

  /**
   * Records that the mail server described the messages with the given UIDs. These messages no
   * longer count as possible causes of a lost connection.
   */
  clear(uids: Iterable<number>): void {
    if (this.#suspects.size > 0) for (const uid of uids) this.#suspects.delete(uid)
  }

  /**
   * Records that a mail connection was lost while the messages with the given UIDs were in flight.
   * Returns false if the loss shows nothing new: a connection that existed at an earlier loss may
   * have been lost for the same reason.
   */
  addLoss(uids: readonly number[], { at, openedAt }: Loss): boolean {
    const batch = Math.ceil(uids.length / partsOfBatch)
    const [first] = uids
    if (uids.length === 1 && first !== undefined)
      return this.#addSingleLoss(first, { at, openedAt })
    for (const uid of uids) {
      const { losses = 0, lostAt = 0 } = this.#suspects.get(uid) ?? {}
      this.#suspects.set(uid, { batch, losses, lostAt })
    }
    dropOldest(this.#suspects, maxMessages)
    return true
  }

  #addSingleLoss(uid: number, { at, openedAt }: Loss): boolean {
    const { losses = 0, lostAt = 0 } = this.#suspects.get(uid) ?? {}
    if (openedAt < lostAt) return false
    if (losses + 1 >= maxLosses) this.refuse(uid)
    else this.#suspects.set(uid, { batch: 1, losses: losses + 1, lostAt: at })
    dropOldest(this.#suspects, maxMessages)
    return true
  }
}

/**
 * Record of the messages in one mailbox that the mail server cannot describe, by kind of FETCH
 * query.
 */
export class MailboxFaults {
  /**
   * Messages that the mail server cannot describe by the FETCH query for envelope and structure.
   */
  readonly description = new QueryFaults()
  /**
   * Messages that the mail server cannot describe by the FETCH query for the header without
   * envelope and structure.
   */
  readonly header = new QueryFaults()
  /**
   * True if a mail connection was lost during a FETCH by sequence numbers. The next FETCH then uses
   * UIDs.
   */
  isSequenceLost = false
}

/**
 * Messages of an account that its mail server cannot describe, because the server answers NO or
 * drops the connection. Shared by the connections of the account. A message is the cause of a lost
 * connection after two losses with no other message in flight, because connections are also lost
 * for other reasons.
 */
export class MessageFaults {
  readonly #mailboxes = new Map<string, MailboxFaults>()
  readonly #causes = new WeakSet<AppError>()
  #losses = 0

  /** Number of mail connections of the account that were lost so far. */
  get losses(): number {
    return this.#losses
  }

  of({ path, uidValidity }: { path: string; uidValidity: bigint }): MailboxFaults {
    const key = `${uidValidity} ${path}`
    const faults = this.#mailboxes.get(key) ?? new MailboxFaults()
    this.#mailboxes.set(key, faults)
    dropOldest(this.#mailboxes, maxMailboxes)
    return faults
  }

  /**
   * Records the loss of a mail connection during a FETCH query. Does nothing if the error does not
   * mean that the connection was lost.
   */
  recordLoss(error: unknown, openedAt: number, add: (loss: Loss) => boolean): void {
    if (!(error instanceof AppError) || error.kind !== 'unreachable') return
    if (!lossCodes.has(error.code)) return
    this.#losses++
    if (add({ at: this.#losses, openedAt })) this.#causes.add(error)
  }

  /**
   * True if the loss of a mail connection with this error has narrowed down which message makes the
   * server drop connections.
   */
  narrows(error: unknown): boolean {
    return error instanceof AppError && this.#causes.has(error)
  }
}

function dropOldest<K>(entries: Map<K, unknown> | Set<K>, max: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= max) return
    entries.delete(oldest)
  }
}

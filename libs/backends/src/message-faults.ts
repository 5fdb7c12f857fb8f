import { AppError } from '@posthorn/errors'

/**
 * Maximum entries of the caches of message faults. Beyond the limit the oldest entry is evicted. An
 * evicted fault is detected again.
 */
const maxMailboxes = 100
const maxMessages = 10_000
/**
 * Number of parts in which a batch of messages is requested the next time, after the connection was
 * lost during the batch.
 */
const partsOfBatch = 8
/** Number of lost connections with one message in flight that prove the message to be the cause. */
const maxLosses = 2
/** Error codes of a mail connection that the server or the network ended. */
const lossCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'BYE'])

/** Message that was in flight when a mail connection was lost, and may be the cause of the loss. */
interface Suspect {
  /** Maximum size of the next batch of messages with this message. */
  batch: number
  /** Number of lost connections at which no other message was in flight. */
  losses: number
  /** Number of the last lost connection at which no other message was in flight. */
  lostAt: number
}

/** Loss of a mail connection. Numbers count the lost connections of the account. */
interface Loss {
  at: number
  /** Number of lost connections of the account before this connection was opened. */
  openedAt: number
}

/** Messages of a mailbox that the mail server cannot describe by one kind of FETCH query. */
export class QueryFaults {
  readonly #refused = new Set<number>()
  readonly #suspects = new Map<number, Suspect>()

  get isEmpty(): boolean {
    return this.#refused.size === 0 && this.#suspects.size === 0
  }

  /**
   * True if the FETCH query must not request the message, because the server rejects the query or
   * drops the connection.
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
   * Batches in which to request messages of the mailbox. The first batch has all messages that are
   * not suspected to make the server drop the connection.
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

  /** Records that the mail server described these messages. */
  clear(uids: Iterable<number>): void {
    if (this.#suspects.size > 0) for (const uid of uids) this.#suspects.delete(uid)
  }

  /**
   * Records that a mail connection was lost with these messages in flight. False if the loss shows
   * nothing new: connections that existed at an earlier loss may be lost for the same reason.
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

/** Messages of one mailbox that the mail server cannot describe. */
export class MailboxFaults {
  /** Faults of messages at the FETCH query for envelope and structure. */
  readonly description = new QueryFaults()
  /** Faults of messages at the FETCH query for the header without envelope and structure. */
  readonly header = new QueryFaults()
  /** True if a connection was lost during a FETCH by sequence numbers. The next FETCH is by UID. */
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

  /** Number of lost connections of the account so far. */
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
   * Records the loss of a mail connection during a query, by its error, unless the connection still
   * exists.
   */
  recordLoss(error: unknown, openedAt: number, add: (loss: Loss) => boolean): void {
    if (!(error instanceof AppError) || error.kind !== 'unreachable') return
    if (!lossCodes.has(error.code)) return
    this.#losses++
    if (add({ at: this.#losses, openedAt })) this.#causes.add(error)
  }

  /**
   * True if the error of a lost connection narrows down which message makes the server drop
   * connections.
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

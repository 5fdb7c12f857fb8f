import type { Db } from '@posthorn/db'
import type { FeedPage, FeedSource } from '../streams/feed.ts'
import {
  findEventBounds,
  listEventsBetween,
  type StreamedEvent,
  takeTransactionId,
} from '../store/events/events.ts'

/**
 * Events in the order of their row ids. A transaction takes an id before its commit, so that an
 * event with a smaller id can appear after an event with a larger id. Events up to an id are read
 * only after all transactions that could have taken such an id have ended: the events up to this id
 * are settled. Ids are thus the same positions on all replicas, and after a restart.
 */
export class SettledEvents implements FeedSource<bigint, StreamedEvent> {
  readonly #db: Db
  /** All events up to this id are settled. Undefined before the first id is settled. */
  #settled: bigint | undefined
  /** Id that is settled as soon as all transactions before the transaction `xid` have ended. */
  #candidate: { id: bigint; xid: bigint } | undefined
  #advancing: Promise<Advance> | undefined

  constructor(db: Db) {
    this.#db = db
  }

  async list(after: bigint, limit: number): Promise<FeedPage<bigint, StreamedEvent>> {
    const { last, horizon } = await this.#advance()
    const unsettled = this.#candidate !== undefined
    if (after < horizon || (after > last && (await this.#isAhead(after))))
      return { entries: [], full: true, unsettled, lost: horizon }
    const end = this.#settled
    if (end === undefined || end <= after) return { entries: [], full: false, unsettled }
    const entries = await listEventsBetween(this.#db, { after, end, limit })
    return { entries, full: entries.length === limit, unsettled }
  }

  /**
   * Position at which a new stream of recorded events starts. While a transaction stays open that
   * was open when this process began to read events, the stream starts after the ids of that
   * transaction.
   */
  async findEnd(): Promise<bigint> {
    const { last } = await this.#advance()
    return this.#settled ?? last
  }

  isBehind(position: bigint, other: bigint): boolean {
    return position < other
  }

  /**
   * True for a position above the row ids of all events. Such a position comes from another
   * Postgres server, because a dump was restored. Reads the largest id again: `#advance` may have
   * read the largest id before another replica sent a larger id to this client.
   */
  async #isAhead(position: bigint): Promise<boolean> {
    return position > (await findEventBounds(this.#db)).last
  }

  /**
   * Finds out up to which row id events are settled (no open transaction can add an event).
   * Concurrent callers share the SQL statements.
   */
  #advance(): Promise<Advance> {
    this.#advancing ??= this.#check().finally(() => {
      this.#advancing = undefined
    })
    return this.#advancing
  }

  async #check(): Promise<Advance> {
    const bounds = await findEventBounds(this.#db)
    this.#settle(bounds.oldestOpen)
    if (this.#candidate || bounds.last === this.#settled) return bounds
    // The transaction id is taken after the largest id of an event was read: a transaction that has
    // taken an event id before has a smaller transaction id. In the usual case without an open
    // transaction, the second reading of the bounds settles the events immediately.
    this.#candidate = { id: bounds.last, xid: await takeTransactionId(this.#db) }
    const { oldestOpen } = await findEventBounds(this.#db)
    this.#settle(oldestOpen)
    return bounds
  }

  #settle(oldestOpen: bigint): void {
    if (!this.#candidate || oldestOpen < this.#candidate.xid) return
    this.#settled = this.#candidate.id
    this.#candidate = undefined
  }
}

type Advance = Awaited<ReturnType<typeof findEventBounds>>

import type { Logger } from '@posthorn/telemetry'

/** Position in the list of an event stream's entries: the id of a row, alone or with other ids. */
export type StreamPosition = bigint | { readonly id: bigint }

/**
 * Entry of an event stream, such as an account change or an event, with its position of type `P`.
 */
export interface Entry<P> {
  readonly position: P
  readonly createdAt: Date
}

/** Entries of an event stream that follow a position. */
export interface FeedPage<P, E> {
  entries: E[]
  /** True if a page has the maximum number of stream entries, so that more may follow. */
  full: boolean
  /**
   * True if there are stream entries that cannot be read yet, because an older transaction is open.
   */
  unsettled: boolean
  /**
   * Position in the list of stream entries at which the reader continues, if entries that the
   * reader has not read were deleted.
   */
  lost?: P
}

/** Stored list from which a feed reads the entries of an event stream. */
export interface FeedSource<P extends StreamPosition, E extends Entry<P>> {
  /**
   * Reads up to `limit` stream entries after a position. No entry appears later before an entry
   * that was read.
   */
  list(after: P, limit: number): Promise<FeedPage<P, E>>
  /**
   * Position behind all stream entries that can be read now, at which a new event stream starts.
   */
  findEnd(): Promise<P>
  /** True if a position in the list of stream entries is before another position. */
  isBehind(position: P, other: P): boolean
}

/** Receiver of the entries of an event stream, such as the stream of one client. */
export interface Follower<P extends StreamPosition, E extends Entry<P>> {
  /**
   * Position of the last entry that was delivered to this follower (client stream). The feed, which
   * reads the entries, advances the position.
   */
  position: P
  /** Delivers the next entries to this client stream, in order and without gaps. */
  deliver(entries: readonly E[]): void
  /** Reports to this client stream that all entries up to a new position were deleted. */
  lost(position: P): void
  /** Resolves when this client stream can receive more entries, or is closed. */
  ready(): Promise<void>
  /** Ends this client stream; the client reconnects with its position. */
  close(): void
  readonly closed: boolean
}

export interface FeedOptions<P extends StreamPosition, E extends Entry<P>> {
  source: FeedSource<P, E>
  log: Logger
  /** Interval at which stream entries are read even if `wake` is not called. */
  pollMs: number
  /** Called with entries that were delivered to all client streams of this process. */
  onLive: (entries: readonly E[]) => void
}

const pageSize = 1_000
/**
 * Entries per write to a client stream that catches up. A page of entries could exceed the write
 * buffer.
 */
const chunkSize = 50
/**
 * Interval at which stream entries are read while entries wait for the end of an open transaction,
 * which usually takes milliseconds.
 */
const unsettledMs = 20

/**
 * Reads the entries of a stream for all followers (client streams) of this process. A follower that
 * is behind reads page by page until it can join one shared reader. The shared reader runs while
 * there are followers: periodically, and when `wake` is called.
 */
export class Feed<P extends StreamPosition, E extends Entry<P>> implements AsyncDisposable {
  readonly #options: FeedOptions<P, E>
  readonly #followers = new Set<Follower<P, E>>()
  /**
   * Shared reader of stream entries in this process, and its position. Undefined while the reader
   * does not run.
   */
  #reader: { end: P; done: Promise<void> } | undefined
  #woken = false
  #wakeReader: (() => void) | undefined

  constructor(options: FeedOptions<P, E>) {
    this.#options = options
  }

  /** Makes the shared reader read stream entries soon. Called when there may be new entries. */
  wake(): void {
    this.#woken = true
    this.#wakeReader?.()
  }

  /**
   * Delivers all entries after the position of a follower (client stream), until the
   * follower joins the shared reader.
   */
  async follow(follower: Follower<P, E>): Promise<void> {
    while (!follower.closed) {
      const page = await this.#options.source.list(follower.position, pageSize)
      if (page.lost !== undefined) follower.lost(page.lost)
      for (let at = 0; at < page.entries.length; at += chunkSize) {
        if (at > 0) await follower.ready()
        this.#deliver(follower, page.entries.slice(at, at + chunkSize))
      }
      // Must not await between this check for further entries and the return, so that the shared
      // reader continues exactly at the position of the follower (client stream).
      if (!page.full && this.#join(follower)) return
      await follower.ready()
    }
  }

  leave(follower: Follower<P, E>): void {
    this.#followers.delete(follower)
    if (this.#followers.size === 0) this.#wakeReader?.()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#followers.clear()
    this.#wakeReader?.()
    await this.#reader?.done
  }

  /**
   * Adds a follower (client stream) to the shared reader. Returns false if the reader is ahead of
   * the follower, which then continues to read on its own.
   */
  #join(follower: Follower<P, E>): boolean {
    if (follower.closed) return true
    const { source } = this.#options
    if (this.#reader && source.isBehind(follower.position, this.#reader.end)) return false
    this.#followers.add(follower)
    if (!this.#reader) {
      const reader = { end: follower.position, done: Promise.resolve() }
      this.#reader = reader
      reader.done = this.#read(reader)
    }
    return true
  }

  async #read(reader: { end: P }): Promise<void> {
    const { source, log, pollMs } = this.#options
    let waitMs = pollMs
    while (this.#followers.size > 0) {
      this.#woken = false
      try {
        const page = await source.list(reader.end, pageSize)
        if (page.lost !== undefined) this.#startOver()
        this.#deliverToAll(page.entries)
        reader.end = page.entries.at(-1)?.position ?? reader.end
        if (page.full) continue
        waitMs = page.unsettled
          ? Math.min(waitMs === pollMs ? unsettledMs : waitMs * 2, pollMs)
          : pollMs
      } catch (err) {
        log.warn({ err }, 'reading stream entries failed, will retry')
        waitMs = pollMs
      }
      await this.#sleep(waitMs)
    }
    this.#reader = undefined
  }

  #deliverToAll(entries: readonly E[]): void {
    for (const follower of this.#followers) this.#deliver(follower, entries)
    this.#options.onLive(entries)
  }

  #deliver(follower: Follower<P, E>, entries: readonly E[]): void {
    const { source } = this.#options
    const fresh = entries.filter(({ position }) => source.isBehind(follower.position, position))
    const last = fresh.at(-1)
    if (!last) return
    follower.deliver(fresh)
    follower.position = last.position
  }

  /**
   * Ends all client streams, because entries were deleted unread or the database was replaced.
   */
  #startOver(): void {
    for (const follower of this.#followers) follower.close()
    this.#followers.clear()
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#woken || this.#followers.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#wakeReader = resolve
    await promise
    this.#wakeReader = undefined
    clearTimeout(timer)
  }
}

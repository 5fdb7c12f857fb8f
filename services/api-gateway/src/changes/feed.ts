import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { type Change, listChanges, type Position } from '../store/changes.ts'
import { isBehind } from './position.ts'

/** Receiver of account changes, such as the stream of one client. */
export interface Follower {
  /**
   * Position of the last account change that was delivered to this follower (client stream). The
   * feed, which reads the changes, advances the position.
   */
  position: Position
  /** Delivers the next account changes to this client stream, in order and without gaps. */
  deliver(changes: readonly Change[]): void
  /** Reports to this client stream that all account changes up to a new position were deleted. */
  lost(position: Position): void
  /** Resolves when this client stream can receive more account changes, or is closed. */
  ready(): Promise<void>
  /** Ends this stream of account changes; its client reconnects with its position. */
  close(): void
  readonly closed: boolean
}

export interface FeedOptions {
  db: Db
  log: Logger
  /** Interval at which account changes are read even if `wake` is not called. */
  pollMs: number
  /** Called with account changes that were delivered to all client streams of this process. */
  onLive: (changes: readonly Change[]) => void
}

const pageSize = 1_000
/**
 * Account changes per write to a client stream that catches up. A page of changes could exceed the
 * write buffer.
 */
const chunkSize = 50
/**
 * Interval at which account changes are read while changes wait for the end of an open transaction,
 * which usually takes milliseconds.
 */
const unsettledMs = 20

/**
 * Reads account changes for all followers (client streams) of this process. A follower that is
 * behind reads page by page until it can join one shared reader. The shared reader runs while there
 * are followers: periodically, and when `wake` is called.
 */
export class ChangeFeed implements AsyncDisposable {
  readonly #options: FeedOptions
  readonly #followers = new Set<Follower>()
  /**
   * Position of the shared reader in the list of account changes. Meaningless while the reader does
   * not run.
   */
  #end: Position = { xid: 0n, id: 0n }
  #reading: Promise<void> | undefined
  #woken = false
  #wakeReader: (() => void) | undefined

  constructor(options: FeedOptions) {
    this.#options = options
  }

  /** Makes the shared reader read account changes soon. Called when there may be new changes. */
  wake(): void {
    this.#woken = true
    this.#wakeReader?.()
  }

  /**
   * Delivers all account changes after the position of a follower (client stream), until the
   * follower joins the shared reader.
   */
  async follow(follower: Follower): Promise<void> {
    while (!follower.closed) {
      const page = await listChanges(this.#options.db, follower.position, pageSize)
      if (page.lost) follower.lost(page.lost)
      for (let at = 0; at < page.changes.length; at += chunkSize) {
        if (at > 0) await follower.ready()
        deliver(follower, page.changes.slice(at, at + chunkSize))
      }
      // Must not await between this check for further account changes and the return, so that the
      // shared reader of account changes continues exactly at the position of the follower (client
      // stream).
      if (!page.full && this.#join(follower)) return
      await follower.ready()
    }
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower)
    if (this.#followers.size === 0) this.#wakeReader?.()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#followers.clear()
    this.#wakeReader?.()
    await this.#reading
  }

  /**
   * Adds a follower (client stream) to the shared reader of account changes. Returns false if the
   * reader is ahead of the follower, which then continues to read on its own.
   */
  #join(follower: Follower): boolean {
    if (follower.closed) return true
    if (this.#reading && isBehind(follower.position, this.#end)) return false
    this.#followers.add(follower)
    if (!this.#reading) {
      this.#end = follower.position
      this.#reading = this.#read()
    }
    return true
  }

  async #read(): Promise<void> {
    const { db, log, pollMs } = this.#options
    let waitMs = pollMs
    while (this.#followers.size > 0) {
      this.#woken = false
      try {
        const page = await listChanges(db, this.#end, pageSize)
        if (page.lost) this.#startOver()
        this.#deliverToAll(page.changes)
        if (page.full) continue
        waitMs = page.unsettled
          ? Math.min(waitMs === pollMs ? unsettledMs : waitMs * 2, pollMs)
          : pollMs
      } catch (err) {
        log.warn({ err }, 'reading changes failed, will retry')
        waitMs = pollMs
      }
      await this.#sleep(waitMs)
    }
    this.#reading = undefined
  }

  #deliverToAll(changes: readonly Change[]): void {
    for (const follower of this.#followers) deliver(follower, changes)
    this.#end = changes.at(-1)?.position ?? this.#end
    this.#options.onLive(changes)
  }

  /**
   * Ends all client streams of account changes, because changes were deleted unread or the database
   * was replaced.
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

function deliver(follower: Follower, changes: readonly Change[]): void {
  const fresh = changes.filter(({ position }) => isBehind(follower.position, position))
  const last = fresh.at(-1)
  if (!last) return
  follower.deliver(fresh)
  follower.position = last.position
}

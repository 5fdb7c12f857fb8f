import type { Db } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { type Change, listChanges, type Position } from '../store/changes.ts'
import { isBehind } from './position.ts'

/** Who is told of changes. */
export interface Follower {
  /** What it was told up to. Moved on by the feed. */
  position: Position
  /** These follow, in order, and nothing lies between. */
  deliver(changes: readonly Change[]): void
  /** Between its position and this one, which becomes its own, lies what is not kept any more. */
  lost(position: Position): void
  /** Resolves when it can take more, or is closed. */
  ready(): Promise<void>
  /** Ends it; whoever it is comes back with its position. */
  close(): void
  readonly closed: boolean
}

export interface FeedOptions {
  db: Db
  log: Logger
  /** Between two readings that nobody has called for. */
  pollMs: number
  /** Told of what was just told to those who follow. */
  onLive: (changes: readonly Change[]) => void
}

const pageSize = 1_000
/** Of a page, written at once to who catches up: a whole one of long changes would be more than may wait for a client. */
const chunkSize = 50
/** While rows wait for a transaction to end, which is most often a matter of milliseconds. */
const unsettledMs = 20

/**
 * Reads changes for all followers of this process: those who were away catch up by themselves, page by page, and then share one reading. It
 * goes on while somebody follows: when `wake` is called, and after a while in case nobody called.
 */
export class ChangeFeed implements AsyncDisposable {
  readonly #db: Db
  readonly #log: Logger
  readonly #pollMs: number
  readonly #live: (changes: readonly Change[]) => void
  readonly #followers = new Set<Follower>()
  /** What the shared reading has told up to. Of no meaning while it rests. */
  #end: Position = { xid: 0n, id: 0n }
  #reading: Promise<void> | undefined
  #woken = false
  #wakeReader: (() => void) | undefined

  constructor({ db, log, pollMs, onLive: live }: FeedOptions) {
    this.#db = db
    this.#log = log
    this.#pollMs = pollMs
    this.#live = live
  }

  /** There may be something new. */
  wake(): void {
    this.#woken = true
    this.#wakeReader?.()
  }

  /** Tells a follower everything behind its position, up to where the shared reading takes over. */
  async follow(follower: Follower): Promise<void> {
    while (!follower.closed) {
      const page = await listChanges(this.#db, follower.position, pageSize)
      if (page.lost) follower.lost(page.lost)
      for (let at = 0; at < page.changes.length; at += chunkSize) {
        if (at > 0) await follower.ready()
        deliver(follower, page.changes.slice(at, at + chunkSize))
      }
      // No await between here and the end: what the shared reading tells next is what follows the position.
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

  /** False where the shared reading is further than the follower, which then has to read on by itself. */
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
    const pollMs = this.#pollMs
    let waitMs = pollMs
    while (this.#followers.size > 0) {
      this.#woken = false
      try {
        const page = await listChanges(this.#db, this.#end, pageSize)
        if (page.lost) this.#startOver()
        this.#deliverToAll(page.changes)
        if (page.full) continue
        waitMs = page.unsettled
          ? Math.min(waitMs === pollMs ? unsettledMs : waitMs * 2, pollMs)
          : pollMs
      } catch (err) {
        this.#log.warn({ err }, 'changes of states cannot be read now; their followers wait')
        waitMs = pollMs
      }
      await this.#sleep(waitMs)
    }
    this.#reading = undefined
  }

  #deliverToAll(changes: readonly Change[]): void {
    for (const follower of this.#followers) deliver(follower, changes)
    this.#end = changes.at(-1)?.position ?? this.#end
    this.#live(changes)
  }

  /** This process stood still for longer than changes are kept, or the database is another one: each follower is told for itself. */
  #startOver(): void {
    for (const follower of this.#followers) follower.close()
    this.#followers.clear()
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#woken || this.#followers.size === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => resolve(), ms)
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

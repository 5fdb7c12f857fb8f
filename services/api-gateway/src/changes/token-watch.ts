import type { Operation } from '@posthorn/contracts/define'
import { isExpired, listTokens } from '@posthorn/access'
import type { Db } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import { type AccessContext, authorize } from '../access/authorize.ts'
import type { Token } from '../store/tokens.ts'

/** Open change stream and the access token that permits the stream. */
export interface WatchedStream extends Omit<AccessContext, 'account'> {
  operation: Operation
  token: string
  /**
   * Called when the access token of a change stream was deleted or no longer permits the stream.
   */
  refused(): void
}

/**
 * Interval at which the access tokens of change streams are revalidated. Streams of revoked tokens
 * end within a second, even if the broadcast of the revocation is lost.
 */
const everyMs = 900

/** Revalidates the tokens of open change streams in one query. Runs no query without streams. */
export class TokenWatch implements Disposable {
  readonly #db: Db
  readonly #log: Logger
  readonly #watched = new Set<WatchedStream>()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Db, log: Logger) {
    this.#db = db
    this.#log = log
  }

  watch(watched: WatchedStream): Disposable {
    this.#watched.add(watched)
    this.#timer ??= setInterval(() => void this.check(), everyMs)
    return {
      [Symbol.dispose]: () => {
        this.#watched.delete(watched)
        if (this.#watched.size === 0) this[Symbol.dispose]()
      },
    }
  }

  async check(): Promise<void> {
    const watchedStreams = [...this.#watched]
    if (watchedStreams.length === 0) return
    try {
      const ids = new Set(watchedStreams.map(({ token }) => token))
      const rows = await listTokens(this.#db, [...ids])
      const tokens = new Map(rows.map((row) => [row.id, row]))
      for (const watched of watchedStreams)
        if (!admits(tokens.get(watched.token), watched)) watched.refused()
    } catch (error) {
      // The tokens of change streams stay unchecked while Postgres is unavailable. Change streams
      // deliver no changes during that time either.
      this.#log.debug({ reason: messageOf(error) }, 'revalidating tokens of streams failed')
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

function admits(token: Token | undefined, { operation, ...context }: WatchedStream): boolean {
  if (!token || isExpired(token)) return false
  try {
    authorize(operation, token, { ...context, account: undefined })
    return true
  } catch {
    return false
  }
}

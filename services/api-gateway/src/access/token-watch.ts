import type { Operation } from '@posthorn/contracts/define'
import { isExpired, listTokens } from '@posthorn/access'
import type { Db } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import { type AccessContext, authorize } from './authorize.ts'
import type { Token } from '../store/tokens.ts'

/** Open response, such as a change stream or a download, and the access token that permits it. */
export interface WatchedResponse extends AccessContext {
  operation: Operation
  token: string
  /** Called when the access token was deleted or no longer permits the response. */
  refused(): void
}

/**
 * Interval at which the access tokens of open responses are revalidated. Responses to revoked
 * tokens end within a second, even if the broadcast of the revocation is lost.
 */
const everyMs = 900

/** Revalidates the tokens of open responses in one query. Runs no query without open responses. */
export class TokenWatch implements Disposable {
  readonly #db: Db
  readonly #log: Logger
  readonly #watched = new Set<WatchedResponse>()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Db, log: Logger) {
    this.#db = db
    this.#log = log
  }

  watch(watched: WatchedResponse): Disposable {
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
    const open = [...this.#watched]
    if (open.length === 0) return
    try {
      const ids = new Set(open.map(({ token }) => token))
      const rows = await listTokens(this.#db, [...ids])
      const tokens = new Map(rows.map((row) => [row.id, row]))
      for (const watched of open) if (!admits(tokens.get(watched.token), watched)) watched.refused()
    } catch (error) {
      // The tokens of open responses stay unchecked while Postgres is unavailable. Open responses
      // deliver nothing new during that time either.
      this.#log.debug({ reason: messageOf(error) }, 'revalidating tokens of responses failed')
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

function admits(token: Token | undefined, { operation, ...context }: WatchedResponse): boolean {
  if (!token || isExpired(token)) return false
  try {
    authorize(operation, token, context)
    return true
  } catch {
    return false
  }
}

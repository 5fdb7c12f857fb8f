import type { Operation } from '@posthorn/contracts'
import { isExpired, listTokens } from '@posthorn/access'
import { type Db } from '@posthorn/db'
import { messageOf } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import { authorize } from '../access/authorize.ts'
import type { Token } from '../store/tokens.ts'

/** An answer that stays open, and by which right. */
export interface WatchedStream {
  operation: Operation
  token: string
  address: string
  referrer: string | undefined
  /** The token is gone, or does not admit this any more. */
  refused(): void
}

/** Revoked tokens lose what is open within a second, also when the broadcast is lost. */
const everyMs = 900

/** Looks at the tokens of answers that are open, all in one question; asks nothing while there are none. */
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
    const looked = [...this.#watched]
    if (looked.length === 0) return
    try {
      const rows = await listTokens(this.#db, [...new Set(looked.map(({ token }) => token))])
      const tokens = new Map(rows.map((row) => [row.id, row]))
      for (const watched of looked)
        if (!admits(tokens.get(watched.token), watched)) watched.refused()
    } catch (error) {
      // Without Postgres there is nothing to tell either.
      this.#log.debug({ reason: messageOf(error) }, 'tokens of open streams could not be looked at')
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

function admits(
  token: Token | undefined,
  { operation, address, referrer }: WatchedStream,
): boolean {
  if (!token || isExpired(token)) return false
  try {
    authorize(operation, token, { account: undefined, address, referrer })
    return true
  } catch {
    return false
  }
}

import type { MailSession } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'

export interface CommandPoolOptions {
  open: (signal: AbortSignal) => Promise<MailSession>
  /** Connections at most. */
  max: number
  /** How long one is kept without work. */
  idleMs: number
}

export interface Borrowed {
  readonly session: MailSession
  /** It served somebody before, and may have died of old age since. */
  readonly reused: boolean
  /** Gives it back; `broken` closes it. Later calls do nothing. */
  readonly release: (broken?: boolean) => void
}

interface Connection {
  readonly session: MailSession
  dead: boolean
  idle: NodeJS.Timeout | undefined
}

/** Connections of one account for commands, apart from the one that syncs: opened on demand, closed when nobody needs them. */
export class CommandPool implements AsyncDisposable {
  readonly #options: CommandPoolOptions
  readonly #free: Connection[] = []
  readonly #open = new Set<Connection>()
  readonly #waiting: (() => void)[] = []
  readonly #closed = new AbortController()
  #opening = 0

  constructor(options: CommandPoolOptions) {
    this.#options = options
  }

  /** Runs work on a connection. Work that fails because a connection from before has died is run once more, on another. */
  async run<T>(signal: AbortSignal, work: (session: MailSession) => Promise<T>): Promise<T> {
    for (;;) {
      const { session, reused, release } = await this.borrow(signal)
      try {
        const result = await work(session)
        release()
        return result
      } catch (error) {
        const gone = error instanceof AppError && error.kind === 'unreachable'
        release(gone || signal.aborted)
        if (!gone || !reused || signal.aborted) throw error
      }
    }
  }

  /** A connection for oneself until it is released. Waits while all are in use. */
  async borrow(given: AbortSignal): Promise<Borrowed> {
    const signal = AbortSignal.any([given, this.#closed.signal])
    for (;;) {
      signal.throwIfAborted()
      const free = this.#takeFree()
      if (free) return this.#lend(free, true)
      if (this.#open.size + this.#opening < this.#options.max)
        return this.#lend(await this.#connect(signal), false)
      await this.#turn(signal)
      if (signal.aborted) this.#waiting.shift()?.() // somebody else may use the turn
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(
      new AppError('unavailable', 'The account is handed over', { code: 'WorkerNotAvailable' }),
    )
    await Promise.allSettled([...this.#open].map((connection) => this.#close(connection)))
  }

  #takeFree(): Connection | undefined {
    for (let connection = this.#free.pop(); connection; connection = this.#free.pop()) {
      clearTimeout(connection.idle)
      if (!connection.dead) return connection
    }
    return undefined
  }

  async #connect(signal: AbortSignal): Promise<Connection> {
    this.#opening++
    try {
      const session = await this.#options.open(signal)
      const connection: Connection = { session, dead: false, idle: undefined }
      this.#open.add(connection)
      void session.closed.then(() => {
        connection.dead = true
        this.#forget(connection)
      })
      if (this.#closed.signal.aborted) void this.#close(connection)
      return connection
    } finally {
      this.#opening--
      this.#waiting.shift()?.()
    }
  }

  #lend(connection: Connection, reused: boolean): Borrowed {
    let back = false
    return {
      session: connection.session,
      reused,
      release: (broken = false) => {
        if (back) return
        back = true
        if (broken || connection.dead || this.#closed.signal.aborted) void this.#close(connection)
        else this.#rest(connection)
        this.#waiting.shift()?.()
      },
    }
  }

  #rest(connection: Connection): void {
    connection.idle = setTimeout(() => void this.#close(connection), this.#options.idleMs)
    this.#free.push(connection)
  }

  async #close(connection: Connection): Promise<void> {
    this.#forget(connection)
    await connection.session[Symbol.asyncDispose]()
  }

  #forget(connection: Connection): void {
    clearTimeout(connection.idle)
    this.#open.delete(connection)
    const at = this.#free.indexOf(connection)
    if (at >= 0) this.#free.splice(at, 1)
    this.#waiting.shift()?.()
  }

  #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const go = () => {
      signal.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = () => {
      const at = this.#waiting.indexOf(go)
      if (at >= 0) this.#waiting.splice(at, 1)
      reject(signal.reason as Error)
    }
    this.#waiting.push(go)
    signal.addEventListener('abort', giveUp, { once: true })
    return promise
  }
}

import type { MailSession } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'

export interface CommandPoolOptions {
  connect: (signal: AbortSignal) => Promise<MailSession>
  /** Connections at most. */
  max: number
  /** How long one is kept without work. */
  idleMs: number
}

/** What a connection is wanted for. */
export interface ConnectionRequest {
  signal: AbortSignal
  /** The mailbox that is going to be opened: a connection that has it open already is preferred. */
  mailbox?: string
  /** May take minutes. One connection is kept free of such work, where there is more than one. */
  longRunning?: boolean
  /** Goes at the pace of whoever asked, who may stall: leaves one more connection, to long work that does not. */
  consumerPaced?: boolean
}

/** An errand that changes something. */
export interface WriteRequest extends ConnectionRequest {
  /**
   * Done first, with at least one round trip. When a connection from before dies over it, another one is taken; once it is done nothing is
   * done twice.
   */
  prepare: (session: MailSession) => Promise<void>
}

export interface PooledConnection {
  readonly session: MailSession
  /** It served somebody before, and may have died of old age since. */
  readonly reused: boolean
  /** Gives it back; `broken` closes it. Later calls do nothing. */
  readonly release: (broken?: boolean) => void
}

interface Connection {
  readonly session: MailSession
  dead: boolean
  /** Last opened on it, as far as we were told. */
  mailbox: string | undefined
  idle: NodeJS.Timeout | undefined
}

/** A connection, or the leave to open one. */
type Grant = Connection | 'open'

interface Waiter {
  readonly errand: ConnectionRequest
  readonly take: (grant: Grant) => void
}

/** How long a server that refused one more connection is not asked for one while others of ours stand. */
const refusedMs = 60_000

/**
 * Connections of one account for commands, apart from the one that syncs: opened on demand, closed when nobody needs them. Whoever finds
 * none free and none to be had, waits for the next that is given back.
 */
export class CommandPool implements AsyncDisposable {
  readonly #options: CommandPoolOptions
  readonly #free: Connection[] = []
  readonly #open = new Set<Connection>()
  readonly #waiting = new Set<Waiter>()
  readonly #closed = new AbortController()
  #opening = 0
  #long = 0
  #paced = 0
  #refusedUntil = -Infinity

  constructor(options: CommandPoolOptions) {
    this.#options = options
  }

  /** Runs work on a connection. Work that fails because a connection from before has died is run once more, on another. */
  async run<T>(
    errand: ConnectionRequest | WriteRequest,
    work: (session: MailSession) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      const { session, reused, release } = await this.acquire(errand)
      let again = reused
      try {
        if ('prepare' in errand) {
          await errand.prepare(session)
          again = false
        }
        const result = await work(session)
        release()
        return result
      } catch (error) {
        const gone = error instanceof AppError && error.kind === 'unreachable'
        release(gone || errand.signal.aborted)
        if (!gone || !again || errand.signal.aborted) throw error
      }
    }
  }

  /** A connection for oneself until it is released. Waits while all are in use. */
  async acquire(errand: ConnectionRequest): Promise<PooledConnection> {
    const signal = AbortSignal.any([errand.signal, this.#closed.signal])
    signal.throwIfAborted()
    const granted = this.#grant(errand) ?? (await this.#wait(errand, signal))
    if (granted !== 'open') return this.#lend(granted, errand, true)
    try {
      return this.#lend(await this.#connect(signal), errand, false)
    } catch (error) {
      this.#leave(errand)
      // A server that has enough of our connections, or cannot be reached for a moment: one of those that stand will do.
      const others = this.#open.size + this.#opening > 0 && !signal.aborted
      if (others) this.#refusedUntil = Date.now() + refusedMs
      this.#next()
      if (!others) throw error
      return this.acquire(errand)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(
      new AppError('unavailable', 'The account is handed over', { code: 'WorkerNotAvailable' }),
    )
    await Promise.allSettled([...this.#open].map((connection) => this.#close(connection)))
  }

  /** A free connection, or leave to open one, taken at once: nobody else is promised the same. */
  #grant(errand: ConnectionRequest): Grant | undefined {
    const max = this.#max()
    if (errand.longRunning && this.#long >= Math.max(1, max - 1)) return undefined
    if (errand.consumerPaced && this.#paced >= Math.max(1, max - 2)) return undefined
    const free = this.#takeFree(errand.mailbox)
    if (!free && this.#open.size + this.#opening >= max) return undefined
    if (errand.longRunning) this.#long++
    if (errand.consumerPaced) this.#paced++
    if (free) return free
    this.#opening++
    return 'open'
  }

  #max(): number {
    const { max } = this.#options
    return Date.now() < this.#refusedUntil ? Math.min(max, Math.max(1, this.#open.size)) : max
  }

  #wait(errand: ConnectionRequest, signal: AbortSignal): Promise<Grant> {
    const { promise, resolve, reject } = Promise.withResolvers<Grant>()
    const giveUp = () => {
      this.#waiting.delete(waiter)
      reject(signal.reason as Error)
    }
    const waiter: Waiter = {
      errand,
      take(grant) {
        signal.removeEventListener('abort', giveUp)
        resolve(grant)
      },
    }
    this.#waiting.add(waiter)
    signal.addEventListener('abort', giveUp, { once: true })
    return promise
  }

  /** Serves those who wait, in the order in which they came, as far as there is something for them. */
  #next(): void {
    for (const waiter of this.#waiting) {
      const grant = this.#grant(waiter.errand)
      if (!grant) continue
      this.#waiting.delete(waiter)
      waiter.take(grant)
    }
  }

  /** One that has the mailbox open, else the one used last: the others grow old and are closed. */
  #takeFree(mailbox: string | undefined): Connection | undefined {
    const alive = this.#free.filter(({ dead }) => !dead)
    const found =
      (mailbox === undefined
        ? undefined
        : alive.findLast((connection) => connection.mailbox === mailbox)) ?? alive.at(-1)
    if (!found) return undefined
    this.#free.splice(this.#free.indexOf(found), 1)
    clearTimeout(found.idle)
    return found
  }

  async #connect(signal: AbortSignal): Promise<Connection> {
    try {
      const session = await this.#options.connect(signal)
      const connection: Connection = { session, dead: false, mailbox: undefined, idle: undefined }
      this.#open.add(connection)
      void session.closed.then(() => {
        connection.dead = true
        this.#forget(connection)
      })
      if (this.#closed.signal.aborted) void this.#close(connection)
      return connection
    } finally {
      this.#opening--
    }
  }

  #leave({ longRunning: long, consumerPaced: paced }: ConnectionRequest): void {
    if (long) this.#long--
    if (paced) this.#paced--
  }

  #lend(connection: Connection, errand: ConnectionRequest, reused: boolean): PooledConnection {
    const { mailbox } = errand
    if (mailbox !== undefined) connection.mailbox = mailbox
    let back = false
    return {
      session: connection.session,
      reused,
      release: (broken = false) => {
        if (back) return
        back = true
        this.#leave(errand)
        if (broken || connection.dead || this.#closed.signal.aborted) void this.#close(connection)
        else this.#rest(connection)
        this.#next()
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
    this.#next()
  }
}

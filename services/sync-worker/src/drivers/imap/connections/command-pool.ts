import type { MailSession } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'
import { connectOrBorrow, type ConnectTurns } from './connect-or-borrow.ts'
import {
  backgroundLast,
  type ConnectionRequest,
  RequestCounts,
  type WriteRequest,
} from './connection-request.ts'
import type { IdleConnections } from './idle-connections.ts'
import type { SessionLoan } from './session-loans.ts'

export interface CommandPoolOptions {
  connect: (signal: AbortSignal, turns: ConnectTurns) => Promise<MailSession>
  /** Waits until the account's sync connection is lent to a command. */
  borrow: (signal: AbortSignal) => Promise<SessionLoan>
  /** Maximum number of the account's IMAP connections for commands. */
  max: number
  /**
   * True if an error is the loss of a connection that helps to find a faulty message: a message at
   * which the server drops connections.
   */
  narrows?: (error: unknown) => boolean
  /** Time without use after which an IMAP connection for commands is closed. */
  idleMs: number
  /** Registry of the idle command connections of all accounts of the worker. */
  idle: IdleConnections
}

export interface PooledConnection {
  readonly session: MailSession
  /**
   * True if the pooled connection was used before. Its loss may be unnoticed until the next
   * command.
   */
  readonly reused: boolean
  /**
   * Returns the IMAP connection to the pool. With `broken`, closes the connection instead. Further
   * calls have no effect.
   */
  readonly release: (broken?: boolean) => void
}

interface Connection {
  readonly session: MailSession
  lost: boolean
  /** Path of the mailbox that was last requested on the IMAP connection. */
  mailbox?: string
  idleTimer?: NodeJS.Timeout
  readonly close: () => void
}

/**
 * Grant for a command that waits for an IMAP connection: an idle connection, or the permission to
 * open a new connection.
 */
type Grant = Connection | 'connect'

interface Waiter {
  readonly request: ConnectionRequest
  readonly resolve: (grant: Grant) => void
}

/** Maximum repetitions of a read while lost connections help to find a faulty message. */
const maxNarrowing = 20
/**
 * Period without new command connections after the IMAP server rejected a connection although other
 * connections of the account exist.
 */
const rejectedMs = 60_000

/**
 * Pool of one account's connections for commands. The sync connection of the account is not part of
 * the pool. Connections are opened on demand and closed when idle. Requests wait while all
 * connections are in use, in FIFO order among requests that can be served.
 */
export class CommandPool implements AsyncDisposable {
  readonly #options: CommandPoolOptions
  readonly #idle: Connection[] = []
  readonly #connections = new Set<Connection>()
  readonly #waiting = new Set<Waiter>()
  readonly #counts = new RequestCounts()
  readonly #closed = new AbortController()
  #connecting = 0
  #rejectedUntil = -Infinity

  constructor(options: CommandPoolOptions) {
    this.#options = options
  }

  /**
   * Runs work of a command on a pooled IMAP connection. If a reused connection is lost, repeats the
   * work once on another connection. Repeats the work further while lost connections help to find a
   * faulty message, at which the server drops connections.
   *
   * @throws AppError `unavailable` `WorkerNotAvailable` if the disposal of the pool ends the work
   */
  async run<T>(
    request: ConnectionRequest | WriteRequest,
    work: (session: MailSession) => Promise<T>,
  ): Promise<T> {
    for (let repeats = 0; ; repeats++) {
      const { session, reused, release } = await this.acquire(request)
      let mayRepeat = reused
      try {
        if ('prepare' in request) {
          await request.prepare(session)
          mayRepeat = false
        }
        const result = await work(session)
        release()
        return result
      } catch (error) {
        const isLost = error instanceof AppError && error.kind === 'unreachable'
        release(isLost || request.signal.aborted)
        mayRepeat ||= repeats < maxNarrowing && this.#narrows(request, error)
        if (isLost) this.#closed.signal.throwIfAborted()
        if (!isLost || !mayRepeat || request.signal.aborted) throw error
      }
    }
  }

  #narrows(request: ConnectionRequest | WriteRequest, error: unknown): boolean {
    return !('prepare' in request) && (this.#options.narrows?.(error) ?? false)
  }

  /**
   * Takes a connection from the command pool until the caller releases the connection. Waits while
   * all connections are in use.
   */
  async acquire(request: ConnectionRequest): Promise<PooledConnection> {
    const signal = AbortSignal.any([request.signal, this.#closed.signal])
    signal.throwIfAborted()
    const mustWait = request.background && this.#waiting.size > 0
    const grant = (!mustWait && this.#grant(request)) || (await this.#wait(request, signal))
    if (grant !== 'connect') return this.#lend(grant, request, true)
    try {
      return await this.#open(request, signal)
    } catch (error) {
      this.#counts.remove(request)
      // The mail server rejects further connections or cannot be reached, so requests share the
      // existing connections of the account.
      const hasOthers = this.#connections.size + this.#connecting > 0 && !signal.aborted
      if (hasOthers) this.#rejectedUntil = Date.now() + rejectedMs
      this.#serveWaiting()
      this.#closed.signal.throwIfAborted()
      if (!hasOthers) throw error
      return this.acquire(request)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(
      new AppError('unavailable', 'The account is handed over', { code: 'WorkerNotAvailable' }),
    )
    await Promise.allSettled([...this.#connections].map((connection) => this.#close(connection)))
  }

  /** Synchronously reserves an idle IMAP connection, or the permission to open a connection. */
  #grant(request: ConnectionRequest): Grant | undefined {
    const max = this.#max()
    if (!this.#counts.admits(request, max)) return undefined
    const idle = this.#takeIdle(request.mailbox)
    if (!idle && this.#connections.size + this.#connecting >= max) return undefined
    this.#counts.add(request)
    if (idle) return idle
    this.#connecting++
    return 'connect'
  }

  #max(): number {
    const { max } = this.#options
    const isRejected = Date.now() < this.#rejectedUntil
    return isRejected ? Math.min(max, Math.max(1, this.#connections.size)) : max
  }

  #wait(request: ConnectionRequest, signal: AbortSignal): Promise<Grant> {
    const { promise, resolve, reject } = Promise.withResolvers<Grant>()
    const onAbort = () => {
      this.#waiting.delete(waiter)
      reject(signal.reason as Error)
    }
    const waiter: Waiter = {
      request,
      resolve(grant) {
        signal.removeEventListener('abort', onAbort)
        resolve(grant)
      },
    }
    this.#waiting.add(waiter)
    signal.addEventListener('abort', onAbort, { once: true })
    return promise
  }

  /** Gives IMAP connections to waiting commands, within limits: FIFO, background requests last. */
  #serveWaiting(): void {
    for (const waiter of backgroundLast(this.#waiting)) {
      const grant = this.#grant(waiter.request)
      if (!grant) continue
      this.#waiting.delete(waiter)
      waiter.resolve(grant)
    }
  }

  /** Takes the idle IMAP connection that last selected `mailbox`, else the last used connection. */
  #takeIdle(mailbox: string | undefined): Connection | undefined {
    const connection =
      this.#idle.findLast((idle) => mailbox !== undefined && idle.mailbox === mailbox) ??
      this.#idle.at(-1)
    if (!connection) return undefined
    this.#removeIdle(connection)
    return connection
  }

  /** Opens an IMAP connection for a command, or borrows the sync connection of the account. */
  async #open(request: ConnectionRequest, signal: AbortSignal): Promise<PooledConnection> {
    const connect = (stop: AbortSignal, turns: ConnectTurns = {}) => this.#connect(stop, turns)
    if (!request.mayBorrow || this.#connections.size > 0)
      return this.#lend(await connect(signal), request, false)
    const opened = await connectOrBorrow({ connect, borrow: this.#options.borrow }, signal)
    if ('release' in opened) return this.#lendLoan(opened, request)
    return this.#lend(opened, request, false)
  }

  async #connect(signal: AbortSignal, turns: ConnectTurns): Promise<Connection> {
    try {
      const session = await this.#options.connect(signal, turns)
      const connection: Connection = {
        session,
        lost: false,
        close: () => void this.#close(connection),
      }
      this.#connections.add(connection)
      void session.closed.then(() => {
        connection.lost = true
        this.#remove(connection)
      })
      if (this.#closed.signal.aborted || signal.aborted) void this.#close(connection)
      return connection
    } finally {
      this.#connecting--
      // The caller of an aborted connection attempt serves no waiting requests, so waiting requests
      // are served here.
      if (signal.aborted) this.#serveWaiting()
    }
  }

  #lend(connection: Connection, request: ConnectionRequest, reused: boolean): PooledConnection {
    const { mailbox } = request
    if (mailbox !== undefined) connection.mailbox = mailbox
    const release = this.#releaseOnce(request, (broken) => {
      if (broken || connection.lost || this.#closed.signal.aborted) void this.#close(connection)
      else this.#addIdle(connection)
    })
    return { session: connection.session, reused, release }
  }

  /**
   * Lends the account's sync connection to a command. The work counts as repeatable, because the
   * connection may be lost without this process knowing.
   */
  #lendLoan({ session, release }: SessionLoan, request: ConnectionRequest): PooledConnection {
    return { session, reused: true, release: this.#releaseOnce(request, release) }
  }

  #releaseOnce(request: ConnectionRequest, release: (broken: boolean) => void) {
    let isReleased = false
    return (broken = false) => {
      if (isReleased) return
      isReleased = true
      this.#counts.remove(request)
      release(broken)
      this.#serveWaiting()
    }
  }

  #addIdle(connection: Connection): void {
    connection.idleTimer = setTimeout(connection.close, this.#options.idleMs)
    this.#idle.push(connection)
    this.#options.idle.add(connection.close)
  }

  async #close(connection: Connection): Promise<void> {
    this.#remove(connection)
    await connection.session[Symbol.asyncDispose]()
  }

  #remove(connection: Connection): void {
    this.#removeIdle(connection)
    this.#connections.delete(connection)
    this.#serveWaiting()
  }

  #removeIdle(connection: Connection): void {
    clearTimeout(connection.idleTimer)
    this.#options.idle.remove(connection.close)
    const at = this.#idle.indexOf(connection)
    if (at >= 0) this.#idle.splice(at, 1)
  }
}

import { type Clock, monotonicClock, withTimeout } from '@posthorn/flow'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient } from 'pg'
import { boundedClient } from './bounded-client.ts'
import type { OutageDetector } from './outage-detector.ts'
import { StatementNames } from './statement-names.ts'
import { asUnavailable, isResponse, toUnavailable } from './unavailable.ts'

/** Current use of a pool of Postgres connections. */
export interface PoolUse {
  /** Number of Postgres connections that are in use or being opened. */
  active: number
  idle: number
  /** Number of callers that wait for a Postgres connection. */
  waiting: number
  max: number
}

export interface BoundedPoolOptions {
  /** Maximum duration of an SQL statement in milliseconds. */
  timeoutMs: number
  outages: OutageDetector
  /**
   * Called with the duration of each wait for a free Postgres connection when all connections of
   * the pool are in use.
   */
  onWait?: (ms: number) => void
  clock?: Clock
}

/** Maximum duration of the query with which `ping` tests whether Postgres responds. */
const pingMs = 1_000
/**
 * Maximum time since the last response of Postgres for which a ping succeeds without a query when
 * all connections are in use. Later, the ping opens a new connection.
 */
const maxSilenceMs = 1_000

/**
 * Pool of Postgres connections for Kysely. Postgres limits the duration of all statements (see
 * `boundedClient`).
 */
export class BoundedPool implements PostgresPool {
  readonly options: PostgresPool['options']
  readonly #pool: Pool
  readonly #timeoutMs: number
  readonly #outages: OutageDetector
  readonly #onWait: (ms: number) => void
  readonly #clock: Clock
  readonly #names = new StatementNames()
  /**
   * Result of a check for each Postgres connection: true if the role of the connection has the
   * statement timeout of the pool.
   */
  readonly #boundedByRole = new WeakMap<PoolClient, boolean>()
  #ping: Promise<void> | undefined

  constructor(pool: Pool, options: BoundedPoolOptions) {
    const { timeoutMs, outages, onWait = () => undefined, clock = monotonicClock } = options
    this.#pool = pool
    this.options = pool.options
    this.#timeoutMs = timeoutMs
    this.#outages = outages
    this.#onWait = onWait
    this.#clock = clock
  }

  get use(): PoolUse {
    const { totalCount, idleCount, waitingCount } = this.#pool
    const max = this.#pool.options.max
    return { active: totalCount - idleCount, idle: idleCount, waiting: waitingCount, max }
  }

  /** False while Postgres does not respond, or while Postgres admits no connection of the pool. */
  get isResponsive(): boolean {
    return this.#outages.isResponsive
  }

  /**
   * Returns a Postgres connection from the pool.
   * @throws UnavailableError if Postgres cannot be reached, or admits no connection
   */
  async connect(): Promise<PostgresPoolClient> {
    const client = await this.#acquire()
    try {
      const isBoundedByRole = await this.#hasRoleTimeout(client)
      return boundedClient(client, {
        names: this.#names,
        timeoutMs: this.#timeoutMs,
        isBoundedByRole,
        isPipelined: client.pipeline,
        outages: this.#outages,
      })
    } catch (error) {
      client.release(true)
      if (!isResponse(error)) this.#outages.failed()
      throw asUnavailable(error)
    }
  }

  /**
   * Closes the idle connections of the pool. After an outage of Postgres, the server may not know
   * these connections any more.
   */
  dropIdle(): void {
    for (let left = this.#pool.idleCount; left > 0; left -= 1)
      this.#pool.connect().then(
        (client) => client.release(true),
        () => undefined,
      )
  }

  /**
   * Throws unless Postgres responds. Never waits for a connection in use. If all connections of the
   * pool are in use, one of these responses is sufficient: a response to another caller within the
   * last second, or a response on a new connection.
   */
  async ping(): Promise<void> {
    this.#outages.assertNoOutage()
    if (this.#ping !== undefined || this.#hasCapacity()) {
      this.#ping ??= this.#select1().finally(() => (this.#ping = undefined))
      return await withTimeout(this.#ping, pingMs, () => {
        throw new Error('Postgres does not respond')
      })
    }
    if (this.#clock() - this.#outages.respondedAt > maxSilenceMs) await this.#outages.confirm()
  }

  end(): Promise<void> {
    this.#outages.stop()
    return this.#pool.end()
  }

  async #acquire(): Promise<PoolClient> {
    if (this.#hasCapacity()) return await this.#connect()
    const start = this.#clock()
    try {
      return await this.#connect()
    } finally {
      this.#onWait(this.#clock() - start)
    }
  }

  async #connect(): Promise<PoolClient> {
    let connecting: Promise<PoolClient> | undefined
    try {
      return await this.#outages.guard(() => (connecting = this.#pool.connect()))
    } catch (error) {
      // After a failed wait for a Postgres connection, the caller gets an error. A connection that
      // is opened later is closed, because no caller would use the connection.
      connecting?.then(
        (client) => client.release(true),
        () => undefined,
      )
      this.#outages.failed()
      throw toUnavailable(error)
    }
  }

  #hasCapacity(): boolean {
    const { totalCount, idleCount, waitingCount, options } = this.#pool
    return idleCount > waitingCount || totalCount < options.max
  }

  async #hasRoleTimeout(client: PoolClient): Promise<boolean> {
    const cached = this.#boundedByRole.get(client)
    if (cached !== undefined) return cached
    const { rows } = await this.#outages.guard(() =>
      client.query<{ ms: number }>(
        "select (extract(epoch from current_setting('statement_timeout')::interval) * 1000)::int as ms",
      ),
    )
    const isBounded = rows[0]?.ms === this.#timeoutMs
    this.#boundedByRole.set(client, isBounded)
    return isBounded
  }

  async #select1(): Promise<void> {
    const client = await this.#connect()
    try {
      await this.#outages.guard(() => client.query('select 1'))
      this.#outages.responded()
      client.release()
    } catch (error) {
      client.release(true)
      if (!isResponse(error)) this.#outages.failed()
      throw error
    }
  }
}

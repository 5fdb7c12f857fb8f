import type { LastError } from '@posthorn/contracts/schemas/account'
import type { AccountState } from '@posthorn/contracts/schemas/account-state'
import { type Db, hasMailbox, type SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { KeyedMutex, sleep } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from '../config.ts'
import type {
  AccountDriver,
  CreateDriver,
  DriverContext,
  MailboxRefusal,
} from '../drivers/account-driver.ts'
import { nextAttemptCount, reconnectDelayMs } from '../drivers/reconnect.ts'
import { SyncRunner } from '../drivers/sync-runner.ts'
import { toAccountStatus } from '../store/account-status.ts'
import { type Account, type AccountReader, type AccountRow, toAccount } from '../store/accounts.ts'
import { flushIndex } from '../store/flush.ts'
import { type AccountLease, withLease } from '../store/lease.ts'
import { failureOf, syncedTrigger } from './failures.ts'
import { StatusRecorder, type StatusRecorderDeps } from './status-recorder.ts'

export interface AccountSessionDeps extends StatusRecorderDeps {
  readonly createDriver: CreateDriver
  readonly store: SessionStore
  readonly config: StatusRecorderDeps['config'] &
    Pick<Config, 'accountsSweepMs' | 'reconnectMinMs' | 'reconnectMaxMs'>
}

interface SessionStore {
  readonly db: Db
  readonly settings: Pick<SettingsCache, 'get'>
  readonly accounts: AccountReader
}

/**
 * State of one run of `AccountDriver.follow`: a connection of the account to its mail system, from
 * login to loss.
 */
interface ConnectionRun {
  /**
   * Time of the login at the account's mail system in epoch milliseconds. Before the login, the
   * start time of the connection attempt.
   */
  startedAt: number
  /** True after the account's connection was used for a full sync pass. */
  synced: boolean
  /**
   * True if the sync made progress over the account's connection, so that the account reconnects
   * soon.
   */
  progressed: boolean
  /** True if the account's connection was lost because of a change that this worker made itself. */
  isOwnLoss: boolean
}

interface ConnectionEnd extends Omit<ConnectionRun, 'startedAt'> {
  connectedMs: number
  error?: unknown
}

/**
 * Session of one account on this worker. Runs the account's driver, reconnects after failures, and
 * updates the account status. Ends when the session is stopped, or when the lease on the account's
 * shard is lost (`ended`).
 */
export class AccountSession implements DriverContext {
  readonly lease: AccountLease
  readonly version: string
  readonly driver: AccountDriver
  readonly sync = new SyncRunner()
  readonly locks = new KeyedMutex()
  readonly log: Logger
  /** True if the account session ended although `stop` was not called. */
  ended = false
  /**
   * True from a login at the account's mail system until a failure of the connection or of a
   * reconnect is recorded.
   */
  loggedIn = false
  /** True after the first attempt to connect the account, or if the account has no server. */
  attempted = false
  /**
   * Registered account. Undefined before the registration is read, and if the registration names no
   * mail server.
   */
  account: Account | undefined
  /**
   * Resolves when the read of the account's registration has ended, even with a failure. Commands
   * wait for this promise.
   */
  readonly prepared: Promise<void>
  readonly #deps: AccountSessionDeps
  readonly #stop = new AbortController()
  readonly #done: Promise<void>
  readonly #prepared = Promise.withResolvers<void>()
  readonly #status: StatusRecorder
  #connection = newConnection(0)

  constructor(deps: AccountSessionDeps, lease: AccountLease, version: string) {
    this.lease = lease
    this.version = version
    this.#deps = deps
    this.log = deps.log.child({ account: lease.account })
    this.#status = new StatusRecorder({ ...deps, log: this.log }, lease)
    this.driver = deps.createDriver(this)
    this.prepared = this.#prepared.promise
    this.#done = this.#run()
  }

  /** Account state that the account session stored last. */
  get state(): AccountState | undefined {
    return this.#status.state
  }

  /** Last error of the account that was read or stored last. Undefined before the first read. */
  get lastError(): LastError | null | undefined {
    return this.#status.lastError
  }

  /** True if the account has ever completed a sync pass. */
  get wasSynced(): boolean {
    return this.#status.wasSynced
  }

  /** True after `stop` was called, because the shard was released or the account has changed. */
  get isStopped(): boolean {
    return this.#stop.signal.aborted
  }

  enter(state: 'connecting' | 'syncing'): AsyncDisposable {
    return this.#status.enter(state)
  }

  async reportLogin(user: string): Promise<void> {
    this.#connection.startedAt = Date.now()
    await this.#status.apply({ kind: 'loggedIn', user })
    this.loggedIn = this.attempted = true
  }

  async reportSync(refusal: MailboxRefusal | undefined): Promise<void> {
    this.#connection.synced = true
    await this.#status.apply(syncedTrigger(refusal))
  }

  reportProgress(): void {
    this.#connection.progressed = true
  }

  reportOwnLoss(): void {
    this.#connection.isOwnLoss = true
  }

  /**
   * Ends all work of the account session and logs out of the mail system. Resolves when all work
   * has ended.
   */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.allSettled([this.driver[Symbol.asyncDispose](), this.#done])
    this.#status.close()
  }

  /** Ends the session of a deleted account, then ends the account's watch at the mail provider. */
  async end(): Promise<void> {
    await this.stop()
    await this.driver
      .onDeleted?.()
      .catch((err: unknown) => this.log.info({ err }, 'ending notifications failed'))
  }

  async #run(): Promise<void> {
    try {
      const canConnect = await this.#prepare()
      this.#prepared.resolve()
      if (canConnect) await this.#runConnections()
    } catch (err) {
      if (this.#stop.signal.aborted) return
      this.ended = true
      if (isStale(err)) this.log.info('shard lease lost, stopping account session')
      else this.log.error({ err }, 'account session crashed, restarting')
    } finally {
      this.#prepared.resolve()
      this.attempted = true
    }
  }

  /**
   * Reads the account's registration. Returns false if the account cannot connect until the
   * registration changes, for example without a server.
   */
  async #prepare(): Promise<boolean> {
    const row = await this.#deps.store.accounts.load(this.lease.account)
    if (!row) throw new AppError('stale', 'The account was deleted')
    const account = toAccount(row, this.lease)
    if (row.flushedEpoch === row.flushEpoch) this.#status.load(toAccountStatus(row))
    else await this.#flush(row)
    this.#status.registeredAt = account?.registeredAt ?? row.createdAt.getTime()
    const { version, paused } = row
    await this.#status.apply({ kind: 'starting', version, enabled: hasMailbox(row), paused })
    this.account = account
    return account !== undefined
  }

  /**
   * Executes a requested flush (deletion) of the account's index, before any work that uses the
   * index.
   */
  async #flush({ account, flushEpoch: epoch, imapIndexer }: AccountRow): Promise<void> {
    const { db, settings } = this.#deps.store
    const indexer = imapIndexer ?? (await settings.get()).imapIndexer ?? 'full'
    await withLease(db, this.lease, (tx) => flushIndex(tx, account, { epoch, indexer }))
    this.log.info({ indexer }, 'mailbox index flushed on request')
  }

  async #runConnections(): Promise<void> {
    const { signal } = this.#stop
    for (let attempts = 0; this.state !== 'unset' && !signal.aborted;) {
      await sleep(reconnectDelayMs(attempts, this.#deps.config), signal)
      const { error, ...outcome } = await this.#runConnection()
      this.attempted = true
      if (signal.aborted) return
      const hasFailed = error !== undefined
      const internalFailure = hasFailed && !failureOf(error)
      attempts = nextAttemptCount(attempts, { ...outcome, internalFailure })
      // An account's connection that ended without a failure is replaced by a new connection. The
      // account keeps the state `connected` meanwhile.
      if (hasFailed)
        await this.#recordFailure({ error, synced: outcome.synced, isDelayed: attempts > 0 })
    }
  }

  /**
   * Runs one connection of the account to its mail system, from login to loss. `error` is absent if
   * nothing failed and the connection has to be replaced.
   */
  async #runConnection(): Promise<ConnectionEnd> {
    const connection = newConnection(Date.now())
    this.#connection = connection
    const end = () => {
      const { startedAt, ...rest } = connection
      return { ...rest, connectedMs: Date.now() - startedAt }
    }
    try {
      await this.driver.follow(this.#stop.signal)
      return end()
    } catch (error) {
      if (isStale(error)) throw error
      return { ...end(), error }
    }
  }

  /**
   * Records the failure of the account's connection in the account status. The loss of a connection
   * with a completed sync pass is not recorded if the connection can be replaced without delay.
   * Rejected credentials are always recorded.
   */
  async #recordFailure({
    error,
    synced,
    isDelayed,
  }: {
    error: unknown
    synced: boolean
    isDelayed: boolean
  }): Promise<void> {
    const failure = failureOf(error)
    if (!failure) return this.log.warn({ err: error }, 'account session interrupted')
    const isLost = synced && failure.kind === 'connectFailed'
    if (isLost && !isDelayed) return
    this.loggedIn = false
    this.log.info({ err: error }, isLost ? 'disconnected' : 'connecting the account failed')
    try {
      await this.#status.apply(isLost ? { kind: 'lost' } : failure)
    } catch (err) {
      if (isStale(err)) throw err
      this.log.warn({ err }, 'storing the account status failed')
    }
  }
}

function newConnection(startedAt: number): ConnectionRun {
  return { startedAt, synced: false, progressed: false, isOwnLoss: false }
}

function isStale(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'stale'
}

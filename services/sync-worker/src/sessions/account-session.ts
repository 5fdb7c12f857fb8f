import type { MailSession } from '@posthorn/backends'
import type { AccountState, LastError } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { KeyedMutex, settleWithin, sleep } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from '../config.ts'
import { toAccountStatus } from '../store/account-status.ts'
import { type Account, type AccountReader, type AccountRow, toAccount } from '../store/accounts.ts'
import { flushIndex } from '../store/flush.ts'
import { type AccountLease, withLease } from '../store/lease.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import type { ListContext, SyncDeps } from '../sync/context.ts'
import type { AppliedListChange } from '../sync/mailbox-list/list-plan.ts'
import { changeMailboxList } from '../sync/mailbox-list/mailbox-list.ts'
import { OutdatedConnectionError } from '../sync/mailbox-list/second-connection.ts'
import { storeUidValidity } from '../sync/mailbox-list/unsynced-mailboxes.ts'
import { followMailboxes } from '../sync/passes/follower.ts'
import { SyncRequests } from '../sync/passes/sync-requests.ts'
import { nextAttemptCount, reconnectDelayMs } from '../sync/reconnect.ts'
import { isUnfinished } from '../sync/sync-plan.ts'
import { CommandPool } from './command-pool.ts'
import type { Connect } from './connect.ts'
import { failureOf, syncedTrigger } from './failures.ts'
import { StatusRecorder, type StatusRecorderDeps } from './status-recorder.ts'

export interface AccountSessionDeps extends Omit<StatusRecorderDeps, 'metrics'> {
  readonly sync: SyncDeps
  readonly connect: Connect
  readonly accounts: AccountReader
  readonly config: StatusRecorderDeps['config'] &
    Pick<Config, 'accountsSweepMs' | 'commandConnections' | 'commandIdleMs'>
}

/** Grace period of a stopping session; then its connection is closed. */
const graceMs = 1_000

/**
 * Life of one account on this worker: connects, syncs, watches, reconnects and updates the account
 * status. Runs until it is stopped, or until the lease is lost (`ended`).
 */
export class AccountSession {
  readonly lease: AccountLease
  readonly version: string
  readonly commands: CommandPool
  /** True if the session ended without `stop`. */
  ended = false
  /** True from the first login until reconnecting fails. */
  loggedIn = false
  /** Undefined until the registration is read, and for accounts without a server. */
  account: Account | undefined
  readonly #deps: AccountSessionDeps
  readonly #log: Logger
  readonly #stop = new AbortController()
  readonly #done: Promise<void>
  readonly #requests = new SyncRequests()
  readonly #locks = new KeyedMutex()
  readonly #status: StatusRecorder
  #session: MailSession | undefined

  constructor(deps: AccountSessionDeps, lease: AccountLease, version: string) {
    this.lease = lease
    this.version = version
    this.#deps = deps
    this.#log = deps.log.child({ account: lease.account })
    this.#status = new StatusRecorder(
      { ...deps, metrics: deps.sync.metrics, log: this.#log },
      lease,
    )
    this.commands = new CommandPool({
      connect: (signal) => this.#connectForCommand(signal),
      max: deps.config.commandConnections,
      idleMs: deps.config.commandIdleMs,
    })
    this.#done = this.#run()
  }

  /** State that this session stored last. */
  get state(): AccountState | undefined {
    return this.#status.state
  }

  /** Last error of the account. Undefined if its status is unknown. */
  get lastError(): LastError | null | undefined {
    return this.#status.lastError
  }

  /** True if a sync pass of the account ever ended. */
  get wasSynced(): boolean {
    return this.#status.wasSynced
  }

  /** Requests a full sync pass. */
  requestFullSync(): void {
    this.#requests.requestFull()
  }

  /** Requests a sync of mailboxes, by id, that a command changed. */
  requestSync(mailboxes: Iterable<string>): void {
    this.#requests.requestMailboxes(mailboxes)
  }

  /**
   * Requests to select a mailbox, by id, whose UIDVALIDITY differed on another connection. The
   * counters of this connection may be outdated: Dovecot 2.3 keeps reporting old ones.
   */
  requestReselect(mailbox: string): void {
    this.#requests.requestReselect(mailbox)
  }

  /** Changes the mailbox list over a command connection and stores the new list. */
  async changeMailboxes<T>(
    session: MailSession,
    change: () => Promise<{ done: T; applied: AppliedListChange }>,
  ): Promise<T> {
    const context = this.#listContext(session)
    if (!context) throw new AppError('unavailable', 'The account has no mail server')
    const { done, rows } = await changeMailboxList(context, change, (err) => {
      this.#log.warn({ err }, 'stored mailbox list may be outdated')
      this.requestFullSync()
    })
    this.requestSync(rows.filter(isUnfinished).map(({ id }) => id))
    return done
  }

  /**
   * Stores UIDVALIDITY of a mailbox that is not synced. Returns its row; undefined if the mailbox
   * is synced, so that the caller has to wait for the sync.
   */
  async storeUidValidity(
    session: MailSession,
    row: MailboxRow,
    uidValidity: bigint,
  ): Promise<MailboxRow | undefined> {
    const context = this.#listContext(session)
    return context && storeUidValidity(context, row, uidValidity)
  }

  #listContext(session: MailSession): ListContext | undefined {
    const { account } = this
    return account && { deps: this.#deps.sync, account, session, locks: this.#locks }
  }

  /** Ends all work and logs out. Resolves when nothing of the session runs or writes any more. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.allSettled([this.commands[Symbol.asyncDispose](), this.#end()])
    this.#status.close()
  }

  async #end(): Promise<void> {
    await settleWithin(this.#done, graceMs)
    await this.#session?.[Symbol.asyncDispose]()
    await this.#done
  }

  async #run(): Promise<void> {
    try {
      const account = await this.#prepare()
      if (account) await this.#runConnections(account)
    } catch (err) {
      if (this.#stop.signal.aborted) return
      this.ended = true
      if (isStale(err)) this.#log.info('shard lease lost, stopping account session')
      else this.#log.error({ err }, 'account session crashed, restarting')
    }
  }

  /** The account; undefined if there is nothing to connect to until the registration changes. */
  async #prepare(): Promise<Account | undefined> {
    const row = await this.#deps.accounts.load(this.lease.account)
    if (!row) throw new AppError('stale', 'The account was deleted')
    const account = toAccount(row, this.lease)
    if (row.flushedEpoch === row.flushEpoch) this.#status.load(toAccountStatus(row))
    else await this.#flush(row)
    this.#status.registeredAt = account?.registeredAt ?? row.createdAt.getTime()
    const enabled = row.imap !== null && !row.imap.disabled
    await this.#status.apply({
      kind: 'starting',
      version: row.version,
      enabled,
      paused: row.paused,
    })
    this.account = account
    return account
  }

  /** Executes a requested flush before anything depends on the index. */
  async #flush({ account, flushEpoch: epoch, imapIndexer }: AccountRow): Promise<void> {
    const { db, settings } = this.#deps.sync
    const indexer = imapIndexer ?? (await settings.get()).imapIndexer ?? 'full'
    await withLease(db, this.lease, (tx) => flushIndex(tx, account, { epoch, indexer }))
    this.#log.info({ indexer }, 'mailbox index flushed on request')
  }

  async #runConnections(account: Account): Promise<void> {
    const { signal } = this.#stop
    for (let attempts = 0; this.state !== 'unset' && !signal.aborted;) {
      await sleep(reconnectDelayMs(attempts, this.#deps.sync.config), signal)
      const { synced, connectedMs, error } = await this.#runConnection(account)
      if (signal.aborted) return
      const isOutdated = error instanceof OutdatedConnectionError
      const internalFailure = !isOutdated && !failureOf(error)
      attempts = nextAttemptCount(attempts, { synced, connectedMs, internalFailure })
      // Nothing failed: the account stays connected until the next attempt.
      if (isOutdated) this.#log.info('connection shows outdated mailboxes, replacing it')
      else await this.#recordFailure({ error, synced, isDelayed: attempts > 0 })
    }
  }

  /** Runs one connection from login to loss. */
  async #runConnection(account: Account) {
    const { signal } = this.#stop
    const { sync, connect } = this.#deps
    let synced = false
    let startedAt = Date.now()
    try {
      const session = await this.#logIn(account)
      startedAt = Date.now()
      this.#session = session
      await this.#status.apply({ kind: 'loggedIn', user: session.user })
      this.loggedIn = true
      await using syncing = this.#status.enter('syncing')
      await followMailboxes({
        deps: sync,
        account,
        session,
        connect: (stop) => connect(account, stop),
        signal,
        log: this.#log,
        requests: this.#requests,
        locks: this.#locks,
        onSynced: async (refusal) => {
          synced = true
          await syncing[Symbol.asyncDispose]()
          await this.#status.apply(syncedTrigger(refusal))
        },
      })
      return { synced, connectedMs: Date.now() - startedAt, error: undefined }
    } catch (error) {
      if (isStale(error)) throw error
      return { synced, connectedMs: Date.now() - startedAt, error }
    } finally {
      await this.#session?.[Symbol.asyncDispose]()
      this.#session = undefined
    }
  }

  /**
   * Logs in, with the state `connecting` meanwhile. Before the first sync, `init` is the state of
   * an account that waits for its turn.
   */
  async #logIn(account: Account): Promise<MailSession> {
    await using connecting = new AsyncDisposableStack()
    const enter = () => void connecting.use(this.#status.enter('connecting'))
    if (this.wasSynced) enter()
    const onTurn = this.wasSynced ? undefined : enter
    return await this.#deps.connect(account, this.#stop.signal, onTurn)
  }

  /**
   * Records a failure in the status. The loss of a synced connection is no failure while it can be
   * replaced without delay.
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
    if (!failure) return this.#log.warn({ err: error }, 'account session interrupted')
    const isLost = synced && failure.kind === 'connectFailed'
    if (isLost && !isDelayed) return
    this.loggedIn = false
    this.#log.info({ err: error }, isLost ? 'disconnected' : 'connecting the account failed')
    try {
      await this.#status.apply(isLost ? { kind: 'lost' } : failure)
    } catch (err) {
      if (isStale(err)) throw err
      this.#log.warn({ err }, 'storing the account status failed')
    }
  }

  async #connectForCommand(signal: AbortSignal): Promise<MailSession> {
    if (!this.account)
      throw new AppError('unavailable', 'The account has no mail server', { code: 'NotSyncing' })
    return this.#deps.connect(this.account, AbortSignal.any([signal, this.#stop.signal]))
  }
}

function isStale(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'stale'
}

import { setTimeout as delay } from 'node:timers/promises'
import type { MailSession } from '@posthorn/backends'
import type { AccountState } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import type { Deps } from '../deps.ts'
import type { AccountLease } from '../store/lease.ts'
import type { MailboxRow } from '../store/mailboxes.ts'
import { toAccountStatus } from '../store/account-states.ts'
import { changeMailboxList } from '../sync/mailbox-list/change-list.ts'
import { isUnfinished } from '../sync/sync-plan.ts'
import { followMailboxes } from '../sync/passes/follower.ts'
import { MailboxLocks } from '../sync/locks.ts'
import type { AppliedListChange } from '../sync/mailbox-list/mailbox-list.ts'
import { storeUidValidity } from '../sync/mailbox-list/unsynced-mailboxes.ts'
import { type Account, toAccount } from './account.ts'
import { CommandPool } from './command-pool.ts'
import { connectSession } from './connect.ts'
import { failureOf } from './failures.ts'
import { flushIfRequested } from './flush.ts'
import { nextAttemptCount, reconnectDelayMs } from './reconnect.ts'
import type { StatusTrigger, AccountStatus } from './status-transition.ts'
import { SyncRequests } from '../sync/passes/sync-requests.ts'

/** How long a session may take to come to an end by itself when it is told to; then its connection is closed under it. */
const graceMs = 1_000

/**
 * The life of one account on this worker: connects, syncs, watches, reconnects, and keeps the account's state. Runs until it is stopped or
 * until the lease is lost (`ended`).
 */
export class AccountSession {
  readonly lease: AccountLease
  readonly version: string
  readonly commands: CommandPool
  /** Over without having been stopped. */
  ended = false
  /** As last stored by this session. */
  state: AccountState | undefined
  /** Whether the server has let us in since this session began, and was not lost since. */
  loggedIn = false
  /** The account as registered; undefined before it was read, and where it has no server. */
  account: Account | undefined
  readonly #deps: Deps
  readonly #log: Logger
  readonly #stop = new AbortController()
  readonly #done: Promise<void>
  readonly #wishes = new SyncRequests()
  readonly #locks = new MailboxLocks()
  #session: MailSession | undefined
  /** As it is stored, where that is known: nobody else writes it. */
  #standing: AccountStatus | undefined

  constructor(deps: Deps, lease: AccountLease, version: string) {
    this.lease = lease
    this.version = version
    this.#deps = deps
    this.#log = deps.log.child({ account: lease.account })
    this.commands = new CommandPool({
      connect: (signal) => this.#openForCommand(signal),
      max: deps.config.commandConnections,
      idleMs: deps.config.commandIdleMs,
    })
    this.#done = this.#run()
  }

  /** Lets the session look at the account's mailboxes soon, all of them. */
  requestFullSync(): void {
    this.#wishes.requestFull()
  }

  /** Lets the session look soon at some mailboxes, by id, in which something was changed. */
  requestSync(mailboxes: Iterable<string>): void {
    this.#wishes.requestMailboxes(mailboxes)
  }

  /**
   * Lets the session open a mailbox soon, by id, that over another connection was not the one that is known. What the server tells this
   * session of it may be out of date: Dovecot 2.3 goes on telling its old counters.
   */
  requestReselect(mailbox: string): void {
    this.#wishes.requestReselect(mailbox)
  }

  /**
   * Changes the list of mailboxes over a connection for commands; what is stored shows it when this resolves.
   */
  async changeMailboxes<T>(
    session: MailSession,
    change: () => Promise<{ done: T; applied: AppliedListChange }>,
  ): Promise<T> {
    const { account } = this
    if (!account) throw new AppError('unavailable', 'The account has no mail server')
    const context = { deps: this.#deps, account, session, locks: this.#locks }
    const { done, rows } = await changeMailboxList(context, change, (err) => {
      this.#log.warn({ err }, 'the list of mailboxes is not up to date; a round follows')
      this.requestFullSync()
    })
    this.requestSync(rows.filter(isUnfinished).map(({ id }) => id))
    return done
  }

  /** Lets ids be made of a mailbox that is not looked after: its row then. Undefined where it is, and its sync is to be waited for. */
  async storeUidValidity(
    session: MailSession,
    row: MailboxRow,
    uidValidity: bigint,
  ): Promise<MailboxRow | undefined> {
    const { account } = this
    if (!account) return undefined
    const context = { deps: this.#deps, account, session, locks: this.#locks }
    return storeUidValidity(context, row, uidValidity)
  }

  /** Ends all work and logs out. Nothing of this session runs or writes when it resolves. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await Promise.allSettled([this.commands[Symbol.asyncDispose](), this.#end()])
    this.#show(undefined)
  }

  async #end(): Promise<void> {
    await Promise.race([this.#done, delay(graceMs, undefined, { ref: false })])
    await this.#session?.[Symbol.asyncDispose]()
    await this.#done
  }

  async #run(): Promise<void> {
    try {
      const account = await this.#prepare()
      if (account) await this.#keepConnected(account)
    } catch (err) {
      if (this.#stop.signal.aborted) return
      this.ended = true
      if (isStale(err)) this.#log.info('the lease is lost: the session ends')
      else this.#log.error({ err }, 'the session broke and is started again')
    }
  }

  /** The account, or undefined where nothing is to be connected to until its registration changes. */
  async #prepare(): Promise<Account | undefined> {
    const row = await this.#deps.accounts.load(this.lease.account)
    if (!row) throw new AppError('stale', 'The account is gone')
    const account = toAccount(row, this.lease)
    const flushed = await flushIfRequested(this.#deps, this.lease, row)
    if (!flushed) this.#standing = toAccountStatus(row)
    await this.#happened(
      { kind: 'starting', version: row.version, enabled: account !== undefined },
      row.createdAt.getTime(),
    )
    this.account = account
    return account
  }

  async #keepConnected(account: Account): Promise<void> {
    const { reconnectMinMs: minMs, reconnectMaxMs: maxMs } = this.#deps.config
    const { signal } = this.#stop
    for (let attempts = 0; this.state !== 'unset' && !signal.aborted;) {
      await delay(reconnectDelayMs(attempts, { minMs, maxMs }, Math.random()), undefined, {
        signal,
      })
      const { synced, livedMs, error } = await this.#live(account)
      if (signal.aborted) return
      attempts = nextAttemptCount(attempts, {
        synced,
        connectedMs: livedMs,
        internalFailure: !failureOf(error),
      })
      await this.#failed(account, { error, synced, waits: attempts > 0 })
    }
  }

  /** One connection from login to loss. */
  async #live(account: Account): Promise<{ synced: boolean; livedMs: number; error: unknown }> {
    const { signal } = this.#stop
    let synced = false
    let since = Date.now()
    try {
      const session = await connectSession(this.#deps, account, signal)
      since = Date.now()
      this.#session = session
      await this.#happened({ kind: 'loggedIn', user: session.user }, account.registeredAt)
      this.loggedIn = true
      await followMailboxes({
        deps: this.#deps,
        account,
        session,
        connect: (stop) => connectSession(this.#deps, account, stop),
        signal,
        log: this.#log,
        requests: this.#wishes,
        locks: this.#locks,
        onSynced: async (trouble) => {
          synced = true
          await this.#happened(syncedWith(trouble), account.registeredAt)
        },
      })
      return { synced, livedMs: Date.now() - since, error: undefined }
    } catch (error) {
      if (isStale(error)) throw error
      return { synced, livedMs: Date.now() - since, error }
    } finally {
      await this.#session?.[Symbol.asyncDispose]()
      this.#session = undefined
    }
  }

  /** Tells what went wrong. The loss of a connection that worked is no failure yet: being unable to replace it is. */
  async #failed(
    account: Account,
    { error, synced, waits }: { error: unknown; synced: boolean; waits: boolean },
  ): Promise<void> {
    const failure = failureOf(error)
    if (!failure) return this.#log.warn({ err: error }, 'the session was interrupted')
    const lost = synced && failure.kind === 'connectFailed'
    if (lost && !waits) return
    this.loggedIn = false
    this.#log.info({ err: error }, lost ? 'disconnected' : 'the account cannot be connected')
    try {
      await this.#happened(lost ? { kind: 'lost' } : failure, account.registeredAt)
    } catch (err) {
      if (isStale(err)) throw err
      this.#log.warn({ err }, 'could not store that the account cannot be connected')
    }
  }

  /** Takes what happened into the stored state, with its events. */
  async #happened(happening: StatusTrigger, registeredAt: number): Promise<void> {
    const { lease } = this
    const known = this.#standing ? { from: this.#standing } : {}
    this.#standing = undefined // a transaction that fails may have gone through all the same
    const { status: standing, changed } = await this.#deps.applyStatusUpdate({
      lease,
      registeredAt,
      trigger: happening,
      ...known,
    })
    this.#standing = standing
    if (changed) this.#deps.changes.broadcast()
    this.#show(standing.state)
  }

  #show(state: AccountState | undefined): void {
    if (state === this.state) return
    this.#deps.metrics.accountState(this.state, state)
    this.state = state
  }

  #openForCommand(signal: AbortSignal): Promise<MailSession> {
    if (!this.account)
      throw new AppError('unavailable', 'The account has no mail server', { code: 'NotSyncing' })
    return connectSession(this.#deps, this.account, AbortSignal.any([signal, this.#stop.signal]))
  }
}

function syncedWith(trouble: { path: string; error: AppError } | undefined): StatusTrigger {
  if (!trouble) return { kind: 'synced' }
  const { path, error } = trouble
  return { kind: 'synced', trouble: { path, error: error.message } }
}

function isStale(error: unknown): boolean {
  return error instanceof AppError && error.kind === 'stale'
}

import { shardOf } from '@posthorn/contracts/shards'
import type { Backend } from '@posthorn/db'
import { abortable, type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { CreateDriver } from '../drivers/account-driver.ts'
import type { LoginCounts } from '../shards/login-rate.ts'
import type { ShardAccounts, ShardObserver } from '../shards/shard-accounts.ts'
import type { AccountLoad } from '../shards/memory-budget.ts'
import { type AccountVersion, listAccountVersions } from '../store/accounts.ts'
import type { Lease } from '../store/lease.ts'
import { AccountSession, type AccountSessionDeps } from './account-session.ts'

export interface RegistryDeps extends Omit<AccountSessionDeps, 'createDriver'> {
  /** Account drivers by mail system. Accounts of a mail system without a driver get no session. */
  readonly drivers: readonly (readonly [Backend, CreateDriver])[]
}

/**
 * Runs one session for each account of the leased shards (groups of accounts). `refresh` applies a
 * changed registration immediately. A periodic sweep finds changed registrations for which
 * `refresh` was not called.
 */
export class Registry implements ShardObserver, ShardAccounts, AsyncDisposable {
  readonly #deps: RegistryDeps
  readonly #sessionDeps: ReadonlyMap<Backend, AccountSessionDeps>
  readonly #sweep: PeriodicTask
  readonly #leases = new Map<number, Lease>()
  readonly #running = new Map<string, AccountSession>()
  /**
   * Account sessions that are being stopped. A new session of an account starts only after the
   * previous session has stopped.
   */
  readonly #stopping = new Map<string, { shard: number; done: Promise<void> }>()
  /**
   * Restarts of account sessions, by account id. A restart resolves when the account's next session
   * has started, or when no session can start.
   */
  readonly #restarting = new Map<string, Promise<void>>()
  /** Leased shards (groups of accounts) whose accounts were not listed yet. */
  readonly #unlisted = new Set<number>()
  /** Sessions of accounts moved to this worker, until the first attempt to connect has ended. */
  readonly #moving = new Set<AccountSession>()
  /** Resolves after the next time that the accounts of the leased shards are listed. */
  #listing = Promise.withResolvers<void>()

  constructor(deps: RegistryDeps) {
    this.#deps = deps
    this.#sessionDeps = new Map(
      deps.drivers.map(([backend, createDriver]) => [backend, { ...deps, createDriver }]),
    )
    const { config, log } = deps
    this.#sweep = runPeriodically({ everyMs: config.accountsSweepMs, log, name: 'accounts' }, () =>
      this.#reconcileAll(),
    )
  }

  find(account: string): AccountSession | undefined {
    return this.#running.get(account)
  }

  /**
   * Finds the session of an account, after the account's registration was read. Waits until the
   * accounts of a newly leased shard are listed, because commands arrive as soon as the shard is
   * leased. Waits for the restart of the session after a change of the registration.
   */
  async findPrepared(account: string, signal: AbortSignal): Promise<AccountSession | undefined> {
    const shard = shardOf(account)
    for (;;) {
      const session = this.#running.get(account)
      if (session) {
        await abortable(session.prepared, signal)
        return session
      }
      const isHeld = this.#leases.has(shard)
      const starting = this.#unlisted.has(shard)
        ? this.#listing.promise
        : isHeld && this.#restarting.get(account)
      if (!starting) return undefined
      await abortable(starting, signal)
    }
  }

  /**
   * Starts and stops sessions of one or all accounts, so that the sessions match the registrations.
   */
  refresh(account?: string): void {
    if (account === undefined) return this.#sweep.wake()
    this.#reconcile(account).catch((err: unknown) =>
      this.#deps.log.warn({ err, account }, 'account refresh failed, left to the sweep'),
    )
  }

  claimed(leases: readonly Lease[]): Promise<void> {
    for (const lease of leases) {
      this.#leases.set(lease.shard, lease)
      this.#unlisted.add(lease.shard)
    }
    this.#startUnlisted().catch((err: unknown) =>
      this.#deps.log.warn({ err }, 'listing accounts failed, left to the sweep'),
    )
    return Promise.resolve()
  }

  async released(shards: readonly number[]): Promise<void> {
    for (const shard of shards) {
      this.#leases.delete(shard)
      this.#unlisted.delete(shard)
    }
    this.#announceListing()
    const released = new Set(shards)
    for (const [account, { lease }] of this.#running)
      if (released.has(lease.shard)) void this.#stop(account)
    // Waits until all account sessions of the released shards (groups of accounts) have stopped,
    // including sessions that were being stopped before this call.
    const stopping = [...this.#stopping.values()].filter(({ shard }) => released.has(shard))
    await Promise.all(stopping.map(({ done }) => done))
  }

  get listed(): boolean {
    return this.#unlisted.size === 0
  }

  get moving(): number {
    for (const session of this.#moving)
      if (session.attempted || this.#running.get(session.lease.account) !== session)
        this.#moving.delete(session)
    return this.#moving.size
  }

  load(): AccountLoad {
    const sessions = [...this.#running.values()]
    const waiting = sessions.filter(isWaiting)
    return {
      accounts: sessions.length,
      loggedIn: sessions.filter(({ loggedIn }) => loggedIn).length,
      waiting: waiting.length,
      starting: waiting.filter(({ attempted }) => !attempted).length,
    }
  }

  logins(): Map<number, LoginCounts> {
    const byShard = new Map<number, Map<string, number>>()
    for (const { lease, driver } of this.#running.values()) {
      const key = driver.loginKey
      if (key === undefined) continue
      const counts = byShard.get(lease.shard) ?? new Map<string, number>()
      byShard.set(lease.shard, counts.set(key, (counts.get(key) ?? 0) + 1))
    }
    return byShard
  }

  loggedInShards(): Set<number> {
    return this.#shardsWith(({ loggedIn }) => loggedIn)
  }

  attemptedShards(): Set<number> {
    return this.#shardsWith(({ attempted }) => attempted)
  }

  #shardsWith(matches: (session: AccountSession) => boolean): Set<number> {
    const sessions = [...this.#running.values()]
    return new Set(sessions.filter(matches).map(({ lease }) => lease.shard))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sweep[Symbol.asyncDispose]()
    this.#leases.clear()
    await Promise.all([...this.#running.keys()].map((account) => this.#stop(account)))
    await Promise.all(Array.from(this.#stopping.values(), ({ done }) => done))
  }

  async #reconcileAll(): Promise<void> {
    const shards = [...this.#leases.keys()]
    const versions = await listAccountVersions(this.#deps.store.db, shards)
    const registered = new Set(versions.map(({ account }) => account))
    // The query for accounts does not return deleted accounts, nor accounts that were registered
    // after the query. The registration of a missing account is therefore read again before its
    // session is stopped.
    const missing = [...this.#running.keys()].filter((account) => !registered.has(account))
    await Promise.all(missing.map((account) => this.#reconcile(account)))
    this.#startListed(shards, versions)
  }

  /** Starts the sessions of the accounts in claimed shards (groups of accounts). */
  async #startUnlisted(): Promise<void> {
    const shards = [...this.#unlisted]
    this.#startListed(shards, await listAccountVersions(this.#deps.store.db, shards))
  }

  #startListed(shards: readonly number[], versions: readonly AccountVersion[]): void {
    for (const version of versions) this.#ensure(version)
    for (const shard of shards) this.#unlisted.delete(shard)
    this.#announceListing()
  }

  #announceListing(): void {
    this.#listing.resolve()
    this.#listing = Promise.withResolvers<void>()
  }

  async #reconcile(account: string): Promise<void> {
    const version = await this.#deps.store.accounts.findVersion(account)
    if (version) this.#ensure(version)
    else if (this.#running.has(account)) this.#restart(account, (session) => session.end())
  }

  /** Starts an account's session, or restarts it if the registration or lease changed. */
  #ensure({ account, shard, version, backend }: AccountVersion): void {
    const lease = this.#leases.get(shard)
    // When the account's session has stopped, the registry reconciles the account again.
    if (!lease || this.#stopping.has(account)) return
    const session = this.#running.get(account)
    if (!session) {
      const deps = this.#sessionDeps.get(backend)
      if (!deps) return
      const started = new AccountSession(deps, { ...lease, account }, version)
      this.#running.set(account, started)
      if (this.#unlisted.has(shard)) this.#moving.add(started)
      return
    }
    const isCurrent =
      !session.ended && session.version === version && session.lease.epoch === lease.epoch
    if (!isCurrent) this.#restart(account)
  }

  /**
   * Stops an account's session. Starts a session afterwards if the account is registered. The stop
   * may take some seconds and delays no other account.
   */
  #restart(account: string, stop?: (session: AccountSession) => Promise<void>): void {
    const restarted = this.#stop(account, stop)
      .then(() => this.#reconcile(account))
      .catch(() => undefined)
      .finally(() => {
        if (this.#restarting.get(account) === restarted) this.#restarting.delete(account)
      })
    this.#restarting.set(account, restarted)
  }

  #stop(account: string, stop = (session: AccountSession) => session.stop()): Promise<void> {
    const session = this.#running.get(account)
    if (!session) return this.#stopping.get(account)?.done ?? Promise.resolve()
    this.#running.delete(account)
    const stopped = stop(session).catch((err: unknown) => {
      this.#deps.log.warn({ err, account }, 'stopping an account session failed')
    })
    const done = stopped.finally(() => this.#stopping.delete(account))
    this.#stopping.set(account, { shard: session.lease.shard, done })
    return done
  }
}

/**
 * True if the account session may log in but has not logged in yet. Such a session will need memory
 * for a connection.
 */
function isWaiting({ loggedIn, ended, state }: AccountSession): boolean {
  return !loggedIn && !ended && state !== 'unset' && state !== 'paused'
}

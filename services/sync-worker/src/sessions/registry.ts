import { runPeriodically } from '@posthorn/flow'
import type { ShardObserver } from '../shards/holder.ts'
import { type AccountVersion, listAccountVersions } from '../store/accounts.ts'
import type { Lease } from '../store/lease.ts'
import { AccountSession, type AccountSessionDeps } from './account-session.ts'

/** Sessions of the accounts of the leased shards. */
export interface Registry extends ShardObserver, AsyncDisposable {
  find(account: string): AccountSession | undefined
  /** Reconciles one account, or all, with its registration. */
  refresh(account?: string): void
}

/**
 * Runs one session per account of the leased shards. Changed registrations are noticed immediately
 * through `refresh`, otherwise by a periodic sweep.
 */
export function startSessions(deps: AccountSessionDeps): Registry {
  const { config, log } = deps
  const sessions = new Sessions(deps)
  const sweep = runPeriodically({ everyMs: config.accountsSweepMs, log, name: 'accounts' }, () =>
    sessions.sweep(),
  )
  return {
    find: (account) => sessions.find(account),
    refresh(account) {
      if (account === undefined) sweep.wake()
      else
        sessions
          .reconcile(account)
          .catch((err: unknown) =>
            log.warn({ err, account }, 'account refresh failed, left to the sweep'),
          )
    },
    async claimed(leases) {
      sessions.claimed(leases)
      sweep.wake()
      await Promise.resolve()
    },
    released: (shards) => sessions.released(shards),
    async [Symbol.asyncDispose]() {
      await sweep[Symbol.asyncDispose]()
      await sessions.stopAll()
    },
  }
}

class Sessions {
  readonly #deps: AccountSessionDeps
  readonly #leases = new Map<number, Lease>()
  readonly #running = new Map<string, AccountSession>()
  /** Stopping sessions. Their accounts are not started before they have stopped. */
  readonly #stopping = new Map<string, Promise<void>>()

  constructor(deps: AccountSessionDeps) {
    this.#deps = deps
  }

  find(account: string): AccountSession | undefined {
    return this.#running.get(account)
  }

  claimed(leases: readonly Lease[]): void {
    for (const lease of leases) this.#leases.set(lease.shard, lease)
  }

  async released(shards: readonly number[]): Promise<void> {
    for (const shard of shards) this.#leases.delete(shard)
    const released = new Set(shards)
    const sessions = [...this.#running].filter(([, { lease }]) => released.has(lease.shard))
    await Promise.all(sessions.map(([account]) => this.#stop(account)))
    // Includes sessions that were stopping already for another reason.
    await Promise.all(this.#stopping.values())
  }

  async stopAll(): Promise<void> {
    this.#leases.clear()
    await Promise.all([...this.#running.keys()].map((account) => this.#stop(account)))
    await Promise.all(this.#stopping.values())
  }

  async sweep(): Promise<void> {
    const versions = await listAccountVersions(this.#deps.sync.db, [...this.#leases.keys()])
    const registered = new Set(versions.map(({ account }) => account))
    // An account registered after the query is missing too, so read it again before stopping it.
    const missing = [...this.#running.keys()].filter((account) => !registered.has(account))
    await Promise.all(missing.map((account) => this.reconcile(account)))
    for (const version of versions) this.#ensure(version)
  }

  async reconcile(account: string): Promise<void> {
    const version = await this.#deps.accounts.findVersion(account)
    if (version) this.#ensure(version)
    else if (this.#running.has(account)) await this.#stop(account)
  }

  /** Starts the session of an account, or restarts it if its registration or lease changed. */
  #ensure({ account, shard, version }: AccountVersion): void {
    const lease = this.#leases.get(shard)
    if (!lease || this.#stopping.has(account)) return // reconciled again after the stop
    const session = this.#running.get(account)
    if (!session) {
      this.#running.set(account, new AccountSession(this.#deps, { ...lease, account }, version))
      return
    }
    const isCurrent =
      !session.ended && session.version === version && session.lease.epoch === lease.epoch
    if (!isCurrent)
      void this.#stop(account)
        .then(() => this.reconcile(account))
        .catch(() => undefined)
  }

  #stop(account: string): Promise<void> {
    const session = this.#running.get(account)
    if (!session) return this.#stopping.get(account) ?? Promise.resolve()
    this.#running.delete(account)
    const stopped = session.stop().catch((err: unknown) => {
      this.#deps.log.warn({ err, account }, 'stopping an account session failed')
    })
    const done = stopped.finally(() => this.#stopping.delete(account))
    this.#stopping.set(account, done)
    return done
  }
}

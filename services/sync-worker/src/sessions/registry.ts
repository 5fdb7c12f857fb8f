import { runPeriodically } from '@posthorn/flow'
import type { Deps } from '../deps.ts'
import type { ShardObserver } from '../shards/holder.ts'
import { type AccountVersion, listAccountVersions } from '../store/accounts.ts'
import type { Lease } from '../store/lease.ts'
import { AccountSession } from './account-session.ts'

/** The sessions of the accounts of the shards held. */
export interface Registry extends ShardObserver, AsyncDisposable {
  find(account: string): AccountSession | undefined
  /** Looks whether an account came, changed or went; without one, at all of them. */
  refresh(account?: string): void
}

/**
 * Runs one session for every account of the shards held. What changed is noticed at once through `refresh`, and by a look at all
 * registrations every few seconds in any case.
 */
export function startSessions(deps: Deps): Registry {
  const sessions = new Sessions(deps)
  const sweep = runPeriodically(
    { everyMs: deps.config.accountsSweepMs, log: deps.log, name: 'accounts' },
    () => sessions.sweep(),
  )
  return {
    find: (account) => sessions.find(account),
    refresh(account) {
      if (account === undefined) sweep.wake()
      else
        sessions
          .reconcile(account)
          .catch((err: unknown) =>
            deps.log.warn({ err, account }, 'could not look at an account; the sweep will'),
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
  readonly #deps: Deps
  readonly #leases = new Map<number, Lease>()
  readonly #running = new Map<string, AccountSession>()
  /** What stops now. An account is not started again before. */
  readonly #stopping = new Map<string, Promise<void>>()

  constructor(deps: Deps) {
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
    const gone = new Set(shards)
    const sessions = [...this.#running].filter(([, { lease }]) => gone.has(lease.shard))
    await Promise.all(sessions.map(([account]) => this.#stop(account)))
    // Those that were being stopped already, for another reason, count as well.
    await Promise.all(this.#stopping.values())
  }

  async stopAll(): Promise<void> {
    this.#leases.clear()
    await Promise.all([...this.#running.keys()].map((account) => this.#stop(account)))
    await Promise.all(this.#stopping.values())
  }

  async sweep(): Promise<void> {
    const found = await listAccountVersions(this.#deps.db, [...this.#leases.keys()])
    const known = new Set(found.map(({ account }) => account))
    // One that was registered after the list was read is not gone: ask again before it is stopped.
    const missing = [...this.#running.keys()].filter((account) => !known.has(account))
    await Promise.all(missing.map((account) => this.reconcile(account)))
    for (const account of found) this.#ensure(account)
  }

  async reconcile(account: string): Promise<void> {
    const found = await this.#deps.accounts.findVersion(account)
    if (found) this.#ensure(found)
    else if (this.#running.has(account)) await this.#stop(account)
  }

  /** Starts, restarts or leaves alone the session of an account. */
  #ensure({ account, shard, version }: AccountVersion): void {
    const lease = this.#leases.get(shard)
    if (!lease || this.#stopping.has(account)) return // when it has stopped, the sweep is called for
    const session = this.#running.get(account)
    if (!session) {
      this.#running.set(account, new AccountSession(this.#deps, { ...lease, account }, version))
      return
    }
    const current =
      !session.ended && session.version === version && session.lease.epoch === lease.epoch
    if (!current)
      void this.#stop(account)
        .then(() => this.reconcile(account))
        .catch(() => undefined)
  }

  #stop(account: string): Promise<void> {
    const session = this.#running.get(account)
    if (!session) return this.#stopping.get(account) ?? Promise.resolve()
    this.#running.delete(account)
    const stopped = session.stop().catch((err: unknown) => {
      this.#deps.log.warn({ err, account }, 'a session did not end well')
    })
    const done = stopped.finally(() => this.#stopping.delete(account))
    this.#stopping.set(account, done)
    return done
  }
}

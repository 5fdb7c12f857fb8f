import type { LastError } from '@posthorn/contracts/schemas/account'
import type { AccountState } from '@posthorn/contracts/schemas/account-state'
import { Mutex, sleep } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from '../config.ts'
import type { ChangeBroadcaster } from '../events/change-broadcaster.ts'
import type { WorkerMetrics } from '../metrics.ts'
import type { AccountStatus } from '../store/account-status.ts'
import type { AccountLease } from '../store/lease.ts'
import type { ApplyStatusUpdate } from './account-status.ts'
import type { StatusTrigger } from './status-transition.ts'

export interface StatusRecorderDeps {
  readonly applyStatusUpdate: ApplyStatusUpdate
  readonly changes: Pick<ChangeBroadcaster, 'broadcast'>
  readonly metrics: Pick<WorkerMetrics, 'accountState'>
  readonly config: Pick<Config, 'transientStateMs'>
  readonly log: Logger
}

/** Recorder of one account's status. Stores one change of the status after the other. */
export class StatusRecorder {
  /** Account state that was stored last. */
  state: AccountState | undefined
  /** Last error of the account that was read or stored last. Undefined before the first read. */
  lastError: LastError | null | undefined
  /** True if the account has ever completed a sync pass. */
  wasSynced = false
  /** Registration time of the account, a part of event ids. */
  registeredAt = 0
  readonly #deps: StatusRecorderDeps
  readonly #lease: AccountLease
  readonly #writes = new Mutex()
  /**
   * Stored account status, if cached. No other process changes the status while this worker holds
   * the account's lease.
   */
  #status: AccountStatus | undefined

  constructor(deps: StatusRecorderDeps, lease: AccountLease) {
    this.#deps = deps
    this.#lease = lease
  }

  /** Sets the account status that was read together with the account's registration. */
  load(status: AccountStatus): void {
    this.#status = status
    this.lastError = status.lastError
  }

  /** Applies a trigger (such as a login) to the account status and stores the result. */
  async apply(trigger: StatusTrigger): Promise<void> {
    using _permit = await this.#writes.acquire()
    await this.#store(trigger)
  }

  /**
   * Stores an account state that usually lasts for a short time, without delaying the caller.
   * Before the account's first sync, stores the state immediately, otherwise only if the state
   * lasts for `transientStateMs`. Disposal cancels the write of the state if it has not started.
   */
  enter(kind: 'connecting' | 'syncing'): AsyncDisposable {
    const ended = new AbortController()
    const stored = this.#storeIfLasting(kind, ended.signal).catch((err: unknown) => {
      if (!ended.signal.aborted) this.#deps.log.warn({ err }, 'storing the account status failed')
    })
    return {
      [Symbol.asyncDispose]: () => {
        ended.abort()
        return stored
      },
    }
  }

  /** Removes the account from the metric that counts accounts by state. */
  close(): void {
    this.#setState(undefined)
  }

  async #storeIfLasting(kind: 'connecting' | 'syncing', signal: AbortSignal): Promise<void> {
    if (this.wasSynced) await sleep(this.#deps.config.transientStateMs, signal)
    using _permit = await this.#writes.acquire(signal)
    await this.#store({ kind })
  }

  async #store(trigger: StatusTrigger): Promise<void> {
    const from = this.#status
    this.#status = undefined // because a failed transaction may have been committed
    const { status, changed } = await this.#deps.applyStatusUpdate({
      lease: this.#lease,
      registeredAt: this.registeredAt,
      trigger,
      ...(from && { from }),
    })
    this.#status = status
    this.lastError = status.lastError
    this.wasSynced = status.initializedAt !== null
    if (changed) this.#deps.changes.broadcast()
    this.#setState(status.state)
  }

  #setState(state: AccountState | undefined): void {
    if (state === this.state) return
    this.#deps.metrics.accountState(this.state, state)
    this.state = state
  }
}

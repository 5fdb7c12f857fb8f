import type { Logger } from '@posthorn/telemetry'
import { type AccountLoad, type LimitedMemory, MemoryBudget, plannedPart } from './memory-budget.ts'

export interface MemoryGuardOptions {
  log: Pick<Logger, 'info' | 'warn'>
  /** Called with 1 while shards are refused, else with 0. */
  onChange: (refusing: 0 | 1) => void
  memories: readonly LimitedMemory[]
}

/** Limits of the accounts that a claim of shards may add. */
export interface ClaimLimits {
  /** Number of accounts that the memory is sufficient for. 0 while refusing. */
  capacity: number
  /**
   * Number of accounts to claim before the memory is measured again. The last shard may exceed this
   * number.
   */
  step: number
  /** Number of accounts that never tried to log in, and that exceed the memory. */
  excess: number
}

/** Part of the memory limit below which shards are accepted again. */
const acceptBelow = 0.65
/**
 * Part of the free memory capacity that a claim of shards may take, unless more accounts are logged
 * in. Claims do not wait for logins, which a slow server delays: reads of an account need a worker
 * that holds the account.
 */
const stepPart = 0.25

/**
 * Decides whether this worker has memory for further shards, and how many shards to claim at a
 * time. Memory that accounts will need after their login counts as used.
 */
export class MemoryGuard {
  readonly #options: MemoryGuardOptions
  readonly #budgets: readonly MemoryBudget[]
  #refusing = false
  #bytesPerAccount = 0
  #capacity = 0

  constructor(options: MemoryGuardOptions) {
    this.#options = options
    this.#budgets = options.memories.map((memory) => new MemoryBudget(memory))
    options.onChange(0)
  }

  /** True if the last check refused further shards. */
  get refusing(): boolean {
    return this.#refusing
  }

  /** Memory per account that the last check planned with, of the memory that limits most. */
  get bytesPerAccount(): number {
    return this.#bytesPerAccount
  }

  /** Number of further accounts that the memory is sufficient for, as of the last check. */
  get capacity(): number {
    return this.#capacity
  }

  /** Checks the memory of this worker. Returns the limits of the next claim of shards. */
  check(load: AccountLoad): ClaimLimits {
    const uses = this.#budgets.map((budget) => ({ ...budget.measure(load), ...budget.memory }))
    const tightest = uses.reduce((least, use) => (use.capacity < least.capacity ? use : least))
    this.#bytesPerAccount = tightest.bytesPerAccount
    const part = this.#refusing ? acceptBelow : plannedPart
    this.#setRefusing(
      uses.some((use) => Math.max(use.totalBytes, use.expectedBytes) >= part * use.limitBytes),
      { ...load, ...tightest },
    )
    const capacity = this.#refusing ? 0 : Math.max(0, tightest.capacity)
    this.#capacity = capacity
    const step = Math.min(capacity, Math.max(load.loggedIn, Math.ceil(capacity * stepPart)))
    return { capacity, step, excess: Math.min(load.starting, Math.max(0, -tightest.capacity)) }
  }

  #setRefusing(refusing: boolean, use: AccountLoad & MemoryFields): void {
    if (refusing === this.#refusing) return
    this.#refusing = refusing
    const { log, onChange } = this.#options
    const { accounts, waiting, name, expectedBytes, limitBytes } = use
    const bytesPerAccount = Math.round(use.bytesPerAccount)
    const fields = { accounts, waiting, memory: name, expectedBytes, limitBytes, bytesPerAccount }
    if (refusing) log.warn(fields, 'memory limit reached, refusing further shards')
    else log.info(fields, 'memory available, accepting shards again')
    onChange(refusing ? 1 : 0)
  }
}

interface MemoryFields {
  name: string
  expectedBytes: number
  limitBytes: number
  bytesPerAccount: number
}

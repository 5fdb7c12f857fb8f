import type { Logger } from '@posthorn/telemetry'
import {
  type AccountLoad,
  type LimitedMemory,
  MemoryBudget,
  type MemoryUse,
  plannedPart,
} from './memory-budget.ts'

export interface MemoryGuardOptions {
  log: Pick<Logger, 'info' | 'warn'>
  /**
   * Called with 1 when this worker starts to refuse shards (groups of accounts) for lack of memory.
   * Called with 0 when the worker accepts shards again.
   */
  onChange: (refusing: 0 | 1) => void
  memories: readonly LimitedMemory[]
}

/** Maximum numbers of accounts for the next claim of shards. */
export interface ClaimLimits {
  /** Number of accounts for which the memory is sufficient. 0 while the worker refuses shards. */
  capacity: number
  /**
   * Number of accounts to claim before the memory is measured again. The last claimed shard may
   * exceed the number.
   */
  step: number
  /**
   * Number of accounts to release because the memory is not sufficient for these accounts. Only
   * accounts that never tried to log in are counted.
   */
  excess: number
}

/** Share of the memory limit below which a worker that refused shards accepts shards again. */
const acceptBelow = 0.65
/**
 * Share of the free memory capacity that one claim of shards may use. A larger claim is allowed up
 * to the number of logged-in accounts. Claims do not wait for the logins at a slow server, because
 * reads of an account need a worker that holds the account.
 */
const stepPart = 0.25

/**
 * Decides whether this worker has memory for further shards, and how many accounts to claim at a
 * time. The memory that waiting accounts will need after their login counts as used.
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

  /**
   * True if this worker refuses further shards (groups of accounts) after the last check of the
   * worker's memory.
   */
  get refusing(): boolean {
    return this.#refusing
  }

  /**
   * Bytes per account that the last memory check assumed, for the limited memory with the least
   * capacity.
   */
  get bytesPerAccount(): number {
    return this.#bytesPerAccount
  }

  /** Number of further accounts for which the memory was sufficient at the last check. */
  get capacity(): number {
    return this.#capacity
  }

  /**
   * Checks the memory of this worker. Returns the limits of the next claim of shards (groups of
   * accounts).
   */
  check(load: AccountLoad): ClaimLimits {
    const uses = this.#budgets.map((budget) => ({ ...budget.measure(load), ...budget.memory }))
    const tightest = uses.reduce((least, use) => (use.capacity < least.capacity ? use : least))
    this.#bytesPerAccount = tightest.bytesPerAccount
    const fullest = uses.reduce((most, use) => (usedPart(use) > usedPart(most) ? use : most))
    const part = this.#refusing ? acceptBelow : plannedPart
    this.#setRefusing(usedPart(fullest) >= part, { ...load, ...fullest })
    const capacity = this.#refusing ? 0 : Math.max(0, tightest.capacity)
    this.#capacity = capacity
    const step = Math.min(capacity, Math.max(load.loggedIn, Math.ceil(capacity * stepPart)))
    return { capacity, step, excess: Math.min(load.starting, Math.max(0, -tightest.capacity)) }
  }

  #setRefusing(refusing: boolean, use: AccountLoad & NamedUse): void {
    if (refusing === this.#refusing) return
    this.#refusing = refusing
    const { log, onChange } = this.#options
    const { name: memory, accounts, waiting, totalBytes, expectedBytes, limitBytes } = use
    const bytesPerAccount = Math.round(use.bytesPerAccount)
    const bytes = { totalBytes, expectedBytes, limitBytes, bytesPerAccount }
    const fields = { accounts, waiting, memory, ...bytes }
    if (refusing) log.warn(fields, 'memory limit reached, refusing further shards')
    else log.info(fields, 'memory available, accepting shards again')
    onChange(refusing ? 1 : 0)
  }
}

/**
 * Use of a limited memory (resident set or V8 heap), with the name and the limit of this memory.
 */
type NamedUse = MemoryUse & Pick<LimitedMemory, 'name' | 'limitBytes'>

/** Share of the memory limit that is in use, or will be in use after the logins of all accounts. */
function usedPart({ totalBytes, expectedBytes, limitBytes }: NamedUse): number {
  return Math.max(totalBytes, expectedBytes) / limitBytes
}

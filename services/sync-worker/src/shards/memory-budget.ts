/** Limited memory of a process: its resident set, or the heap of V8. */
export interface LimitedMemory {
  /** Name of the limited memory in logs. */
  readonly name: 'resident' | 'heap'
  readonly limitBytes: number
  readonly usedBytes: () => number
  /** Memory per account in bytes to plan with before this process has measured more. */
  readonly plannedBytes: number
}

/** Numbers of accounts in the leased shards. */
export interface AccountLoad {
  accounts: number
  loggedIn: number
  /** Number of accounts that are not logged in and will need memory. */
  waiting: number
  /**
   * Number of waiting accounts whose first attempt to connect has not ended, so that these accounts
   * used no memory.
   */
  starting: number
}

/** State of a limited memory at one time. */
export interface MemoryUse {
  /**
   * Bytes of memory in use, and the memory that accounts will need which have not logged in yet.
   */
  expectedBytes: number
  bytesPerAccount: number
  /**
   * Number of further accounts the memory is sufficient for. Negative above the planned part of the
   * limit.
   */
  capacity: number
}

/**
 * Part of the memory limit that accounts may use. The rest is for bursts: large syncs, message
 * readers, and garbage of the heap.
 */
export const plannedPart = 0.75
/**
 * Number of accounts that `plannedBytes` stands for beside the measured accounts. A burst of logins
 * takes 100 MB for a short time, which the first accounts alone do not explain.
 */
const plannedAccounts = 300
/**
 * Part of an account's memory that its session is counted with while it waits for a login. Without
 * this part, thousands of waiting sessions would count as memory of the first accounts.
 */
const waitingPart = 0.2

/**
 * Plans one limited memory with the bytes per account that this process uses, at least
 * `plannedBytes`. Accounts that were only logged in need more after their first reads.
 */
export class MemoryBudget {
  readonly memory: LimitedMemory
  /** Bytes of memory that the process uses without accounts. */
  #baseBytes = Infinity

  constructor(memory: LimitedMemory) {
    this.memory = memory
  }

  measure({ loggedIn, waiting }: AccountLoad): MemoryUse {
    const { limitBytes, plannedBytes } = this.memory
    const usedBytes = this.memory.usedBytes()
    const active = loggedIn + waiting
    if (active === 0 || this.#baseBytes === Infinity)
      this.#baseBytes = Math.min(this.#baseBytes, usedBytes)
    const accountsBytes = plannedAccounts * plannedBytes + usedBytes - this.#baseBytes
    const measured = accountsBytes / (plannedAccounts + loggedIn + waiting * waitingPart)
    const bytesPerAccount = Math.max(plannedBytes, measured)
    const expectedBytes = Math.max(
      usedBytes + waiting * bytesPerAccount,
      this.#baseBytes + active * bytesPerAccount,
    )
    const capacity = Math.floor((plannedPart * limitBytes - expectedBytes) / bytesPerAccount)
    return { expectedBytes, bytesPerAccount, capacity }
  }
}

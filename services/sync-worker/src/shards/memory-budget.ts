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
  /** Bytes of memory in use, also by the garbage of released accounts. 0 without accounts. */
  totalBytes: number
  /**
   * Bytes of memory in use without the garbage of released accounts, and the memory that accounts
   * will need which have not logged in yet.
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
 *
 * After the release of all accounts, their memory is garbage that later accounts reuse: it is
 * neither memory of these accounts, nor a reason to claim fewer accounts.
 */
export class MemoryBudget {
  readonly memory: LimitedMemory
  /** Bytes of memory that the process uses without accounts. */
  #baseBytes = Infinity
  /** Bytes of memory in use that belonged to accounts which were all released. */
  #garbageBytes = 0

  constructor(memory: LimitedMemory) {
    this.memory = memory
  }

  measure({ loggedIn, waiting }: AccountLoad): MemoryUse {
    const { limitBytes, plannedBytes } = this.memory
    const usedBytes = this.memory.usedBytes()
    const active = loggedIn + waiting
    if (active === 0 || this.#baseBytes === Infinity)
      this.#baseBytes = Math.min(this.#baseBytes, usedBytes)
    const liveBytes = usedBytes - this.#measureGarbage(usedBytes, { loggedIn, waiting })
    const accountsBytes = plannedAccounts * plannedBytes + liveBytes - this.#baseBytes
    const measured = accountsBytes / (plannedAccounts + loggedIn + waiting * waitingPart)
    const bytesPerAccount = Math.max(plannedBytes, measured)
    const expectedBytes = Math.max(
      liveBytes + waiting * bytesPerAccount,
      this.#baseBytes + active * bytesPerAccount,
    )
    const capacity = Math.floor((plannedPart * limitBytes - expectedBytes) / bytesPerAccount)
    return { totalBytes: active === 0 ? 0 : usedBytes, expectedBytes, bytesPerAccount, capacity }
  }

  /**
   * Measures the garbage of released accounts. With accounts, garbage shrinks as memory is
   * returned, or is reused by accounts of the planned size.
   */
  #measureGarbage(
    usedBytes: number,
    { loggedIn, waiting }: Pick<AccountLoad, 'loggedIn' | 'waiting'>,
  ): number {
    const unplannedBytes = usedBytes - this.#baseBytes - loggedIn * this.memory.plannedBytes
    const maxBytes = loggedIn + waiting === 0 ? Infinity : this.#garbageBytes
    this.#garbageBytes = Math.min(maxBytes, Math.max(0, unplannedBytes))
    return this.#garbageBytes
  }
}

/** Memory of a process that has a limit: the resident set, or the heap of V8. */
export interface LimitedMemory {
  /** Name of the limited memory in log fields. */
  readonly name: 'resident' | 'heap'
  readonly limitBytes: number
  readonly usedBytes: () => number
  /** Memory per account in bytes that is assumed until this process has measured a larger value. */
  readonly plannedBytes: number
}

/** Numbers of accounts in this worker's leased shards. */
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

/** Measured use of a limited memory (resident set or V8 heap) at one time. */
export interface MemoryUse {
  /** Bytes of memory in use, including the garbage of released accounts. 0 without accounts. */
  totalBytes: number
  /**
   * Bytes of memory in use without the garbage of released accounts, plus the memory that accounts
   * will need after their login.
   */
  expectedBytes: number
  bytesPerAccount: number
  /**
   * Number of further accounts for which the worker's memory is sufficient. Negative if the
   * accounts exceed the planned part of the memory limit.
   */
  capacity: number
}

/**
 * Part of the memory limit that accounts may use. The remaining memory is for bursts: large syncs,
 * message readers, and garbage of the heap.
 */
export const plannedPart = 0.75
/**
 * Weight of `plannedBytes` in the mean memory per account, as a number of accounts. A burst of
 * logins takes 100 MB for a short time, which would distort the mean of the first accounts.
 */
const plannedAccounts = 300
/**
 * Share of an account's memory that an account session takes while it waits for a login. Without
 * this share, the memory of thousands of waiting sessions would be attributed to the accounts that
 * are logged in.
 */
const waitingPart = 0.2

/**
 * Plans the use of a limited memory (resident set or V8 heap). The planned bytes per account are
 * measured, but at least `plannedBytes`, because an account needs more memory after its first read
 * than after its login.
 *
 * After the release of all accounts, the memory of these accounts is garbage that later accounts
 * reuse. The garbage counts neither as memory per account nor as memory in use.
 */
export class MemoryBudget {
  readonly memory: LimitedMemory
  /** Bytes of memory that the process uses when it has no accounts. */
  #baseBytes = Infinity
  /** Bytes of garbage: memory still in use after all accounts that had used it were released. */
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
   * Measures the garbage of released accounts. Once the process has accounts again, the garbage
   * only shrinks: memory is returned to the system, or reused by accounts of the planned size.
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

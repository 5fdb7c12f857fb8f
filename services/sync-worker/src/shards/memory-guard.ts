import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { Logger } from '@posthorn/telemetry'

/** Accounts of the leased shards. */
export interface AccountLoad {
  accounts: number
  /** Accounts among them that are not logged in yet and will need memory. */
  waiting: number
}

export interface MemoryGuardOptions {
  log: Pick<Logger, 'info' | 'warn'>
  /** Called with 1 while shards are refused, else with 0. */
  onChange: (refusing: 0 | 1) => void
  /** Default: the limit of this process. */
  limitBytes?: number
  /** Default: the resident set of this process. */
  usedBytes?: () => number
}

/** Memory of an account that is logged in: session, TLS connection and cached state. */
const accountBytes = 100_000
/** Part of the limit from which shards are refused. The rest is for bursts of syncs. */
const refuseAt = 0.85
/** Part of the limit below which shards are accepted again. */
const acceptBelow = 0.75

/**
 * Decides whether this worker has memory for further shards. Memory that accounts will need after
 * their login counts as used.
 */
export class MemoryGuard {
  readonly limitBytes: number
  readonly #options: MemoryGuardOptions
  #refusing = false

  constructor(options: MemoryGuardOptions) {
    this.#options = options
    this.limitBytes = options.limitBytes ?? memoryLimitBytes()
    options.onChange(0)
  }

  /** True if the last check refused further shards. */
  get refusing(): boolean {
    return this.#refusing
  }

  /** Checks the memory. Returns the number of accounts there is memory for; 0 while refusing. */
  check({ accounts, waiting }: AccountLoad): number {
    const { log, onChange, usedBytes = residentBytes } = this.#options
    const { limitBytes } = this
    const expectedBytes = usedBytes() + waiting * accountBytes
    const part = this.#refusing ? acceptBelow : refuseAt
    const refusing = expectedBytes >= part * limitBytes
    if (refusing !== this.#refusing) {
      this.#refusing = refusing
      const fields = { accounts, waiting, expectedBytes, limitBytes }
      if (refusing) log.warn(fields, 'memory limit reached, refusing further shards')
      else log.info(fields, 'memory available, accepting shards again')
      onChange(refusing ? 1 : 0)
    }
    return refusing ? 0 : Math.ceil((refuseAt * limitBytes - expectedBytes) / accountBytes)
  }
}

function residentBytes(): number {
  return process.memoryUsage.rss()
}

/** Memory limit of this process: that of its container or of its heap, whichever is lower. */
export function memoryLimitBytes(): number {
  const heapBytes = getHeapStatistics().heap_size_limit
  // 0, or more than the machine has, if there is no limit.
  const containerBytes = process.constrainedMemory()
  const isLimited = containerBytes > 0 && containerBytes <= totalmem()
  return isLimited ? Math.min(containerBytes, heapBytes) : heapBytes
}

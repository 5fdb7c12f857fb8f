import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import type { LimitedMemory } from './memory-budget.ts'

/**
 * Resident memory of a sync-worker per account with a TLS connection after one read, in bytes, as
 * `make bench` measures it. An idle account takes 160 kB before its first read.
 */
const accountResidentBytes = 225_000
/** Part of an account's resident memory that is in the heap of V8, including garbage, in bytes. */
const accountHeapBytes = 120_000
/** Bytes of a memory page in `/proc`. Equal on all platforms of the container image. */
const pageBytes = 4_096

/** Limited memories of this process: resident memory, then the heap of V8. */
export function processMemories(): [resident: LimitedMemory, heap: LimitedMemory] {
  const { heap_size_limit: heapLimitBytes } = getHeapStatistics()
  return [
    {
      name: 'resident',
      limitBytes: residentLimitBytes(heapLimitBytes),
      usedBytes: residentBytes,
      plannedBytes: accountResidentBytes,
    },
    {
      name: 'heap',
      limitBytes: heapLimitBytes,
      usedBytes: () => getHeapStatistics().used_heap_size,
      plannedBytes: accountHeapBytes,
    },
  ]
}

/**
 * Memory limit of the container in bytes. For a container without a limit, returns the limit of the
 * heap of V8.
 */
function residentLimitBytes(heapLimitBytes: number): number {
  // Node's `constrainedMemory` returns 0, or more than the memory of the machine, if the container
  // has no limit.
  const containerBytes = process.constrainedMemory()
  return containerBytes > 0 && containerBytes <= totalmem() ? containerBytes : heapLimitBytes
}

/**
 * Resident memory of this process and its message readers. All these processes share the memory
 * limit of the container.
 */
export function residentBytes(): number {
  return childPids().reduce((sum, pid) => sum + residentBytesOf(pid), process.memoryUsage.rss())
}

/** Ids of child processes of this process. Empty on systems without `/proc`. */
function childPids(): string[] {
  try {
    return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
      .split(' ')
      .filter(Boolean)
  } catch {
    return []
  }
}

/** Resident memory of a process in bytes, without shared code. 0 if the process has ended. */
function residentBytesOf(pid: string): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8')
      .split(' ')
      .map(Number)
    return (resident - shared) * pageBytes
  } catch {
    return 0
  }
}

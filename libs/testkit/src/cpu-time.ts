import { setImmediate } from 'node:timers/promises'

/**
 * Number of runs of a time measurement. Compilation, garbage collection and other virtual machines
 * on the same processor slow down some of the runs. A fault of the measured code slows down all.
 */
export const maxRuns = 12

/** CPU time of a synchronous function in milliseconds. An error of the function is thrown. */
export function cpuMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  return cpuMsSince(before)
}

/**
 * Longest CPU time in milliseconds for which some work blocks the event loop. CPU time of this
 * thread does not include waiting times on a busy machine.
 */
export async function blockedMs(work: () => unknown): Promise<number> {
  let longest = 0
  let isDone = false
  let before = process.threadCpuUsage()
  const call = async () => work()
  const result = call().finally(() => {
    isDone = true
  })
  while (!isDone) {
    await setImmediate()
    longest = Math.max(longest, cpuMsSince(before))
    before = process.threadCpuUsage()
  }
  await result
  return longest
}

/**
 * Result of `cpuMs`: of the first run that takes at most `limitMs`, else of the fastest of 12 runs.
 */
export function fastestCpuMs(work: () => unknown, limitMs: number): number {
  let fastest = Number.POSITIVE_INFINITY
  for (let run = 0; run < maxRuns && fastest > limitMs; run++)
    fastest = Math.min(fastest, cpuMs(work))
  return fastest
}

/**
 * Result of `blockedMs`: of the first run that takes at most `limitMs`, else of the fastest of 12
 * runs.
 */
export async function fastestBlockedMs(work: () => unknown, limitMs: number): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY
  for (let run = 0; run < maxRuns && fastest > limitMs; run++)
    fastest = Math.min(fastest, await blockedMs(work))
  return fastest
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

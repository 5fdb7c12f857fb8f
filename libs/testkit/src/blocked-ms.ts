import { setImmediate } from 'node:timers/promises'

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
    const { user, system } = process.threadCpuUsage(before)
    longest = Math.max(longest, (user + system) / 1_000)
    before = process.threadCpuUsage()
  }
  await result
  return longest
}

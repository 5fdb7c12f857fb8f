import { readdir, readFile } from 'node:fs/promises'

/**
 * CPU time of a process in milliseconds, summed over its running threads (Linux). Threads that have
 * ended are not counted.
 */
export async function cpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`)
  const used = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')
      return Number(text.split(' ')[0]) / 1e6
    }),
  )
  return used.reduce((sum, ms) => sum + ms, 0)
}

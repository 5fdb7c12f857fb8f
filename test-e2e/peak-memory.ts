import { readFile } from 'node:fs/promises'

/** Peak memory of a process in bytes (Linux: VmHWM). */
export async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

import { readFile, writeFile } from 'node:fs/promises'

/** Peak memory of a process in bytes (Linux: VmHWM). */
export async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

/** Starts a new memory peak from the present memory: the peak of the start is often the highest. */
export async function resetPeakMemory(pid: number): Promise<void> {
  // proc(5): a 5 in `clear_refs` resets VmHWM.
  await writeFile(`/proc/${pid}/clear_refs`, '5')
}

import { readFile, writeFile } from 'node:fs/promises'

/** Peak memory of a process in bytes (Linux: VmHWM). */
export async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

/**
 * Restarts the measurement of the memory peak from the current memory. Without this step, the peak
 * at the start of the process is often the highest.
 */
export async function resetPeakMemory(pid: number): Promise<void> {
  // Writing 5 to `clear_refs` resets VmHWM (proc(5)).
  await writeFile(`/proc/${pid}/clear_refs`, '5')
}

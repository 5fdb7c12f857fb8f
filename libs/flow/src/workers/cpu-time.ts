import { readFile } from 'node:fs/promises'

/** Clock ticks per second of CPU times: `sysconf(_SC_CLK_TCK)`, equal on all platforms of Linux. */
const ticksPerSecond = 100

/**
 * CPU time of a process in microseconds: proc_pid_stat(5), fields 14 and 15. Undefined if the file
 * cannot be read.
 */
export async function readCpuMicros(pid: number): Promise<number | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field of proc_pid_stat is a name in parentheses that may hold any characters.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return Number.isFinite(ticks) ? (ticks * 1_000_000) / ticksPerSecond : undefined
  } catch {
    return undefined
  }
}

import { readFile } from 'node:fs/promises'

/**
 * Number of clock ticks per second, in which Linux measures CPU times: `sysconf(_SC_CLK_TCK)`. The
 * number is equal on all platforms.
 */
const ticksPerSecond = 100

/**
 * Reads the CPU time of a process in microseconds from fields 14 and 15 of proc_pid_stat(5).
 * Undefined if the file cannot be read.
 */
export async function readCpuMicros(pid: number): Promise<number | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    // Fields are counted from the end of the second field of proc_pid_stat. The second field is a
    // name in parentheses and may contain any characters.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return Number.isFinite(ticks) ? (ticks * 1_000_000) / ticksPerSecond : undefined
  } catch {
    return undefined
  }
}

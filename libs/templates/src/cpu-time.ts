import { readFile } from 'node:fs/promises'

/** Of Linux on all its platforms: `sysconf(_SC_CLK_TCK)`. */
const ticksPerSecond = 100

/** How long a process has had a processor, in microseconds; undefined where that cannot be told. proc_pid_stat(5), fields 14 and 15. */
export async function usedMicrosOf(pid: number): Promise<number | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The second field is a name in parentheses, in which anything may stand.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return Number.isFinite(ticks) ? (ticks * 1_000_000) / ticksPerSecond : undefined
  } catch {
    return undefined
  }
}

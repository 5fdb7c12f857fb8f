import { readFile } from 'node:fs/promises'

/** Linux counts in hundredths of a second. */
const ticksPerSecond = 100

/** Processor time that a process has had so far, all its threads (Linux). */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name of the process, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

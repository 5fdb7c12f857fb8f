import { readdirSync, readFileSync } from 'node:fs'

/**
 * Identity of a process of this machine: process id and start time. A process id alone is not
 * unique, because the system reuses process ids.
 */
export interface ProcessId {
  readonly pid: number
  /** Start time of the process in clock ticks since the boot of the machine, from /proc. */
  readonly started: string
}

/**
 * Returns the identity of the process with the id `pid`. Undefined if no such process exists or the
 * process is a zombie.
 */
export function identify(pid: number): ProcessId | undefined {
  const stat = readStat(pid)
  return stat && stat.state !== 'Z' && stat.state !== 'X'
    ? { pid, started: stat.started }
    : undefined
}

export function isAlive({ pid, started }: ProcessId): boolean {
  return identify(pid)?.started === started
}

/**
 * True if the process is in the process table, even as a zombie. Other programs regard a zombie as
 * running.
 */
export function isListed({ pid, started }: ProcessId): boolean {
  return readStat(pid)?.started === started
}

/** Lists all descendants of a process: its children, their children and so on. */
export function descendants(pid: number): ProcessId[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? readStat(Number(entry)) : undefined
    if (stat) children.set(stat.parent, [...(children.get(stat.parent) ?? []), Number(entry)])
  }
  const result: ProcessId[] = []
  const queue = [pid]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of children.get(next) ?? []) {
      const id = identify(child)
      if (id) result.push(id)
      queue.push(child)
    }
  }
  return result
}

function readStat(pid: number): { state: string; parent: number; started: string } | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // Fields of /proc/<pid>/stat, see proc(5). The second field is the name of the process in
  // parentheses, which may contain spaces and parentheses. The other fields are therefore counted
  // from the end of the name.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', parent: Number(fields[1]), started: fields[19] ?? '' }
}

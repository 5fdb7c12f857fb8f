import { readdirSync, readFileSync } from 'node:fs'

/**
 * Identity of a process of this machine. Process ids are reused, a process id with its start time
 * is not.
 */
export interface ProcessId {
  readonly pid: number
  /** Start time of the process in clock ticks since boot, from /proc. */
  readonly started: string
}

/** Returns the process with this id. Undefined without such a process, and for a zombie. */
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
 * True if the process is in the process table, also as a zombie, which other programs regard as
 * running.
 */
export function isListed({ pid, started }: ProcessId): boolean {
  return readStat(pid)?.started === started
}

/** Lists all descendants of a process. */
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
  // Fields of /proc/<pid>/stat, proc(5): the name of the process is in parentheses and may contain
  // anything. Fields are counted after the name.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', parent: Number(fields[1]), started: fields[19] ?? '' }
}

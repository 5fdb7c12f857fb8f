import { readdirSync, readFileSync } from 'node:fs'

/** A process for as long as it lives: numbers are used again, a number with its start time is not. */
export interface ProcessId {
  readonly pid: number
  /** Clock ticks between the machine's start and the process's, from /proc. */
  readonly started: string
}

/** The process that has this number now; undefined if none has, or if it is only waiting to be buried. */
export function identify(pid: number): ProcessId | undefined {
  const stat = readStat(pid)
  return stat && stat.state !== 'Z' && stat.state !== 'X'
    ? { pid, started: stat.started }
    : undefined
}

export function isAlive({ pid, started }: ProcessId): boolean {
  return identify(pid)?.started === started
}

/** Whether it is still in the table of processes, be it dead and not yet buried: to others that looks alive. */
export function isListed({ pid, started }: ProcessId): boolean {
  return readStat(pid)?.started === started
}

/** Whatever a process started, and what those started. */
export function descendants(pid: number): ProcessId[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? readStat(Number(entry)) : undefined
    if (stat) children.set(stat.parent, [...(children.get(stat.parent) ?? []), Number(entry)])
  }
  const found: ProcessId[] = []
  const queue = [pid]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const child of children.get(next) ?? []) {
      const id = identify(child)
      if (id) found.push(id)
      queue.push(child)
    }
  }
  return found
}

function readStat(pid: number): { state: string; parent: number; started: string } | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // proc(5): the name stands in parentheses and may hold anything; fields are counted from behind it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', parent: Number(fields[1]), started: fields[19] ?? '' }
}

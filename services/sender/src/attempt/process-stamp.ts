import { readFileSync } from 'node:fs'

/**
 * Stamp of a running process: process id and start time. The id alone is not unique: a container
 * uses the same ids after each start. Undefined if the process does not run.
 */
export function processStamp(pid: number): string | undefined {
  try {
    // `/proc/<pid>/stat` (proc(5)): the name in parentheses is followed by field 3, the process
    // state.
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? undefined : `${pid}-${fields[18] ?? ''}`
  } catch {
    return isSystemWithoutProc() && isAlive(pid) ? `${pid}-` : undefined
  }
}

/** True if the process with this stamp runs. */
export function isRunning(stamp: string): boolean {
  const pid = Number(stamp.split('-')[0])
  return Number.isSafeInteger(pid) && pid > 0 && processStamp(pid) === stamp
}

function isSystemWithoutProc(): boolean {
  return process.platform !== 'linux'
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

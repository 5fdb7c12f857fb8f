import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'
import { isAlive, type ProcessId } from './process-id.ts'
import { stopAll } from './stop.ts'

/**
 * Process of the local system that is recorded in a file, because it outlives the command that
 * started it.
 */
export interface RecordedProcess extends ProcessId {
  readonly signal: NodeJS.Signals
  readonly name: string
}

/**
 * Appends a process to the file of recorded processes. Called as soon as the process exists, so
 * that another command can stop the process later.
 */
export function recordProcess(file: string, recorded: RecordedProcess): void {
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, `${JSON.stringify(recorded)}\n`, { mode: 0o600 })
}

/**
 * Lists the recorded processes that still run. A process that only has the same id as a recorded
 * process is not listed.
 */
export function listRunning(file: string): RecordedProcess[] {
  return read(file).filter(isAlive)
}

/** Lists the recorded processes that have ended, for example after a crash or a reboot. */
export function listEnded(file: string): RecordedProcess[] {
  return read(file).filter((noted) => !isAlive(noted))
}

/**
 * Stops the recorded processes that still run, first the services, then the servers. Returns the
 * number of stopped processes.
 */
export async function stopRecorded(file: string): Promise<number> {
  const running = listRunning(file)
  const toStop = running.map(({ pid, started, signal, name }) => ({
    id: { pid, started },
    signal,
    name,
  }))
  await stopAll(
    toStop.filter(({ name }) => name.startsWith('service')),
    15_000,
  )
  await stopAll(
    toStop.filter(({ name }) => !name.startsWith('service')),
    15_000,
  )
  rmSync(file, { force: true })
  return running.length
}

function read(file: string): RecordedProcess[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
  return text
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RecordedProcess]))
}

import { appendFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from './error-code.ts'
import { isAlive, type ProcessId } from './process-id.ts'
import { stopAll } from './stop.ts'

/** A process that goes on when its starter ends. */
export interface RecordedProcess extends ProcessId {
  readonly signal: NodeJS.Signals
  readonly name: string
}

/** Notes a process, one a line, as soon as there is one: whatever then happens to us, another command can end it. */
export function recordProcess(file: string, noted: RecordedProcess): void {
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, `${JSON.stringify(noted)}\n`, { mode: 0o600 })
}

/** What was noted and still runs. A number that another process has by now does not count. */
export function listRunning(file: string): RecordedProcess[] {
  return read(file).filter(isAlive)
}

/** What was noted and has ended by itself, or with the machine. */
export function listEnded(file: string): RecordedProcess[] {
  return read(file).filter((noted) => !isAlive(noted))
}

/** Ends what was noted and still runs: first those whose names start with `service`, then what those lean on. Returns how many ran. */
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

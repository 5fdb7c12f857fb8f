import { rm } from 'node:fs/promises'
import { isAlive, type ProcessId, type Running, stopAll } from './processes.ts'
import { readState, writeState } from './state-file.ts'

type Recorded = ProcessId & { signal: NodeJS.Signals; name?: string }

/** Notes processes that go on without us, in the order they were started, so that another command can end them. */
export async function recordRun(
  file: string,
  processes: readonly Pick<Running, 'id' | 'signal'>[],
): Promise<void> {
  const { processes: known = [] } = await readState<{ processes: Recorded[] }>(file)
  await writeState(file, {
    processes: [...known, ...processes.map(({ id, signal }) => ({ ...id, signal }))],
  })
}

/** Whether what was noted still runs. A number that another process has by now does not count. */
export async function whatRuns(file: string): Promise<'all' | 'some' | 'none'> {
  const { processes = [] } = await readState<{ processes: Recorded[] }>(file)
  const alive = processes.filter(isAlive)
  if (alive.length === 0) return 'none'
  return alive.length === processes.length ? 'all' : 'some'
}

/** Ends what was noted and still runs, last started first. */
export async function stopRun(file: string): Promise<void> {
  const { processes = [] } = await readState<{ processes: Recorded[] }>(file)
  for (const { signal, ...id } of processes.reverse()) await stopAll([{ id, signal }], 15_000)
  await rm(file, { force: true })
}

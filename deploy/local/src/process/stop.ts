import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from './error-code.ts'
import { descendants, isAlive, isListed, type ProcessId } from './process-id.ts'

/** A process, and how it is told to end in good order. */
export interface Stoppable {
  readonly id: ProcessId
  readonly signal: NodeJS.Signals
}

/** Ends processes in good order; those still there after the grace are killed. Resolves when all are gone, with whatever they started. */
export async function stopAll(running: readonly Stoppable[], graceMs = 10_000): Promise<void> {
  const family = running.flatMap(({ id }) => (isAlive(id) ? [id, ...descendants(id.pid)] : []))
  for (const { id, signal } of running) sendSignal(id, signal)
  if (await waitForExit(family, graceMs)) return
  await killAll(family)
}

/** Ends processes at once, with whatever they started. Resolves when they are gone. */
export async function killAll(ids: readonly ProcessId[]): Promise<void> {
  const family = ids.flatMap((id) => (isAlive(id) ? [id, ...descendants(id.pid)] : []))
  for (const id of family) sendSignal(id, 'SIGKILL')
  if (!(await waitForExit(family, 5_000)))
    throw new Error(`processes ${family.map(({ pid }) => pid).join(', ')} do not end`)
}

/** Sends a signal to processes and whatever they started: SIGSTOP and SIGCONT make a machine that hangs. */
export function signalAll(ids: readonly ProcessId[], signal: NodeJS.Signals): void {
  for (const id of ids) {
    const family = [id, ...descendants(id.pid)]
    for (const member of family) sendSignal(member, signal)
  }
}

function sendSignal(id: ProcessId, signal: NodeJS.Signals): void {
  if (!isAlive(id)) return
  try {
    process.kill(id.pid, signal)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}

async function waitForExit(ids: readonly ProcessId[], withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs
  while (ids.some(isAlive)) {
    if (Date.now() > deadline) return false
    await delay(15)
  }
  await waitForReaping(ids)
  return true
}

/** A server that looks for its predecessor takes one that is not buried yet for alive. Who buries may take its time, but not for ever. */
async function waitForReaping(ids: readonly ProcessId[]): Promise<void> {
  const deadline = Date.now() + 2_000
  while (ids.some(isListed) && Date.now() < deadline) await delay(5)
}

import { setTimeout as delay } from 'node:timers/promises'
import { errorCode } from './error-code.ts'
import { descendants, isAlive, isListed, type ProcessId } from './process-id.ts'

/** Process that can be stopped. `signal` asks the process for an orderly shutdown. */
export interface Stoppable {
  readonly id: ProcessId
  readonly signal: NodeJS.Signals
}

/**
 * Sends each process the signal for an orderly shutdown. Kills processes that still run after
 * `graceMs`. Resolves when the processes and their descendants have ended.
 */
export async function stopAll(running: readonly Stoppable[], graceMs = 30_000): Promise<void> {
  const tree = running.flatMap(({ id }) => (isAlive(id) ? [id, ...descendants(id.pid)] : []))
  for (const { id, signal } of running) sendSignal(id, signal)
  if (await waitForExit(tree, graceMs)) return
  await killAll(tree)
}

/**
 * Maximum time that a killed process takes to end. A process with much memory on a busy machine
 * needs long.
 */
const killedMs = 60_000

/** Kills processes and their descendants. Resolves when all of these processes have ended. */
export async function killAll(ids: readonly ProcessId[]): Promise<void> {
  const tree = ids.flatMap((id) => (isAlive(id) ? [id, ...descendants(id.pid)] : []))
  for (const id of tree) sendSignal(id, 'SIGKILL')
  if (!(await waitForExit(tree, killedMs)))
    throw new Error(`processes ${tree.map(({ pid }) => pid).join(', ')} did not end`)
}

/**
 * Sends a signal to processes and their descendants. SIGSTOP and SIGCONT simulate a machine that
 * hangs.
 */
export function signalAll(ids: readonly ProcessId[], signal: NodeJS.Signals): void {
  for (const id of ids) {
    const tree = [id, ...descendants(id.pid)]
    for (const member of tree) sendSignal(member, signal)
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

/**
 * Waits up to 2 s until ended processes (zombies) are reaped. A server that checks for an earlier
 * instance of itself would regard a zombie as running.
 */
async function waitForReaping(ids: readonly ProcessId[]): Promise<void> {
  const deadline = Date.now() + 2_000
  while (ids.some(isListed) && Date.now() < deadline) await delay(5)
}

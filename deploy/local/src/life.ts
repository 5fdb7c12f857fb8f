import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Running } from './launch.ts'
import { isAlive, type ProcessId } from './process-id.ts'
import { killAll, signalAll, stopAll } from './stopping.ts'

/** A server that was started, and how to treat it well or badly. Ports, users and data stay the same over a restart. */
export interface Life {
  readonly pid: number
  /** Its processes, the main one first. */
  readonly processes: readonly Running[]
  /** In good order. Leaves no process behind. */
  stop(): Promise<void>
  /** As a crash would: SIGKILL. */
  kill(): Promise<void>
  /** Stops it if it runs, and starts it again. Resolves when it answers. */
  restart(): Promise<void>
  /** Makes it hang: connections stay open, nothing answers. */
  pause(): void
  resume(): void
}

/** What starts a server and waits until it answers. */
export type Start = () => Promise<Running[]>

export async function begin(start: Start): Promise<Life> {
  let processes = await start()
  const ids = () => processes.map(({ id }) => id)
  const release = () => processes.forEach((running) => running.release())
  const stop = async () => {
    signalAll(ids(), 'SIGCONT')
    await stopAll(processes)
    release()
  }
  return {
    get pid() {
      return processes[0]?.id.pid ?? 0
    },
    get processes() {
      return processes
    },
    stop,
    async kill() {
      await killAll(ids())
      release()
    },
    async restart() {
      await stop()
      processes = await start()
    },
    pause: () => signalAll(ids(), 'SIGSTOP'),
    resume: () => signalAll(ids(), 'SIGCONT'),
  }
}

export interface Patience {
  what: string
  running: Running
  timeoutMs?: number
}

/** Waits until the check no longer throws. Rejects, with the end of the log, when the process ends before or the time is up. */
export async function untilReady(
  { what, running, timeoutMs = 60_000 }: Patience,
  check: () => Promise<void>,
): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (let waitMs = 20; ; waitMs = Math.min(waitMs * 1.5, 250)) {
    const alive = isAlive(running.id)
    try {
      await check()
      return
    } catch (cause) {
      if (alive && Date.now() < deadline) {
        await delay(waitMs)
        continue
      }
      await giveUp(running.id)
      running.release()
      const reason = alive ? `did not answer within ${timeoutMs / 1000} s` : 'ended while starting'
      throw new Error(`${what} ${reason}\n${await tail(running.logFile)}`, { cause })
    }
  }
}

async function giveUp(id: ProcessId): Promise<void> {
  await killAll([id]).catch(() => undefined)
}

/** The last lines of a log file. */
export async function tail(file: string, lines = 25): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-lines).join('\n')
}

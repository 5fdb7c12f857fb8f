import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from './launch.ts'
import { isAlive, type ProcessId } from './process-id.ts'
import { killAll, signalAll, stopAll } from './stop.ts'

/** A server that was started, and how to treat it well or badly. Ports, users and data stay the same over a restart. */
export interface ManagedServer {
  readonly pid: number
  /** Its processes, the main one first. */
  readonly processes: readonly ServerProcess[]
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
export type StartProcesses = () => Promise<ServerProcess[]>

export async function manageServer(start: StartProcesses): Promise<ManagedServer> {
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

export interface ReadinessOptions {
  name: string
  process: ServerProcess
  timeoutMs?: number
}

/** Waits until the check no longer throws. Rejects, with the end of the log, when the process ends before or the time is up. */
export async function waitUntilReady(
  { name: what, process: running, timeoutMs = 60_000 }: ReadinessOptions,
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
      throw new Error(`${what} ${reason}\n${await lastLines(running.logFile)}`, { cause })
    }
  }
}

async function giveUp(id: ProcessId): Promise<void> {
  await killAll([id]).catch(() => undefined)
}

/** The last lines of a log file. */
export async function lastLines(file: string, lines = 25): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-lines).join('\n')
}

/** Resolves when what listens on a port of this machine greets as it should. */
export async function expectGreeting(port: number, greeting: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  try {
    const [bytes] = (await once(socket, 'data', { signal: AbortSignal.timeout(2_000) })) as [Buffer]
    if (!bytes.toString('latin1').startsWith(greeting))
      throw new Error(`port ${port} said ${bytes.toString('latin1')}`)
  } finally {
    socket.destroy()
  }
}

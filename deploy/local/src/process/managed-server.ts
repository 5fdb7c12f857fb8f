import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from './launch.ts'
import { isAlive } from './process-id.ts'
import { killAll, signalAll, stopAll } from './stop.ts'

/**
 * Server that this machine runs for tests or demos. Its ports, users and data stay the same after a
 * restart.
 */
export interface ManagedServer {
  readonly pid: number
  /** Processes of this local server, such as Postgres, with its main process first. */
  readonly processes: readonly ServerProcess[]
  /**
   * Stops this local server, such as Postgres, in an orderly way. Resolves when all of its
   * processes have ended.
   */
  stop(): Promise<void>
  /** Kills all processes of this local server with SIGKILL. */
  kill(): Promise<void>
  /**
   * Stops this local server if it is running, and starts it again. Resolves when the server is
   * ready.
   */
  restart(): Promise<void>
  /**
   * Suspends all processes of this local server. Connections to the server stay open, but get no
   * replies.
   */
  pause(): void
  resume(): void
}

/**
 * Function that starts the processes of a local server such as Postgres and waits until the server
 * is ready.
 */
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

/**
 * Waits until the readiness check of a started server succeeds.
 * @throws Error with the end of the log if the process ends or the timeout expires.
 */
export async function waitUntilReady(
  { name, process: running, timeoutMs = 180_000 }: ReadinessOptions,
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
      await killAll([running.id]).catch(() => undefined)
      running.release()
      const reason = alive ? `not ready within ${timeoutMs / 1000} s` : 'ended during startup'
      throw new Error(`${name} ${reason}\n${await lastLines(running.logFile)}`, { cause })
    }
  }
}

/** Returns the last 25 lines of a log file. */
async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trimEnd().split('\n').slice(-25).join('\n')
}

/**
 * Connects to a port of this machine to test a server. Rejects unless the server at the port sends
 * the expected greeting within 2 s.
 */
export async function expectGreeting(port: number, greeting: string): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  try {
    const [bytes] = (await once(socket, 'data', { signal: AbortSignal.timeout(2_000) })) as [Buffer]
    if (!bytes.toString('latin1').startsWith(greeting))
      throw new Error(`port ${port} sent ${bytes.toString('latin1')}`)
  } finally {
    socket.destroy()
  }
}

import { once } from 'node:events'
import { ConfigError, type Env } from '@posthorn/config'
import { createLogger, sourceStack } from '@posthorn/telemetry'
import { checkHeapLimit } from './heap-check.ts'
import { releaseStartMemory } from './release-start-memory.ts'
import type { ServiceConfig } from './service-config.ts'

/** Running service, which is stopped by disposal. */
export interface App extends AsyncDisposable {
  /**
   * Returns the amount of the service's work that is in progress or was abandoned by the shutdown,
   * by kind of work.
   */
  unfinished?: () => Record<string, number>
}

/**
 * Description of a service for the function `run`: its name, its configuration and the function
 * that starts it.
 */
export interface Service<C extends ServiceConfig> {
  name: string
  env: Env
  readConfig: (env: Env) => C
  /** Function that starts the service. The signal `stopping` aborts when the shutdown begins. */
  startApp: (config: C, stopping: AbortSignal) => Promise<App>
}

/**
 * Runs a service until SIGTERM or SIGINT, then disposes the service. A shutdown takes at most
 * `drainDelayMs` plus `shutdownTimeoutMs`. Unfinished work is logged, and the exit status is then
 * 1. A second signal ends the process immediately. An error during the start is printed, and the
 * exit status is 1. For a ConfigError, only the message is printed.
 */
export async function run<C extends ServiceConfig>(service: Service<C>): Promise<void> {
  const stopping = new AbortController()
  let app: App | undefined
  const stop = () => {
    if (stopping.signal.aborted) process.exit(1)
    stopping.abort()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop)
  try {
    const config = service.readConfig(service.env)
    checkHeapLimit(createLogger(service.name, config.logLevel))
    limitShutdown(stopping.signal, config, () => reportUnfinished(app, service.name, config))
    app = await service.startApp(config, stopping.signal)
    releaseStartMemory()
    if (!stopping.signal.aborted) await once(stopping.signal, 'abort')
    await app[Symbol.asyncDispose]()
    reportUnfinished(app, service.name, config)
  } catch (error) {
    if (stopping.signal.aborted) return
    process.stderr.write(`${reasonOf(error)}\n`)
    process.exit(1)
  }
}

/**
 * Ends the process of a service if its shutdown takes too long. Calls `onTimeout` before the
 * process ends.
 */
function limitShutdown(
  stopping: AbortSignal,
  { drainDelayMs, shutdownTimeoutMs }: ServiceConfig,
  onTimeout: () => void,
): void {
  const end = () => {
    onTimeout()
    process.exit(1)
  }
  // The timer for the maximum duration of the shutdown does not keep the process alive, so that the
  // process can end earlier.
  const startTimer = () => setTimeout(end, drainDelayMs + shutdownTimeoutMs).unref()
  stopping.addEventListener('abort', startTimer, { once: true })
}

/**
 * Logs the work that a service did not finish before its shutdown, and sets the exit status. Logs
 * nothing if all work is finished.
 */
function reportUnfinished(
  app: App | undefined,
  name: string,
  { logLevel, shutdownTimeoutMs }: ServiceConfig,
): void {
  const counts = Object.entries(app?.unfinished?.() ?? {}).filter(([, count]) => count > 0)
  if (counts.length === 0) return
  const fields = { unfinished: Object.fromEntries(counts), shutdownTimeoutMs }
  createLogger(name, logLevel).warn(fields, 'shutdown interrupted work')
  process.exitCode = 1
}

function reasonOf(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  return error instanceof Error ? (sourceStack(error) ?? error.message) : String(error)
}

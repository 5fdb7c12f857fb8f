import { once } from 'node:events'
import { ConfigError } from '@posthorn/config'

/** What a service gives back once it is up; disposing it takes it down. */
export type App = AsyncDisposable

/** How long a stopping process may take before it is ended from within. */
const graceMs = 10_000

/**
 * Starts a service, keeps it up until SIGTERM or SIGINT, and takes it down again: stop taking work, finish what is in hand, close.
 * `start` is given a signal that aborts when the process is told to stop, so that it can give up waiting for Postgres or RabbitMQ.
 *
 * A ConfigError ends the process with 1 before anything is opened.
 */
export async function run(start: (signal: AbortSignal) => Promise<App>): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort())
  try {
    const app = await start(stop.signal)
    if (!stop.signal.aborted) await once(stop.signal, 'abort')
    // The process ends when nothing is left open; this is for when something is.
    setTimeout(() => process.exit(1), graceMs).unref()
    await app[Symbol.asyncDispose]()
  } catch (error) {
    if (stop.signal.aborted) return
    const reason =
      error instanceof ConfigError
        ? error.message
        : error instanceof Error
          ? (error.stack ?? error.message)
          : String(error)
    process.stderr.write(`${reason}\n`)
    process.exit(1)
  }
}

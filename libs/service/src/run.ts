import { once } from 'node:events'
import { ConfigError } from '@posthorn/config'

/** Running service. Disposal stops it. */
export type App = AsyncDisposable

/** Maximum duration of a shutdown. */
const graceMs = 10_000

/**
 * Runs a service until SIGTERM or SIGINT, then disposes it. The signal of `start` aborts on either
 * signal, so that waiting for Postgres or RabbitMQ ends. An error during the start is printed and
 * ends the process with status 1; of a ConfigError only the message is printed.
 */
export async function run(start: (signal: AbortSignal) => Promise<App>): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort())
  try {
    const app = await start(stop.signal)
    if (!stop.signal.aborted) await once(stop.signal, 'abort')
    // The process ends when no handle is open; this is for a handle that stays open.
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

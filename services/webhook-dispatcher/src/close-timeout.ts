import type { Config } from './config.ts'

/**
 * Part of the shutdown timeout that is left for releasing webhook deliveries whose attempts were
 * aborted.
 */
const releaseMs = 2_000

/**
 * Returns a function for the time that running webhook delivery attempts have left at a shutdown.
 * The time counts from the end of the drain delay, as the limit of the shutdown does: the steps
 * before may take seconds on a busy machine.
 */
export function closeTimeout({ drainDelayMs, shutdownTimeoutMs }: Config, stopping: AbortSignal) {
  const timeoutMs = Math.max(0, shutdownTimeoutMs - releaseMs)
  let endAt: number | undefined
  const start = () => {
    endAt = performance.now() + drainDelayMs + timeoutMs
  }
  stopping.addEventListener('abort', start, { once: true })
  return () => (endAt === undefined ? timeoutMs : Math.max(0, endAt - performance.now()))
}

import { performance } from 'node:perf_hooks'
import { sleep } from '@posthorn/flow'

/**
 * Starts measuring the drain delay of a service when `stopping` aborts. The returned function
 * resolves when `delayMs` have passed since then, immediately if the signal has not aborted.
 *
 * Load balancers and clients need this time to detect that the process is not ready.
 */
export function drainDelay(stopping: AbortSignal, delayMs: number): () => Promise<void> {
  let stoppedAt = -Infinity
  stopping.addEventListener('abort', () => void (stoppedAt = performance.now()), { once: true })
  return () => sleep(Math.max(0, stoppedAt + delayMs - performance.now()))
}

import { performance } from 'node:perf_hooks'
import { sleep } from '@posthorn/flow'

/**
 * Starts to measure the drain delay of a service when the signal `stopping` aborts. The returned
 * function resolves when `delayMs` have passed since the abort. If the signal has not aborted, the
 * function resolves immediately.
 *
 * Load balancers and clients need the drain delay to detect that the process is not ready.
 */
export function drainDelay(stopping: AbortSignal, delayMs: number): () => Promise<void> {
  let stoppedAt = -Infinity
  stopping.addEventListener('abort', () => void (stoppedAt = performance.now()), { once: true })
  return () => sleep(Math.max(0, stoppedAt + delayMs - performance.now()))
}

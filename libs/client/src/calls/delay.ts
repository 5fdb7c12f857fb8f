const firstDelayMs = 250
const maxDelayMs = 8_000

/**
 * Delay before the next attempt of an API call: doubles with each attempt, half of the delay is
 * random.
 */
export function backoffMs(attempts: number): number {
  const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** attempts)
  return delayMs * (0.5 + Math.random() / 2)
}

/**
 * Resolves after a time, before the next attempt of an API call. Rejects with the reason of the
 * signal if the signal aborts.
 */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
  })
}

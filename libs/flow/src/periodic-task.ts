export interface PeriodicTask extends AsyncDisposable {
  /**
   * Runs the periodic task now, without waiting for the interval. If the task is running, it runs
   * once more afterwards, regardless of the number of calls.
   */
  wake(): void
}

export interface PeriodicOptions {
  /** Time from the end of a run of the periodic task to the start of the next run. */
  everyMs: number
  /** Name of the periodic task, which is logged as the field `task`. */
  name: string
  log: { error(fields: object, message: string): void }
}

/**
 * Runs a task periodically until it is disposed. The first run starts immediately, and runs never
 * overlap. An error is logged, and the task runs again after the interval, so the task must be
 * idempotent. Disposal aborts the signal of the current run and waits for its end.
 */
export function runPeriodically(
  { everyMs, log, name }: PeriodicOptions,
  task: (signal: AbortSignal) => Promise<void>,
): PeriodicTask {
  const stop = new AbortController()
  let isWoken = false
  let endPause: (() => void) | undefined
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, everyMs)
      endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const running = (async () => {
    while (!stop.signal.aborted) {
      isWoken = false
      try {
        await task(stop.signal)
      } catch (err) {
        if (!stop.signal.aborted) log.error({ err, task: name }, 'periodic task failed')
      }
      if (!isWoken && !stop.signal.aborted) await pause()
      endPause = undefined
    }
  })()
  return {
    wake() {
      isWoken = true
      endPause?.()
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      endPause?.()
      await running
    },
  }
}

export interface PeriodicTask extends AsyncDisposable {
  /** Runs the periodic task immediately. Calls during a run cause one more run in total. */
  wake(): void
}

export interface PeriodicOptions {
  /** Time between the end of a run of the periodic task and the start of the next run. */
  everyMs: number
  /** Name of the periodic task, field `task` of the log. */
  name: string
  log: { error(fields: object, message: string): void }
}

/**
 * Runs a task periodically until disposed, the first time immediately. Runs never overlap. Errors
 * are logged and the task runs again at the next interval, so it must be idempotent. Disposal
 * aborts the signal and waits for the current run.
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

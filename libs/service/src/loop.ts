import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@posthorn/telemetry'

export interface Loop extends AsyncDisposable {
  /** Runs the work soon instead of at its next time. Calls during a run add up to one more run. */
  wake(): void
}

export interface LoopOptions {
  /** Between the end of a run and the start of the next. */
  everyMs: number
  log: Logger
  name: string
}

/**
 * Runs work again and again, never twice at once, until disposed (which waits for the run at hand). An error is logged and the next
 * run comes at its time: the work must be such that repeating it makes good what failed.
 */
export function everyFew(
  { everyMs, log, name }: LoopOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Loop {
  const stop = new AbortController()
  let nudge = new AbortController()
  const done = (async () => {
    while (!stop.signal.aborted) {
      const { signal } = nudge
      try {
        await work(stop.signal)
      } catch (err) {
        if (!stop.signal.aborted)
          log.error({ err, loop: name }, 'a run failed; the next one follows')
      }
      await delay(everyMs, undefined, { signal: AbortSignal.any([stop.signal, signal]) }).catch(
        () => undefined,
      )
      if (signal.aborted) nudge = new AbortController()
    }
  })()
  return {
    wake: () => nudge.abort(),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await done
    },
  }
}

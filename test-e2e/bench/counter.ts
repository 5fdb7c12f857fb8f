import { startPart } from './start-part.ts'

/**
 * Server that counts events in its own process, so that the server does not share an event loop
 * with the measured code.
 */
export interface Counter extends AsyncDisposable {
  port: number
  /** Resets the count of events. */
  reset(): void
  /**
   * Waits until the server has counted `count` events since the last reset. Resolves with the
   * milliseconds from the first to the last of these events, and the time of the last event.
   */
  counted(count: number): Promise<CounterReport>
}

interface CounterReport {
  spanMs: number
  lastAt: number
}

type CounterRequest = { reset: true } | { count: number }

export async function startCounter(file: string): Promise<Counter> {
  const part = await startPart(file)
  return {
    port: part.port,
    reset: () => part.send({ reset: true } satisfies CounterRequest),
    counted: (count) => part.request({ count } satisfies CounterRequest),
    [Symbol.asyncDispose]: () => part[Symbol.asyncDispose](),
  }
}

/**
 * Replies to the benchmark's requests for counts, in the process of the counting server. The server
 * calls the returned function `one` for each counted event.
 */
export function replyWithCounts(port: number): { one: () => void } {
  let times = { first: 0, last: 0, count: 0 }
  let wanted: number | undefined
  const reportIfReached = () => {
    if (wanted === undefined || times.count < wanted) return
    const report: CounterReport = { spanMs: times.last - times.first, lastAt: Date.now() }
    process.send?.(report)
    wanted = undefined
  }
  process.on('message', (request: CounterRequest) => {
    if ('reset' in request) times = { first: 0, last: 0, count: 0 }
    else wanted = request.count
    reportIfReached()
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.({ port })
  return {
    one() {
      times.last = performance.now()
      if (times.count++ === 0) times.first = times.last
      reportIfReached()
    },
  }
}

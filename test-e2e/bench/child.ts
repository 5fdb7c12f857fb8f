import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/**
 * Part of a benchmark in its own process, so that it does not share an event loop with the measured
 * code.
 */
export interface Child extends AsyncDisposable {
  port: number
  /** Resets the counter. */
  reset(): void
  /**
   * Resolves after `count` events since the last reset with the time from the first to the last, in
   * milliseconds.
   */
  counted(count: number): Promise<{ spanMs: number; lastAt: number }>
}

export type Question = { reset: true } | { count: number }
export type Report = { port: number } | { spanMs: number; lastAt: number }

export async function startChild(file: string): Promise<Child> {
  const child: ChildProcess = fork(join(import.meta.dirname, file))
  const next = async () => ((await once(child, 'message')) as [Report])[0]
  const started = await next()
  if (!('port' in started)) throw new Error(`${file} sent no port`)
  return {
    port: started.port,
    reset: () => void child.send({ reset: true } satisfies Question),
    async counted(count) {
      const answer = next()
      child.send({ count } satisfies Question)
      const report = await answer
      if (!('spanMs' in report)) throw new Error(`${file} sent an unexpected reply`)
      return report
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** Child's side of the protocol. Call `one` for each counted event. */
export function answerParent(port: number): { one: () => void } {
  let times = { first: 0, last: 0, count: 0 }
  let wanted: number | undefined
  const look = () => {
    if (wanted === undefined || times.count < wanted) return
    process.send?.({ spanMs: times.last - times.first, lastAt: Date.now() } satisfies Report)
    wanted = undefined
  }
  process.on('message', (question: Question) => {
    if ('reset' in question) times = { first: 0, last: 0, count: 0 }
    else wanted = question.count
    look()
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.({ port } satisfies Report)
  return {
    one() {
      times.last = performance.now()
      if (times.count++ === 0) times.first = times.last
      look()
    },
  }
}

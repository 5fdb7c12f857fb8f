import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'

export interface BatchOptions<I, O> {
  /** Items of one batch at most. */
  max: number
  /** How long the first item of a batch may wait for others. Items that come while a batch is worked on wait for that one as well. */
  waitMs: number
  /** Answers in the order of the items. */
  work: (items: I[]) => Promise<O[]>
}

/** Turns many small calls into few large ones. A batch that fails fails all of its calls. */
export function batch<I, O>({ max, waitMs, work }: BatchOptions<I, O>): (item: I) => Promise<O> {
  const waiting: { item: I; done: PromiseWithResolvers<O> }[] = []
  let running = false

  async function run(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      if (waiting.length < max) await (waitMs === 0 ? turn() : delay(waitMs))
      const taken = waiting.splice(0, max)
      try {
        const answers = await work(taken.map(({ item }) => item))
        for (const [index, { done }] of taken.entries()) done.resolve(answers[index] as O)
      } catch (error) {
        for (const { done } of taken) done.reject(error)
      }
    }
    running = false
  }

  return (item) => {
    const done = Promise.withResolvers<O>()
    waiting.push({ item, done })
    if (!running) void run()
    return done.promise
  }
}

import { DatabaseError } from 'pg'

export interface Batches {
  /** Items of one run at most. */
  max?: number
}

/** Errors about what was written: bad data, a constraint, a conflict with another transaction. Nothing of the run was kept. */
const aboutItems = /^(?:22|23|40)/

/**
 * Lets callers at the same time share a statement, and with it a round trip and a wait for the disk. While one run is under way
 * items gather, and the next run takes them all; a lone item goes at once.
 *
 * `run` must do all of its items or none, and return what became of each in their order. When it fails because of what is in it, each
 * item is run alone, so that one that cannot be written keeps nobody back.
 */
export function inBatches<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  { max = 100 }: Batches = {},
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = []
  let running = false
  const runNext = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, max)
      waiting = waiting.slice(max)
      await runAll(run, batch)
    }
    running = false
  }
  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    waiting.push({ item, resolve, reject })
    if (!running) {
      running = true
      // What else this turn of the event loop brings comes along.
      setImmediate(() => void runNext())
    }
    return promise
  }
}

interface Waiting<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** Does not reject. */
async function runAll<Item, Result>(
  run: (items: Item[]) => Promise<Result[]>,
  batch: Waiting<Item, Result>[],
): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item))
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
  } catch (error) {
    const retry = batch.length > 1 && error instanceof DatabaseError
    if (retry && aboutItems.test(error.code ?? ''))
      await Promise.all(batch.map((one) => runAll(run, [one])))
    else for (const { reject } of batch) reject(error)
  }
}

import { sql } from 'kysely'
import type { Db, Tx } from './connect.ts'

/**
 * Adds counts to the statistics counters of the current minute. Locks rows in the order of keys, to
 * avoid deadlocks.
 */
export async function addCounts(
  db: Db | Tx,
  counts: ReadonlyMap<string, number>,
  slot = 0,
): Promise<void> {
  if (counts.size === 0) return
  await sql`
    insert into stat_counters (minute, key, slot, value)
    select date_trunc('minute', now()), key, ${slot}::smallint, value
    from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::bigint[]) as input (key, value) order by key
    on conflict (minute, key, slot) do update set value = stat_counters.value + excluded.value
  `.execute(db)
}

/** Counter for statistics. The sums are written to Postgres periodically. */
export interface MinuteCounter extends AsyncDisposable {
  count(key: string): void
}

export interface CounterOptions {
  /** Time between two writes of the counts to Postgres. Defaults to 10 s. */
  everyMs?: number
  /**
   * Called when counters could not be written to Postgres. The counts that were not written become
   * part of the next write.
   */
  onError?: (error: unknown) => void
}

/**
 * Starts a counter for statistics. A crash loses the counts since the last write to Postgres.
 * Disposal of the counter writes the remaining counts.
 */
export function countMinutes(db: Db, options: CounterOptions = {}): MinuteCounter {
  const counter = startCounter((counts) => addCounts(db, counts), options)
  return {
    count: (key) => counter.add(key, 1),
    [Symbol.asyncDispose]: () => counter[Symbol.asyncDispose](),
  }
}

/**
 * Counter of statistics with a sum for each key. The sums are written to Postgres periodically and
 * when the counter is disposed.
 */
export function startCounter(
  store: (counts: ReadonlyMap<string, number>) => Promise<void>,
  { everyMs = 10_000, onError }: CounterOptions,
): AsyncDisposable & { add(key: string, by: number): void } {
  let counts = new Map<string, number>()
  let writing: Promise<void> = Promise.resolve()
  const add = (key: string, by: number) => void counts.set(key, (counts.get(key) ?? 0) + by)
  const write = async () => {
    const batch = counts
    counts = new Map()
    try {
      await store(batch)
    } catch (error) {
      for (const [key, value] of batch) add(key, value)
      onError?.(error)
    }
  }
  const timer = setInterval(() => {
    writing = writing.then(write)
  }, everyMs)
  timer.unref()
  return {
    add,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}

import { sql } from 'kysely'
import type { Db, Tx } from './connect.ts'

/** Adds to the counters of the minute at hand. Locks in one order, so that those who add at once never wait for each other in a circle. */
export async function addCounts(
  db: Db | Tx,
  counts: ReadonlyMap<string, number>,
  slot = 0,
): Promise<void> {
  if (counts.size === 0) return
  await sql`
    insert into stat_counters (minute, key, slot, value)
    select date_trunc('minute', now()), key, ${slot}::smallint, value
    from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::bigint[]) as given (key, value) order by key
    on conflict (minute, key, slot) do update set value = stat_counters.value + excluded.value
  `.execute(db)
}

/** Counts in memory; the sums reach Postgres every few seconds. */
export interface MinuteCounter extends AsyncDisposable {
  count(key: string): void
}

export interface CountMinutesOptions {
  /** Between two writes; default 10 s. */
  everyMs?: number
  /** Told of writes that failed. The counts are kept for the next one. */
  onError?: (error: unknown) => void
}

/** A crash loses what was counted since the last write, no more. Disposing writes what is left. */
export function countMinutes(
  db: Db,
  { everyMs = 10_000, onError }: CountMinutesOptions = {},
): MinuteCounter {
  let counts = new Map<string, number>()
  let writing: Promise<void> = Promise.resolve()
  const add = (key: string, by: number) => void counts.set(key, (counts.get(key) ?? 0) + by)
  const write = async () => {
    const taken = counts
    counts = new Map()
    try {
      await addCounts(db, taken)
    } catch (error) {
      for (const [key, value] of taken) add(key, value)
      onError?.(error)
    }
  }
  const timer = setInterval(() => {
    writing = writing.then(write)
  }, everyMs)
  timer.unref()
  return {
    count: (key) => add(key, 1),
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}

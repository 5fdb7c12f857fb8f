import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Period of a series of counters, in seconds since 1970 and multiples of `step`. */
export interface SeriesPeriod {
  /** Start of the first step of the series of counters. */
  from: number
  /** End of the last step of the series of counters. */
  to: number
  /** Duration of one step of the series of counters, in seconds. */
  step: number
}

/**
 * Sums of the statistics counters `keys` for each step of a period, by key. A step or key without
 * counts has zeros.
 */
export async function readSeries(
  db: Db,
  keys: readonly string[],
  { from, to, step }: SeriesPeriod,
): Promise<Map<string, number[]>> {
  const { rows } = await sql<{ key: string; index: number; value: string }>`
    select key, (extract(epoch from minute)::bigint - ${from}::bigint) / ${step}::bigint as index,
      sum(value) as value
    from stat_counters
    where minute >= to_timestamp(${from}::bigint) and minute < to_timestamp(${to}::bigint)
      and key = any(${sql.val([...keys])}::text[])
    group by 1, 2
  `.execute(db)
  const series = new Map(keys.map((key) => [key, Array<number>((to - from) / step).fill(0)]))
  for (const { key, index, value } of rows) series.get(key)?.splice(Number(index), 1, Number(value))
  return series
}

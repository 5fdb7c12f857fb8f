import { sql } from 'kysely'
import type { Db } from './connect.ts'
import { type CounterOptions, startCounter } from './counters.ts'

/** Numbers that describe how the accounts of an OAuth2 application use a mail API. */
export interface AppUse {
  /** Number of operations requested from the mail provider. Each part of a batch request counts. */
  requests: number
  /** Number of quota units of the mail API that the requested operations cost. */
  units: number
  /** Number of requests that the mail provider refused because of a limit. */
  limited: number
}

/** Counter of the use of mail APIs. The sums are written to Postgres periodically. */
export interface AppUseCounter extends AsyncDisposable {
  add(app: string, use: Partial<AppUse>): void
}

/**
 * Starts a counter of the use of mail APIs, per OAuth2 application and day. A crash loses the
 * counts since the last write to Postgres. Disposal of the counter writes the remaining counts.
 */
export function countAppUse(db: Db, options: CounterOptions = {}): AppUseCounter {
  const counter = startCounter((counts) => addAppUse(db, counts), options)
  return {
    add(app, use) {
      for (const [name, by] of Object.entries(use)) counter.add(`${name} ${app}`, by)
    },
    [Symbol.asyncDispose]: () => counter[Symbol.asyncDispose](),
  }
}

/**
 * Adds counts to the rows of the current day (UTC). The key of a count consists of the name of the
 * count and the id of the OAuth2 application. Locks rows in the order of application ids, to avoid
 * deadlocks.
 */
async function addAppUse(db: Db, counts: ReadonlyMap<string, number>): Promise<void> {
  if (counts.size === 0) return
  const apps = [...new Set(Array.from(counts.keys(), (key) => key.slice(key.indexOf(' ') + 1)))]
  const values = (name: keyof AppUse) =>
    sql`${apps.map((app) => counts.get(`${name} ${app}`) ?? 0)}::bigint[]`
  await sql`
    insert into oauth2_app_uses as stored (app, day, requests, units, limited)
    select app, (now() at time zone 'utc')::date, requests, units, limited
    from unnest(${apps}::text[], ${values('requests')}, ${values('units')}, ${values('limited')})
      as input (app, requests, units, limited)
    order by app
    on conflict (app, day) do update set requests = stored.requests + excluded.requests,
      units = stored.units + excluded.units, limited = stored.limited + excluded.limited
  `.execute(db)
}

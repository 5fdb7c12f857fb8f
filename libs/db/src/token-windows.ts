import { sql } from 'kysely'
import type { Db } from './connect.ts'

/** A request to be counted. */
export interface Counted {
  token: string
  windowSeconds: number
}

export interface Window {
  /** Of this token within the window, this one included. */
  requests: number
  resetSeconds: number
}

interface Row {
  token: string
  requests: number
  elapsed: number
}

/** More is not counted, lest the column overflows. */
const most = 2_000_000_000

/** Counts a request in the token's present window. Fails by the foreign key when the token is gone. */
export async function countRequest(db: Db, token: string, windowSeconds: number): Promise<Window> {
  const [window] = await countRequests(db, [{ token, windowSeconds }])
  if (!window) throw new Error('no window was counted')
  return window
}

/**
 * Counts requests, each in the present window of its token, in one statement; what it returns is in their order, and each has a number
 * of its own. Windows have fixed bounds, so that all replicas count in the same row, by the clock of Postgres.
 */
export async function countRequests(db: Db, counted: readonly Counted[]): Promise<Window[]> {
  const tokens = new Map<string, { windowSeconds: number; left: number }>()
  for (const { token, windowSeconds } of counted)
    tokens.set(token, { windowSeconds, left: (tokens.get(token)?.left ?? 0) + 1 })
  const given = [...tokens.values()]
  // In one order, so that those who count at once never wait for each other in a circle.
  const { rows } = await sql<Row>`
    insert into token_windows (token, window_start, requests)
    select token, to_timestamp(floor(extract(epoch from now()) / seconds) * seconds), requests
    from unnest(
      ${[...tokens.keys()]}::text[], ${given.map(({ windowSeconds }) => windowSeconds)}::bigint[],
      ${given.map(({ left }) => left)}::int[]
    ) as given (token, seconds, requests) order by token
    on conflict (token, window_start) do update
      set requests = least(token_windows.requests + excluded.requests, ${most}::int)
    returning token, requests, extract(epoch from now() - window_start)::float8 as elapsed
  `.execute(db)
  const windows = new Map(rows.map((row) => [row.token, row]))
  await dropOldWindows(
    db,
    rows.filter((row) => row.requests === tokens.get(row.token)?.left),
  )
  return counted.map(({ token }) => {
    const row = windows.get(token)
    const entry = tokens.get(token)
    if (!row || !entry) throw new Error('a request was not counted')
    entry.left -= 1
    const resetSeconds = Math.max(1, Math.ceil(entry.windowSeconds - row.elapsed))
    return { requests: row.requests - entry.left, resetSeconds }
  })
}

/** The first requests of a window clear those before it. */
async function dropOldWindows(db: Db, first: readonly Row[]): Promise<void> {
  if (first.length === 0) return
  await sql`
    delete from token_windows as old using token_windows as newer
    where old.token = any(${first.map(({ token }) => token)}::text[]) and newer.token = old.token
      and old.window_start < newer.window_start
  `.execute(db)
}

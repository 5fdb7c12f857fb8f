import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** Request that is counted against the rate limit of its access token. */
export interface CountedRequest {
  /** Id of the access token. */
  token: string
  windowSeconds: number
}

export interface TokenWindow {
  /**
   * Number of requests with the access token within the rate limit window, including this request.
   */
  requests: number
  /** Seconds until the rate limit window of the access token ends. */
  resetSeconds: number
}

interface Row {
  token: string
  requests: number
  elapsed: number
}

/**
 * Maximum of the number of requests that is stored per access token, so that the integer column
 * does not overflow.
 */
const maxRequests = 2_000_000_000

/**
 * Counts one request of an access token. Fails with a foreign key violation if the token was
 * deleted.
 */
export async function countRequest(
  db: Db,
  token: string,
  windowSeconds: number,
): Promise<TokenWindow> {
  const [window] = await countRequests(db, [{ token, windowSeconds }])
  if (!window) throw new Error('Request was not counted')
  return window
}

/**
 * Counts requests in the current rate limit windows of their access tokens, in one statement.
 * Returns one result per request, in the order of the requests: the number of the request within
 * its window. Windows start at multiples of their length by the clock of Postgres, so that all
 * replicas count in the same row.
 */
export async function countRequests(
  db: Db,
  counted: readonly CountedRequest[],
): Promise<TokenWindow[]> {
  const tokens = new Map<string, { windowSeconds: number; left: number }>()
  for (const { token, windowSeconds } of counted)
    tokens.set(token, { windowSeconds, left: (tokens.get(token)?.left ?? 0) + 1 })
  const entries = [...tokens.values()]
  // The rate limit rows of the access tokens are locked in a fixed order, so that concurrent
  // statements do not deadlock.
  const { rows } = await sql<Row>`
    insert into token_windows (token, window_start, requests)
    select token, to_timestamp(floor(extract(epoch from now()) / seconds) * seconds), requests
    from unnest(
      ${[...tokens.keys()]}::text[], ${entries.map(({ windowSeconds }) => windowSeconds)}::bigint[],
      ${entries.map(({ left }) => left)}::int[]
    ) as input (token, seconds, requests) order by token
    on conflict (token, window_start) do update
      set requests = least(token_windows.requests + excluded.requests, ${maxRequests}::int)
    returning token, requests, extract(epoch from now() - window_start)::float8 as elapsed
  `.execute(db)
  const windows = new Map(rows.map((row) => [row.token, row]))
  const started = rows.filter((row) => row.requests === tokens.get(row.token)?.left)
  await deletePreviousWindows(db, started)
  return counted.map(({ token }) => {
    const row = windows.get(token)
    const entry = tokens.get(token)
    if (!row || !entry) throw new Error('Request was not counted')
    entry.left -= 1
    const resetSeconds = Math.max(1, Math.ceil(entry.windowSeconds - row.elapsed))
    return { requests: row.requests - entry.left, resetSeconds }
  })
}

/**
 * Deletes the older rate limit windows of those access tokens whose next rate limit window has just
 * started.
 */
async function deletePreviousWindows(db: Db, started: readonly Row[]): Promise<void> {
  if (started.length === 0) return
  await sql`
    delete from token_windows as old using token_windows as newer
    where old.token = any(${started.map(({ token }) => token)}::text[]) and newer.token = old.token
      and old.window_start < newer.window_start
  `.execute(db)
}

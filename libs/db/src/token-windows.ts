import type { Db } from './connect.ts'
import { sql } from 'kysely'

export interface Window {
  /** Of this token within the window, this one included. */
  requests: number
  resetSeconds: number
}

/**
 * Counts a request in the token's present window. Windows have fixed bounds, so that all replicas count in the same row, by the clock
 * of Postgres. Fails by the foreign key when the token is gone.
 */
export async function countRequest(db: Db, token: string, windowSeconds: number): Promise<Window> {
  const { rows } = await sql<Window>`
    insert into token_windows (token, window_start, requests)
    values (${token}, to_timestamp(floor(extract(epoch from now()) / ${windowSeconds}::bigint) * ${windowSeconds}::bigint), 1)
    on conflict (token, window_start) do update set requests = least(token_windows.requests + 1, 2000000000)
    returning requests,
      greatest(1, ceil(extract(epoch from window_start) + ${windowSeconds}::bigint - extract(epoch from now())))::int as "resetSeconds"
  `.execute(db)
  const [window] = rows
  if (!window) throw new Error('no window was counted')
  if (window.requests === 1) await dropOldWindows(db, token)
  return window
}

/** The first request of a window clears those before it. */
async function dropOldWindows(db: Db, token: string): Promise<void> {
  await sql`
    delete from token_windows as old using token_windows as newer
    where old.token = ${token} and newer.token = old.token and old.window_start < newer.window_start
  `.execute(db)
}

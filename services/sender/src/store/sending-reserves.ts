import type { Db } from '@posthorn/db'
import type { QuotaRate } from '@posthorn/flow'
import { sql } from 'kysely'

export interface ReserveRequest {
  account: string
  units: number
  /**
   * Rate at which quota units of a mail API become available again in the reserve of a mailbox,
   * which all senders share.
   */
  rate: QuotaRate
}

/**
 * Takes quota units of a mail API from the reserve of a mailbox, which all senders share. Returns 0
 * if the units were taken. Otherwise takes none and returns the milliseconds until the units are
 * available. More units than the burst are taken once the burst is available, and delay later
 * requests.
 */
export async function takeReserve(
  db: Db,
  { account, units, rate }: ReserveRequest,
): Promise<number> {
  const { burst } = rate
  const perMs = (rate.units - burst) / rate.windowMs
  const required = Math.min(units, burst)
  // Quota units of a mail API in the reserve of a mailbox at this time, computed as in a token
  // bucket. A clock that was set back adds no units.
  const level = sql`least(${burst}::float8, reserve.units + ${perMs}::float8 * 1000 *
    greatest(0, extract(epoch from clock_timestamp() - reserve.updated_at)))`
  const { rows } = await sql`
    insert into sending_reserves as reserve (account, units, updated_at)
    values (${account}, ${burst}::float8 - ${units}::float8, clock_timestamp())
    on conflict (account) do update
      set units = ${level} - ${units}::float8,
        updated_at = greatest(clock_timestamp(), reserve.updated_at)
      where ${level} >= ${required}::float8
    returning account
  `.execute(db)
  if (rows.length > 0) return 0
  const waits = await sql<{ ms: number }>`
    select (${required}::float8 - ${level}) / ${perMs}::float8 as ms
    from sending_reserves as reserve where account = ${account}
  `.execute(db)
  return Math.max(1, waits.rows[0]?.ms ?? 1)
}

/**
 * Deletes the quota reserves of mailboxes that no sender has used for an hour. All units of such a
 * reserve are available again.
 */
export async function deleteUnusedReserves(db: Db): Promise<void> {
  await sql`delete from sending_reserves where updated_at < now() - interval '1 hour'`.execute(db)
}

import type { Db, Tx } from '@posthorn/db'
import { sql } from 'kysely'
import type { PendingEvent } from './events.ts'

/**
 * Counts events, by account and by minute. To be called in the transaction that marks them as fanned out: each is counted once. An
 * account is one partition's alone, and of the minutes' counters each partition has its own, so that partitions never wait for each
 * other here.
 */
export async function countEvents(
  tx: Tx,
  events: readonly Pick<PendingEvent, 'account' | 'event'>[],
  partition: number,
): Promise<void> {
  if (events.length === 0) return
  const accounts = events.map(({ account }) => account)
  await sql`
    with given as (
      select account, event, count(*) as count
      from unnest(${accounts}::text[], ${events.map(({ event }) => event)}::text[]) as e (account, event) group by 1, 2
    ), of_accounts as (
      insert into account_event_counts (account, event, count)
      select account, event, count from given
      where account in (select account from accounts where account = any(${accounts}::text[])) -- the others are gone
      order by account, event
      on conflict (account, event) do update set count = account_event_counts.count + excluded.count
    )
    insert into stat_counters (minute, key, slot, value)
    select date_trunc('minute', now()), 'events:' || event, ${partition}::smallint, sum(count) from given group by 2 order by 2
    on conflict (minute, key, slot) do update set value = stat_counters.value + excluded.value
  `.execute(tx)
}

/** Whether `countEvents` failed because an account was deleted after it was looked for. Nothing of its transaction is kept. */
export function isDeletedAccountError(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return code === '23503' && constraint === 'account_event_counts_account_fkey'
}

/** Deletes counters that were kept long enough, and merges those of each minute that is over. */
export async function deleteOldCounters(db: Db, keepDays: number): Promise<void> {
  await sql`
    delete from stat_counters where minute < now() - make_interval(days => ${keepDays})
  `.execute(db)
  await sql`
    with merged as (
      delete from stat_counters where slot <> 0 and minute < now() - interval '5 minutes' returning minute, key, value
    )
    insert into stat_counters (minute, key, slot, value)
    select minute, key, 0, sum(value) from merged group by minute, key order by minute, key
    on conflict (minute, key, slot) do update set value = stat_counters.value + excluded.value
  `.execute(db)
}

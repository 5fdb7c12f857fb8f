import type { Db } from '@posthorn/db'

/** How often each event happened to these accounts; those to which none did are missing. */
export async function listEventCounts(
  db: Db,
  accounts: readonly string[],
): Promise<Map<string, Record<string, number>>> {
  if (accounts.length === 0) return new Map()
  const rows = await db
    .selectFrom('accountEventCounts')
    .select(['account', 'event', 'count'])
    .where('account', 'in', accounts)
    .orderBy('event')
    .execute()
  const counts = new Map<string, Record<string, number>>()
  for (const { account, event, count } of rows) {
    const known = counts.get(account) ?? {}
    known[event] = Number(count)
    counts.set(account, known)
  }
  return counts
}

import { afterAll, expect, test } from '@jest/globals'
import { type Db, markPublished, recordEvents, type Tx } from '@posthorn/db'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { markFannedOut } from '../src/store/events.ts'
import { storeDatabase } from './store-database.ts'

// Tests of row locks on events: writers mark events as published while a fan-out (creation of
// webhook deliveries) marks them. Both SQL statements concern many rows.

const database = await storeDatabase()
const { db, own } = database
afterAll(() => database[Symbol.asyncDispose]())

/**
 * Query plans of Postgres, which depend on statistics. The order in which rows are read differs.
 */
const plans = {
  'nested loops': ['hashjoin', 'mergejoin'],
  'hash joins': ['nestloop', 'mergejoin'],
  'sequential scans': ['indexscan', 'bitmapscan'],
}
type Plan = keyof typeof plans

/** Runs an SQL statement with a query plan in a separate transaction. */
function withPlan(plan: Plan, run: (tx: Tx) => Promise<void>): Promise<void> {
  return own.transaction().execute(async (tx) => {
    for (const excluded of plans[plan])
      await sql.raw(`set local enable_${excluded} = off`).execute(tx)
    await run(tx)
  })
}

/** Locks the database row of an event until released. */
async function lockEvent(id: string) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: onLocked } = Promise.withResolvers<void>()
  const done = db.transaction().execute(async (tx) => {
    await tx.selectFrom('events').select('id').where('id', '=', id).forUpdate().execute()
    onLocked()
    await released
  })
  await locked
  return async () => {
    release()
    await done
  }
}

const untilWaiting = (count: number) =>
  eventually(async () => {
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    expect(rows).toHaveLength(count)
  })

async function recordSome() {
  const events = Array.from({ length: 20 }, (_, n) => ({
    eventId: crypto.randomUUID(),
    event: 'messageSent',
    account: 'a',
    data: { n },
  }))
  const recorded = await db.transaction().execute((tx) => recordEvents(tx, events, null))
  const dates = await db
    .selectFrom('events')
    .select(['id as eventRow', sql<string>`date::text`.as('eventDate')])
    .where(
      'id',
      'in',
      recorded.map(({ id }) => id),
    )
    .orderBy('id')
    .execute()
  return { recorded, pending: dates }
}

const orders = ['ascending', 'descending'] as const
const cases = (Object.keys(plans) as Plan[]).flatMap((fanOut) =>
  (Object.keys(plans) as Plan[]).flatMap((publishing) =>
    orders.map((order) => ({ fanOut, publishing, order })),
  ),
)

test.each(cases)(
  'markFannedOut with $fanOut and markPublished with $publishing in $order order, of the same events, do not deadlock',
  async ({ fanOut, publishing, order }) => {
    const { recorded, pending } = await recordSome()
    const ids = recorded.map(({ id }) => id)
    const events = order === 'ascending' ? recorded : recorded.toReversed()
    const release = await lockEvent(ids[0] ?? '')
    // The first SQL statement waits for the locked event. The second statement waits for the event,
    // too, with other rows locked.
    const first = withPlan(fanOut, (tx) => markFannedOut(tx, pending))
    await untilWaiting(1)
    const second = withPlan(publishing, (tx) => markPublished(tx as Db, events))
    await untilWaiting(2)
    await release()
    await Promise.all([first, second])
    const rows = await db
      .selectFrom('events')
      .select(['publishedAt', 'fannedOutAt'])
      .where('id', 'in', ids)
      .execute()
    expect(rows).toHaveLength(ids.length)
    expect(rows.filter(({ publishedAt, fannedOutAt }) => !publishedAt || !fannedOutAt)).toEqual([])
  },
)

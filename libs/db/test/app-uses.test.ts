import { afterAll, expect, test } from '@jest/globals'
import { connect, countAppUse } from '@posthorn/db'
import { testDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'

const database = await testDatabase()
const { db } = database
const roles = ['posthorn_sync_worker', 'posthorn_sender'] as const
const [worker, sender] = roles.map((role) => connect(database.roleUrl(role), { name: 'test' }))
afterAll(async () => {
  await worker?.destroy()
  await sender?.destroy()
  await database.drop()
})

test('countAppUse: sums the use of both services per application and day', async () => {
  await sql`insert into oauth2_app_uses values ('a', current_date - 2, 1, 1, 1)`.execute(db)
  for (const own of [worker, sender, worker]) {
    if (!own) throw new Error('not connected')
    await using counter = countAppUse(own)
    counter.add('a', { requests: 2, units: 40 })
    counter.add('a', { requests: 1, units: 100 })
    counter.add('app with blanks', { requests: 1, units: 5 })
    counter.add('a', { limited: 1 })
  }
  const rows = await db
    .selectFrom('oauth2AppUses')
    .select(['app', 'requests', 'units', 'limited'])
    .where('day', '=', sql<Date>`(now() at time zone 'utc')::date`)
    .orderBy('app')
    .execute()
  expect(rows).toEqual([
    { app: 'a', requests: '9', units: '420', limited: '3' },
    { app: 'app with blanks', requests: '3', units: '15', limited: '0' },
  ])
})

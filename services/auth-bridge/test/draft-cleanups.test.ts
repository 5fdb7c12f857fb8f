import { afterAll, expect, test } from '@jest/globals'
import { connect } from '@posthorn/db'
import { testDatabase } from '@posthorn/testkit'
import { assertEntitled } from '../src/commands/assert-entitled.ts'

const database = await testDatabase()
const db = connect(database.roleUrl('posthorn_auth_bridge'), { name: 'test' })
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

test('assertEntitled: sender holds a cleanup of drafts, gets the token of that account only', async () => {
  const later = new Date(Date.now() + 3_600_000)
  const cleanup = { account: 'ann', messageId: '<m@x.example>', checkAt: later }
  for (const account of ['ann', 'bob'])
    await database.db.insertInto('accounts').values({ account, shard: 0, name: account }).execute()
  await database.db
    .insertInto('draftCleanups')
    .values([
      { ...cleanup, queueId: 'held', leaseUntil: later },
      { ...cleanup, queueId: 'waiting' },
    ])
    .execute()
  const isEntitled = (account: string, protocol: 'api' | 'smtp', queueId: string) =>
    assertEntitled(db, 'sender', { account, protocol, entitlement: { queueId } }).then(
      () => true,
      () => false,
    )
  expect(await isEntitled('ann', 'api', 'held')).toBe(true)
  expect(await isEntitled('ann', 'smtp', 'held')).toBe(false)
  expect(await isEntitled('bob', 'api', 'held')).toBe(false)
  expect(await isEntitled('ann', 'api', 'waiting')).toBe(false)
})

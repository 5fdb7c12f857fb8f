import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { connect } from '@posthorn/db'
import { testDatabase } from '@posthorn/testkit'
import { dueRowsSuite } from '@posthorn/testkit/due-rows'
import { cleanups, mayCleanUp } from '../src/store/draft-cleanups.ts'
import { filings, isOfOthers } from '../src/store/filing.ts'

const database = await testDatabase()
const owner = database.db
const db = connect(database.roleUrl('posthorn_sender'), { name: 'test' })
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

const [account, other] = [randomUUID(), randomUUID()]
for (const name of [account, other])
  await owner
    .insertInto('accounts')
    .values({ account: name, shard: shardOf(name), name, backend: 'gmail' })
    .execute()
const now = () => new Date(Date.now() - 1)

/** Inserts a sent message into the outbox whose filing (mailbox work after sending) is due. */
async function insertSent(of = account): Promise<string> {
  const queueId = randomUUID()
  await owner
    .insertInto('outbox')
    .values({
      queueId,
      account: of,
      shard: shardOf(of),
      source: 'api',
      messageId: `<${queueId}@x.example>`,
      envelope: JSON.stringify({ from: 'a@b.example', to: ['c@d.example'] }),
      mime: Buffer.from('x'),
      maxAttempts: 10,
      state: 'sent',
      finishedAt: now(),
      filing: JSON.stringify({ copy: true }),
      filingNextAt: now(),
    } as never)
    .execute()
  return queueId
}

dueRowsSuite({ rows: filings, db, owner, where: isOfOthers([other]), insert: () => insertSent() })

dueRowsSuite({
  rows: cleanups,
  db,
  owner,
  where: mayCleanUp,
  insert: async () => {
    const queueId = randomUUID()
    const row = { queueId, account, messageId: `<${queueId}@x.example>`, checkAt: now() }
    await owner.insertInto('draftCleanups').values(row).execute()
    return queueId
  },
})

test('filings: skips accounts in progress, deletes the bytes at the end and stores the error', async () => {
  await owner.deleteFrom('outbox').execute()
  await insertSent(other)
  const queueId = await insertSent()
  const claim = { limit: 10, leaseMs: 0, where: isOfOthers([other]) }
  const [filing] = await filings.claim(db, claim)
  expect(filing).toMatchObject({
    key: queueId,
    queueId,
    account,
    messageId: `<${queueId}@x.example>`,
    filing: { copy: true },
  })
  await filings.end(db, filing as never, { filingError: 'The folder does not exist' })
  const row = await owner
    .selectFrom('outbox')
    .select(['mime', 'filingError', 'filingNextAt', 'state'])
    .where('queueId', '=', queueId)
    .executeTakeFirst()
  expect(row).toEqual({
    mime: null,
    filingError: 'The folder does not exist',
    filingNextAt: null,
    state: 'sent',
  })
})

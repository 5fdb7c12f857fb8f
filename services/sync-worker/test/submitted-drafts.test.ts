import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { connect } from '@posthorn/db'
import { testDatabase } from '@posthorn/testkit'
import { findSubmittedDrafts } from '../src/store/api/leaves.ts'

const database = await testDatabase()
const { db } = database
const worker = connect(database.roleUrl('posthorn_sync_worker'), { name: 'test' })
afterAll(async () => {
  await worker.destroy()
  await database.drop()
})

test('findSubmittedDrafts: drafts of senders, also after sending and of interrupted attempts', async () => {
  const account = 'ann'
  await db.insertInto('accounts').values({ account, shard: 0, name: 'Ann' }).execute()
  const submission = (messageId: string, columns: object) => ({
    queueId: randomUUID(),
    account,
    shard: 0,
    source: 'api' as const,
    messageId,
    envelope: JSON.stringify({ from: 'a@x.example', to: [] }),
    maxAttempts: 1,
    ...columns,
  })
  const providerDraft = JSON.stringify({ id: 'draft', messageId: 'sent' })
  const stored = JSON.stringify({ id: 'stored', messageId: 'released', stored: true })
  await db
    .insertInto('outbox')
    .values([
      submission('<queued@x>', {}),
      submission('<replaced@x>', { state: 'sent', providerDraft }),
      submission('<copy@x>', { providerDraft: stored }),
    ])
    .execute()
  const checkAt = new Date()
  await db
    .insertInto('draftCleanups')
    .values({ queueId: 'q', account, messageId: '<left@x>', checkAt })
    .execute()
  const drafts = [
    { id: 'waiting', messageId: '<queued@x>' },
    { id: 'sent' },
    { id: 'left', messageId: '<left@x>' },
    { id: 'own', messageId: '<own@x>' },
    { id: 'released' },
  ]
  expect((await findSubmittedDrafts(worker, account, drafts)).toSorted()).toEqual([
    'left',
    'sent',
    'waiting',
  ])
})

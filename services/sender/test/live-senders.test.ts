import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { createLogger } from '@posthorn/telemetry'
import { eventually, testDatabase } from '@posthorn/testkit'
import { LiveSenders } from '../src/live-senders.ts'

const database = await testDatabase()
const { db } = database
afterAll(() => database.drop())

const log = createLogger('test', 'silent')

test('LiveSenders: counts live processes, drops those that stopped or are silent for ten minutes', async () => {
  const died = { id: randomUUID(), heartbeatAt: new Date(Date.now() - 660_000) }
  const silent = { id: randomUUID(), heartbeatAt: new Date(Date.now() - 60_000) }
  await db.insertInto('senders').values([died, silent]).execute()
  await using first = new LiveSenders({ db, log, sender: randomUUID() })
  const ids = () => db.selectFrom('senders').select('id').execute()
  await eventually(async () => expect(await ids()).toHaveLength(2))
  {
    await using second = new LiveSenders({ db, log, sender: randomUUID() })
    await eventually(() => expect([first.count, second.count]).toEqual([2, 2]))
  }
  expect(await ids()).toHaveLength(2)
  await eventually(() => expect(first.count).toBe(1))
})

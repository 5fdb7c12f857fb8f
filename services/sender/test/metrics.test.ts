import { afterAll, expect, test } from '@jest/globals'
import { eventually, freePort } from '@posthorn/testkit'
import { sql } from 'kysely'
import { senderFixture } from './fixture.ts'

const { db, startSender, ...fixture } = await senderFixture()
const port = await freePort()
const sender = await startSender({ SVC_PORT: String(port), SVC_DATABASE_POOL_SIZE: '2' })
afterAll(async () => {
  await sender[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const scrape = async () => {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  return { status: response.status, text: await response.text() }
}

test('metrics: while the outbox is locked, the scrape does not wait for its counts', async () => {
  // A scrape of the metrics may precede the count of the outbox.
  await eventually(async () =>
    expect((await scrape()).text).toMatch(/^posthorn_outbox_held\{service="sender"\} 0$/m),
  )
  const lock = await db.startTransaction().execute()
  await sql`lock table outbox in access exclusive mode`.execute(lock)
  const { status, text } = await scrape()
  expect(status).toBe(200)
  expect(text).toMatch(/^posthorn_database_pool_size\{pool="main",service="sender"\} 2$/m)
  await lock.rollback().execute()
})

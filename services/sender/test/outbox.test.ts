import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { senderFixture } from './fixture.ts'
import { smtpServers } from './smtp-servers.ts'
import { mailboxWorker } from './mailbox-worker.ts'

const fixture = await senderFixture()
const { db, startSender, addAccount, submit, row, eventsOf } = fixture
const sender = await startSender()
const second = await startSender()
const worker = await mailboxWorker(fixture.broker.url)
const { change } = worker
await eventually(() => change('none', 'hold'))
const server = smtpServers()
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await sender[Symbol.asyncDispose]()
  await second[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const later = new Date(Date.now() + 3_600_000)
const sent = (queueId: string) =>
  eventually(async () => expect(await row(queueId)).toMatchObject({ state: 'sent' }))
const found = async (queueId: string) =>
  (await db.selectFrom('outbox').select('queueId').where('queueId', '=', queueId).execute()).length

test('a message that waits is deleted, and nothing tells of it', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const queueId = await submit({ account, sendAt: later })
  expect(await change(queueId, 'delete')).toBe('done')
  expect(await found(queueId)).toBe(0)
  expect(await change(queueId, 'delete')).toBe('missing')
  expect(await eventsOf(account)).toEqual([])
})

test('who has left the list since gets nothing, and that is told', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const of = async (recipient: string) => {
    const queueId = await submit({ account, to: [recipient], sendAt: later })
    const list = { listId: 'news.example', listRecipient: recipient }
    await db.updateTable('outbox').set(list).where('queueId', '=', queueId).execute()
    return queueId
  }
  const [left, stays] = [await of('left@example.com'), await of('stays@example.com')]
  const block = { listId: 'news.example', recipient: 'left@example.com', account }
  await db
    .insertInto('listBlocks')
    .values({ ...block, source: 'one-click' })
    .execute()
  for (const queueId of [left, stays]) expect(await change(queueId, 'send')).toBe('done')
  await sent(stays)
  await eventually(async () => expect(await row(left)).toMatchObject({ state: 'failed' }))
  expect(smtp.accepted.map(({ to }) => to)).toEqual([['stays@example.com']])
  expect(await eventsOf(account)).toContainEqual(
    expect.objectContaining({
      event: 'messageFailed',
      data: expect.objectContaining({
        queueId: left,
        error: 'The recipient has left the list "news.example"',
      }) as unknown,
    }),
  )
})

test('a message is held until it is released, also beyond its time', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const queueId = await submit({ account, sendAt: later })
  expect(await change(queueId, 'hold')).toBe('done')
  expect(await change(queueId, 'hold')).toBe('done')
  await db
    .updateTable('outbox')
    .set({ sendAt: new Date(0), nextAttemptAt: new Date(0) })
    .where('queueId', '=', queueId)
    .execute()
  // Others of the account go out meanwhile.
  await sent(await submit({ account }))
  expect(await row(queueId)).toMatchObject({ state: 'held', attempts: 0 })
  expect(await change(queueId, 'release')).toBe('done')
  await sent(queueId)
  expect(smtp.accepted).toHaveLength(2)
})

test('a release does not send before the time that was asked for', async () => {
  const queueId = await submit({ account: await addAccount(await server()), sendAt: later })
  await change(queueId, 'hold')
  expect(await change(queueId, 'release')).toBe('done')
  expect(await row(queueId)).toMatchObject({ state: 'queued', nextAttemptAt: later })
  // Not held: as it was.
  expect(await change(queueId, 'release')).toBe('done')
  expect(await row(queueId)).toMatchObject({ state: 'queued', nextAttemptAt: later })
})

test.each(['scheduled', 'held'])('a message that is %s is sent now', async (kind) => {
  const queueId = await submit({ account: await addAccount(await server()), sendAt: later })
  if (kind === 'held') await change(queueId, 'hold')
  expect(await change(queueId, 'send')).toBe('done')
  await sent(queueId)
  expect(await change(queueId, 'send')).toBe('missing')
  expect(await change(queueId, 'hold')).toBe('missing')
})

test('what is being delivered is neither deleted nor held', async () => {
  const queueId = await submit({ account: await addAccount(await server()), sendAt: later })
  const lease = { worker: randomUUID(), leaseUntil: later, attempts: 1 }
  await db.updateTable('outbox').set(lease).where('queueId', '=', queueId).execute()
  expect(await change(queueId, 'delete')).toBe('busy')
  expect(await change(queueId, 'hold')).toBe('busy')
  expect(await change(queueId, 'release')).toBe('done')
  expect(await change(queueId, 'send')).toBe('done')
  expect(await row(queueId)).toMatchObject({ state: 'queued', ...lease })
})

test('what may have been handed over by a sender that died is not deleted before it is known', async () => {
  const past = new Date(Date.now() - 1_000)
  const queueId = await submit({ account: await addAccount(await server()), sendAt: later })
  await db
    .updateTable('outbox')
    .set({ worker: randomUUID(), leaseUntil: past, dataSentAt: past })
    .where('queueId', '=', queueId)
    .execute()
  expect(await change(queueId, 'delete')).toBe('busy')
  await db.updateTable('outbox').set({ dataSentAt: null }).where('queueId', '=', queueId).execute()
  expect(await change(queueId, 'delete')).toBe('done')
})

test('deleted at the same moment as it is taken, a message is either gone or sent', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const ids = await Promise.all(Array.from({ length: 40 }, () => submit({ account })))
  const results = await Promise.all(ids.map((id) => change(id, 'delete')))
  const kept = ids.filter((_, index) => results[index] !== 'done')
  for (const id of kept) await sent(id)
  const accepted = smtp.accepted.map(({ messageId }) => messageId).sort()
  expect(accepted).toEqual(kept.map((id) => `<${id}@example.com>`).sort())
})

/** Whether a due message lies there untouched, ten looks of both senders later. */
async function isLeft(queueId: string): Promise<boolean> {
  return eventually(async () => {
    const { attempts, createdAt } = await row(queueId)
    if (attempts > 0) return { left: false }
    return Date.now() - createdAt.getTime() > 500 && { left: true }
  }).then(({ left }) => left)
}

test('a paused queue starts nothing, finishes what was started, and goes on where it was', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const taken = Promise.withResolvers<void>()
  smtp.behaviour.onMailFrom = () => {
    taken.resolve()
    return undefined
  }
  const first = await submit({ account })
  await taken.promise
  await db.insertInto('pausedQueues').values({ queue: 'submit' }).execute()
  await sent(first)
  const waiting = await eventually(async () => {
    const queueId = await submit({ account })
    return (await isLeft(queueId)) && queueId
  })
  // Made due all the same, it waits for the queue.
  expect(await change(waiting, 'send')).toBe('done')
  const third = await startSender()
  expect(await isLeft(await submit({ account }))).toBe(true)
  expect(await row(waiting)).toMatchObject({ state: 'queued', attempts: 0 })

  await db.deleteFrom('pausedQueues').execute()
  await sent(waiting)
  await third[Symbol.asyncDispose]()
})

import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { eventually, freePort } from '@posthorn/testkit'
import { senderFixture } from './fixture.ts'
import { smtpServers } from './smtp-servers.ts'
import { mailboxWorker } from './mailbox-worker.ts'

const fixture = await senderFixture()
const { db, startSender, addAccount, submit, row, eventsOf } = fixture
const ports = [await freePort(), await freePort()]
const senders = await Promise.all(ports.map((port) => startSender({ SVC_PORT: String(port) })))
const worker = await mailboxWorker(fixture.broker.url)
const { change } = worker
await eventually(() => change('none', 'hold'))
const server = smtpServers()
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  for (const sender of senders) await sender[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
})

const later = new Date(Date.now() + 3_600_000)
const sent = (queueId: string) =>
  eventually(async () => expect(await row(queueId)).toMatchObject({ state: 'sent' }))
const rowCount = async (queueId: string) =>
  (await db.selectFrom('outbox').select('queueId').where('queueId', '=', queueId).execute()).length

test('changeSubmission: delete of a waiting submission, deletes it without events', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const queueId = await submit({ account, sendAt: later })
  expect(await change(queueId, 'delete')).toBe('done')
  expect(await rowCount(queueId)).toBe(0)
  expect(await change(queueId, 'delete')).toBe('missing')
  expect(await eventsOf(account)).toEqual([])
})

test('sender: recipient that has left the list of the account, fails with ELISTLEFT', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const submitTo = async (recipient: string) => {
    const queueId = await submit({ account, to: [recipient], sendAt: later })
    const list = { listId: 'news.example', listRecipient: recipient }
    await db.updateTable('outbox').set(list).where('queueId', '=', queueId).execute()
    return queueId
  }
  const [left, stays] = [await submitTo('left@example.com'), await submitTo('stays@example.com')]
  const block = { listId: 'news.example', source: 'one-click' } as const
  await db
    .insertInto('accountListBlocks')
    .values([
      { ...block, account, recipient: 'left@example.com' },
      { ...block, account: 'another', recipient: 'stays@example.com' },
    ])
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

test('changeSubmission: held submission, is not sent until its release', async () => {
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
  // Other submissions of the account are sent while a submission is held.
  await sent(await submit({ account }))
  expect(await row(queueId)).toMatchObject({ state: 'held', attempts: 0 })
  expect(await change(queueId, 'release')).toBe('done')
  await sent(queueId)
  expect(smtp.accepted).toHaveLength(2)
})

test('changeSubmission: release of a scheduled submission, keeps its time', async () => {
  const queueId = await submit({ account: await addAccount(await server()), sendAt: later })
  await change(queueId, 'hold')
  expect(await change(queueId, 'release')).toBe('done')
  expect(await row(queueId)).toMatchObject({ state: 'queued', nextAttemptAt: later })
  // The release of a submission has no effect without a hold.
  expect(await change(queueId, 'release')).toBe('done')
  expect(await row(queueId)).toMatchObject({ state: 'queued', nextAttemptAt: later })
})

test.each(['scheduled', 'held'])(
  'changeSubmission: send of a %s submission, sends it now',
  async (kind) => {
    const queueId = await submit({ account: await addAccount(await server()), sendAt: later })
    if (kind === 'held') await change(queueId, 'hold')
    expect(await change(queueId, 'send')).toBe('done')
    await sent(queueId)
    expect(await change(queueId, 'send')).toBe('missing')
    expect(await change(queueId, 'hold')).toBe('missing')
  },
)

test('changeOutbox: leased submission, is neither deleted nor held', async () => {
  const queueId = await submit({ account: await addAccount(await server()), sendAt: later })
  const lease = { worker: randomUUID(), leaseUntil: later, attempts: 1 }
  await db.updateTable('outbox').set(lease).where('queueId', '=', queueId).execute()
  expect(await change(queueId, 'delete')).toBe('busy')
  expect(await change(queueId, 'hold')).toBe('busy')
  expect(await change(queueId, 'release')).toBe('done')
  expect(await change(queueId, 'send')).toBe('done')
  expect(await row(queueId)).toMatchObject({ state: 'queued', ...lease })
})

test('changeSubmission: delete after an unknown outcome, is busy', async () => {
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

test('changeSubmission: delete during a claim, either deletes or sends', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const ids = await Promise.all(Array.from({ length: 40 }, () => submit({ account })))
  const results = await Promise.all(ids.map((id) => change(id, 'delete')))
  const remaining = ids.filter((_, index) => results[index] !== 'done')
  for (const id of remaining) await sent(id)
  const accepted = smtp.accepted.map(({ messageId }) => messageId).sort()
  expect(accepted).toEqual(remaining.map((id) => `<${id}@example.com>`).sort())
})

/** Resolves when both senders have read that the queue of submissions is paused. */
const paused = () =>
  eventually(async () => {
    for (const port of ports) {
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
      expect(metrics).toMatch(/^posthorn_outbox_paused\{.*\} 1$/m)
    }
  })

/** True if a due outbox row is still unclaimed after ten polls of both senders. */
async function isUnclaimed(queueId: string): Promise<boolean> {
  return eventually(async () => {
    const { attempts, createdAt } = await row(queueId)
    if (attempts > 0) return { left: false }
    return Date.now() - createdAt.getTime() > 500 && { left: true }
  }).then(({ left }) => left)
}

test('dispatcher: paused queue, starts nothing, finishes attempts and resumes', async () => {
  const smtp = await server()
  const account = await addAccount(smtp)
  const started = Promise.withResolvers<void>()
  smtp.behaviour.onMailFrom = () => {
    started.resolve()
    return undefined
  }
  const first = await submit({ account })
  await started.promise
  await db.insertInto('pausedQueues').values({ queue: 'submit' }).execute()
  await sent(first)
  await paused()
  const waiting = await submit({ account })
  expect(await isUnclaimed(waiting)).toBe(true)
  // The request `send` does not start a submission while the queue is paused.
  expect(await change(waiting, 'send')).toBe('done')
  const third = await startSender()
  expect(await isUnclaimed(await submit({ account }))).toBe(true)
  expect(await row(waiting)).toMatchObject({ state: 'queued', attempts: 0 })

  await db.deleteFrom('pausedQueues').execute()
  await sent(waiting)
  await third[Symbol.asyncDispose]()
})

import { afterAll, expect, test } from '@jest/globals'
import type { Submission } from '@posthorn/client'
import { eventually } from '@posthorn/testkit'
import { startWorld } from '../world.ts'
import { logIn } from './imap-client.ts'

const world = await startWorld({ replicas: { sender: 2 } })
afterAll(() => world[Symbol.asyncDispose]())
const { posthorn } = world
const [jane, john] = await Promise.all([world.connectAccount('jane'), world.connectAccount('john')])

const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()
async function submit(change: Submission = {}) {
  const { queueId = '', messageId = '' } = await posthorn.submitMessage({
    account: 'jane',
    body: { to: [{ address: john.address }], subject: 'x', text: 'y', ...change },
  })
  return { queueId, messageId }
}
const entry = (queueId: string) => posthorn.getOutboxEntry({ queueId })
const listed = async () => (await posthorn.listOutbox()).messages.map(({ queueId }) => queueId)
const untilSentEvent = (queueId: string) =>
  world.webhook(({ event, data }) => event === 'messageSent' && data.queueId === queueId)
const sent = (queueId: string) =>
  eventually(async () => expect(await entry(queueId)).toMatchObject({ state: 'sent' }))

test('outbox: a scheduled message is held, released and sent immediately', async () => {
  const { queueId, messageId } = await submit({ sendAt: tomorrow() })
  expect(await entry(queueId)).toMatchObject({
    account: 'jane',
    messageId,
    attemptsMade: 0,
    progress: { status: 'queued' },
  })
  expect(await listed()).toContain(queueId)
  expect(await posthorn.holdOutboxEntry({ queueId })).toEqual({ held: true })
  expect(await entry(queueId)).toMatchObject({ state: 'held', nextAttempt: false })
  expect(await posthorn.releaseOutboxEntry({ queueId })).toEqual({ released: true })
  expect(await entry(queueId)).toMatchObject({ state: 'queued' })
  expect(await posthorn.sendOutboxEntry({ queueId })).toEqual({ due: true })
  expect((await untilSentEvent(queueId)).data).toMatchObject({ messageId })
  expect(await listed()).not.toContain(queueId)
  expect(await entry(queueId)).toMatchObject({ progress: { status: 'submitted' } })
})

test('outbox: a deleted message is neither sent nor reported', async () => {
  const { queueId } = await submit({ sendAt: tomorrow() })
  const remove = () => posthorn.deleteOutboxEntry({ queueId })
  expect(await remove()).toMatchObject({ deleted: true })
  await expect(remove()).rejects.toMatchObject({ status: 404 })
  await expect(entry(queueId)).rejects.toMatchObject({ status: 404 })
  expect(world.webhooks().filter(({ data }) => data.queueId === queueId)).toEqual([])
})

test('outbox: a paused queue keeps submissions until it resumes', async () => {
  const queue = 'submit'
  const set = (paused: boolean) => posthorn.updateQueue({ queue, body: { paused } })
  expect(await set(true)).toMatchObject({ queue, paused: true })
  try {
    // Both replicas of sender see the pause of the queue within seconds.
    await eventually(async () => {
      for (const name of ['sender', 'sender-2']) {
        const metrics = await (await fetch(`${world.services.urls[name]}/metrics`)).text()
        expect(metrics).toMatch(/^posthorn_outbox_paused\{.*\} 1$/m)
      }
    })
    const { queueId: waiting } = await submit()
    expect(await posthorn.getQueue({ queue })).toMatchObject({
      paused: true,
      jobs: { paused: 1, waiting: 0, active: 0 },
    })
    expect(await entry(waiting)).toMatchObject({ state: 'queued', attemptsMade: 0 })
    await set(false)
    await sent(waiting)
    expect(await posthorn.getQueue({ queue })).toMatchObject({ paused: false })
  } finally {
    await set(false)
  }
})

test('filing: the copy is in Sent, seen and announced, the answered message is marked', async () => {
  const greeting = await submit({ to: [{ address: jane.address }], subject: 'Are you there?' })
  const arrived = await world.webhook(
    ({ event, account, path, data }) =>
      event === 'messageNew' &&
      account === 'jane' &&
      path === 'INBOX' &&
      data.messageId === greeting.messageId,
  )
  const reference = { message: arrived.data.id, action: 'reply' } as const
  const { messageId } = await submit({ reference, subject: 'Yes', text: 'I am' })
  const copy = await world.webhook(
    ({ event, account, path, data }) =>
      event === 'messageNew' &&
      account === 'jane' &&
      path === 'Sent' &&
      data.messageId === messageId,
  )
  expect(copy).toMatchObject({ specialUse: '\\Sent', data: { seemsLikeNew: false } })
  await using own = { imap: await logIn(jane), [Symbol.asyncDispose]: () => own.imap.logout() }
  const flagsOf = async (path: string, id: string) => {
    const lock = await own.imap.getMailboxLock(path)
    try {
      const uids = await own.imap.search({ header: { 'message-id': id } }, { uid: true })
      return await own.imap.fetchAll(uids || [], { flags: true }, { uid: true })
    } finally {
      lock.release()
    }
  }
  const copies = await flagsOf('Sent', messageId)
  expect(copies.map(({ flags }) => [...(flags ?? [])])).toEqual([
    expect.arrayContaining(['\\Seen']),
  ])
  await eventually(async () => {
    const [answered] = await flagsOf('INBOX', greeting.messageId)
    expect([...(answered?.flags ?? [])]).toContain('\\Answered')
  })
})

import { afterAll, afterEach, expect, test } from '@jest/globals'
import { listMailboxes } from '@posthorn/contracts/commands/mailboxes'
import { listMessages } from '@posthorn/contracts/commands/messages'
import { eventually } from '@posthorn/testkit'
import { DeliveryGate } from '@posthorn/testkit/providers'
import type { GmailMailbox } from '@posthorn/testkit/providers/gmail'
import { mime } from './api-world.ts'
import { gmailWorld } from './gmail-world.ts'

const world = await gmailWorld()
const { gmail } = world
afterEach(() => world.reset())
afterAll(() => world.close())

/** Gmail permits 10,000 labels, including system labels. */
const maxLabels = 10_000

test('10,000 labels: each is announced, and events of messages have their names', async () => {
  await world.startGmailWorker({ apiPollMs: 200 })
  const { account, mailbox } = await world.register()
  await world.connected(account)
  await world.expectEvents(account, ['accountInitialized'], 1)
  const before = (await world.events(account, 'mailboxNew')).length

  const count = maxLabels - mailbox.labels.size
  for (let at = 0; at < count; at++) {
    const id = `Label_${at}`
    mailbox.labels.set(id, { id, name: `Projects/Täglich ${at}`, type: 'user' })
  }
  const { id } = mailbox.deliver(mime('m'), { labels: ['INBOX', `Label_${count - 1}`] })
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(event?.data).toMatchObject({ id, labels: [`Projects/Täglich ${count - 1}`, '\\Inbox'] })
  const created = await world.expectEvents(account, ['mailboxNew'], before + count)
  expect(new Set(created.map(({ path }) => path)).size).toBe(before + count)
  const { mailboxes } = await world.ask(listMailboxes, account, { counters: false })
  expect(mailboxes.length).toBeGreaterThan(count)
})

const page = { page: 0, pageSize: 20 }

/** Account whose labels have to be read again, because another client deleted a label. */
async function outdatedAccount(prepare: (mailbox: GmailMailbox) => void) {
  await world.startGmailWorker({ apiPollMs: 600_000 })
  const { account, mailbox } = await world.register((each) => {
    each.setLabel({ id: 'gone', name: 'Gone', type: 'user' })
    prepare(each)
  })
  await world.connected(account)
  mailbox.deleteLabel('gone')
  await expect(world.ask(listMessages, account, { path: 'Gone', ...page })).rejects.toMatchObject({
    code: 'FolderNotFound',
  })
  return { account, mailbox }
}

test('listMessages: labels, list and number are requested at the same time', async () => {
  const { account } = await outdatedAccount((mailbox) => mailbox.deliver(mime('m')))
  const gate = new DeliveryGate()
  const started = gmail.fake.log.length
  const release = gmail.on('*', () => ({ kind: 'hold', gate }))
  const listed = world.ask(listMessages, account, { path: 'INBOX', ...page })
  const requested = () =>
    gmail.fake.log.slice(started).map(({ operation }) => operation.replace('gmail.users.', ''))
  await eventually(() =>
    expect(requested().sort()).toEqual(['labels.get', 'labels.list', 'messages.list']),
  )
  release()
  gate.open()
  expect(await listed).toMatchObject({ total: 1, messages: [{ subject: 'm' }] })
  expect(requested().slice(3)).toEqual(['batch', 'messages.get'])
})

test('listMessages: names that moved to other labels, list those that have them now', async () => {
  const { account, mailbox } = await outdatedAccount((each) => {
    for (const id of ['one', 'two']) each.setLabel({ id, name: `Name ${id}`, type: 'user' })
    for (const id of ['one', 'two']) each.deliver(mime(`in ${id}`), { labels: [id] })
  })
  mailbox.setLabel({ id: 'one', name: 'Former', type: 'user' })
  mailbox.setLabel({ id: 'two', name: 'Name one', type: 'user' })
  const list = (path: string) => world.ask(listMessages, account, { path, ...page })
  expect((await list('Name one')).messages).toMatchObject([{ subject: 'in two' }])
  expect((await list('Former')).messages).toMatchObject([{ subject: 'in one' }])
  await expect(list('Name two')).rejects.toMatchObject({ code: 'FolderNotFound' })
})

test('listMessages: a label that was deleted since the last pass, is not found', async () => {
  const { account, mailbox } = await outdatedAccount((each) =>
    each.setLabel({ id: 'one', name: 'Work', type: 'user' }),
  )
  mailbox.deleteLabel('one')
  await expect(world.ask(listMessages, account, { path: 'Work', ...page })).rejects.toMatchObject({
    code: 'FolderNotFound',
  })
})

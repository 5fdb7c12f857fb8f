import { afterAll, expect, test } from '@jest/globals'
import { listMailboxes } from '@posthorn/contracts/commands/mailboxes'
import { VirtualClock } from '@posthorn/testkit/providers'
import { startGmailFake } from '@posthorn/testkit/providers/gmail'
import { mime } from './api-world.ts'
import { testWorld } from './world.ts'

const world = await testWorld()
const gmail = await startGmailFake({ clock: new VirtualClock(new Date()) })
afterAll(async () => {
  await world.close()
  await gmail[Symbol.asyncDispose]()
})

/** Gmail permits 10,000 labels, those of the system included. */
const maxLabels = 10_000

test('10,000 labels: each is announced, and events of messages have their names', async () => {
  const providerOrigins = { 'https://gmail.googleapis.com': gmail.origin }
  await world.startWorker({ providerOrigins, oauthEgressPolicy: 'off', apiPollMs: 200 })
  const mailbox = gmail.addMailbox('jane@mail.example')
  const { address: user } = mailbox
  const account = await world.registerApi('gmail', { user, accessToken: gmail.grant(user) })
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

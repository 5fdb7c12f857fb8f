import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { providerFaults } from '@posthorn/testkit/providers'
import { auditedGmail } from '../audit/audited-mailbox.ts'
import { registerApiAccount, untilSynced } from '../audit/connect-account.ts'
import { MailboxAudit } from '../audit/mailbox-audit.ts'
import { createApiApps, startProviderFakes } from '../provider-fakes.ts'
import { startWorld } from '../world.ts'

// Message lists of Gmail that are empty or short once, after the history expired: no existing
// message or label is reported as deleted.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const fakes = stack.use(await startProviderFakes({ mailboxes: [] }))
const { gmail } = fakes
const world = stack.use(
  await startWorld({
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'webhook-dispatcher'],
    env: fakes.env,
  }),
)
const apps = await createApiApps(world)
const monthMs = 30 * 86_400_000

let serial = 0
function source(): string {
  const id = (serial += 1)
  return `From: a@b.example\r\nSubject: ${id}\r\nMessage-ID: <${id}@b.example>\r\n\r\nx`
}

/** Connects a Gmail account with old messages in its inbox. */
async function connect(account: string, messages: number) {
  const mailbox = gmail.addMailbox(`${account}@workspace.example`)
  const internalDate = Date.now() - monthMs
  for (let at = 0; at < messages; at++) mailbox.deliver(source(), { internalDate })
  await registerApiAccount(world, { account, app: apps.gmail, address: mailbox.address })
  await untilSynced(world, account)
  const events = (name: string) =>
    world.webhooks().filter((hook) => hook.account === account && hook.event === name)
  /** Delivers a message and waits until it is announced. */
  const deliver = async () => {
    const { id } = mailbox.deliver(source(), { internalDate: Date.now() + 1_000 })
    const isAnnounced = () => events('messageNew').some(({ data }) => data['id'] === id)
    await eventually(() => expect(isAnnounced()).toBe(true))
  }
  const audit = await MailboxAudit.begin(world, account, auditedGmail(mailbox))
  return { mailbox, events, deliver, audit }
}

const { replies, times } = providerFaults
const emptyList = replies({ body: { resultSizeEstimate: 0 } })

test.each([
  ['one', 1],
  ['many', 12],
])('an expired history and %s empty lists: no existing message is deleted', async (name, count) => {
  const { mailbox, events, deliver, audit } = await connect(name, 20)
  mailbox.expireHistory()
  stack.defer(gmail.on('messages.list', times(count, emptyList)))
  await world.posthorn.syncAccount({ account: name, body: { sync: true } })
  // A full round (listing of all messages) after a minute finds messages that the empty lists hid.
  await deliver()
  const [deleted] = mailbox.list
  if (!deleted) throw new Error('no message')
  mailbox.remove(deleted)
  mailbox.expireHistory()
  // The full round (listing of all messages) reports the deleted message, and no other message.
  await eventually(() => expect(events('messageDeleted')).toHaveLength(1))
  await deliver()
  expect(events('messageDeleted').map(({ data }) => data['id'])).toEqual([deleted.id])
  await audit.compareIndex()
})

test('more messages than are requested: nothing is deleted while lists are empty', async () => {
  const { mailbox, events, deliver, audit } = await connect('large', 700)
  mailbox.expireHistory()
  const end = gmail.on('messages.list', emptyList)
  const ended = () => gmail.requests('messages.list').length
  const before = ended()
  await eventually(() => expect(ended()).toBeGreaterThan(before + 5))
  end()
  await deliver()
  expect(events('messageDeleted')).toEqual([])
  await audit.compareIndex()
})

test('lists of labels without INBOX: no label is deleted', async () => {
  const { events, deliver } = await connect('labels', 3)
  const before = events('mailboxNew').length
  gmail.on('labels.list', times(2, replies({ body: {} })))
  await world.posthorn.syncAccount({ account: 'labels', body: { sync: true } })
  await deliver()
  expect(events('mailboxDeleted')).toEqual([])
  expect(events('mailboxNew')).toHaveLength(before)
})

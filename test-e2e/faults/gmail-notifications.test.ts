import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { gmailFailures, type GmailMailbox } from '@posthorn/testkit/providers/gmail'
import { auditedGmail } from '../audit/audited-mailbox.ts'
import { registerApiAccount, untilSynced } from '../audit/connect-account.ts'
import { MailboxAudit } from '../audit/mailbox-audit.ts'
import { createApiApps, createPubSubApp, startProviderFakes } from '../provider-fakes.ts'
import { freshMessageId, plainMessage, startWorld } from '../world.ts'

// Faults of Gmail's notifications and of Pub/Sub. After each fault, the events that a webhook
// receiver got and the stored index are compared with the mailbox.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const { gmail, env } = stack.use(await startProviderFakes({ mailboxes: [] }))
const world = stack.use(
  await startWorld({
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'webhook-dispatcher'],
    env: { ...env, SVC_API_POLL_INTERVAL_WITH_PUSH: '2s' },
  }),
)
const pubSub = await createPubSubApp(world)
const { gmail: app } = await createApiApps(world, { pubSubApp: pubSub.id })
const untilSubscribed = () =>
  eventually(() => expect(gmail.pubsub.subscriptions.has(pubSub.subscription)).toBe(true))
await untilSubscribed()

const source = () => plainMessage({ messageId: freshMessageId() })
const watchOf = ({ address }: GmailMailbox) => gmail.notifications.find(address, 'project-1')

/** Registers a Gmail account, and compares its mailbox with its events from then on. */
async function connect(name: string, prepare: (mailbox: GmailMailbox) => void = () => undefined) {
  const mailbox = gmail.addMailbox(`${name}@workspace.example`)
  prepare(mailbox)
  for (let at = 0; at < 20; at++)
    mailbox.deliver(source(), { internalDate: Date.now() - 30 * 86_400_000 })
  await registerApiAccount(world, { account: name, app, address: mailbox.address })
  await untilSynced(world, name)
  await eventually(() => expect(watchOf(mailbox)).toBeDefined())
  return { mailbox, audit: await MailboxAudit.begin(world, name, auditedGmail(mailbox)) }
}

/** Adds, changes and deletes messages of a mailbox. */
function change(mailbox: GmailMailbox): void {
  const [starred, read, removed] = mailbox.list
  if (!starred || !read || !removed) throw new Error('no messages')
  mailbox.changeLabels(starred, ['STARRED'], [])
  mailbox.changeLabels(read, [], ['UNREAD'])
  mailbox.remove(removed)
  for (let at = 0; at < 3; at++) mailbox.deliver(source())
}

const main = await connect('main')

test.each(['lost', 'duplicated', 'reordered', 'ahead of the data'])(
  'notifications that are %s: each change is announced once',
  async (fault) => {
    const { mailbox, audit } = main
    await audit.restart()
    const { faults } = gmail.notifications
    if (fault === 'lost') faults.lost = 1_000
    if (fault === 'duplicated') faults.duplicated = true
    if (fault === 'reordered') faults.reordered = true
    if (fault === 'ahead of the data') faults.ahead = 2
    change(mailbox)
    change(mailbox)
    gmail.notifications.release()
    await audit.settle()
    Object.assign(faults, { lost: 0, duplicated: false, reordered: false, ahead: 0 })
    await audit.compareIndex()
  },
  600_000,
)

test('topic and subscription are deleted: each change is announced once', async () => {
  const { mailbox, audit } = main
  await audit.restart()
  change(mailbox)
  gmail.pubsub.deleteTopic(pubSub.topic)
  gmail.pubsub.deleteSubscription(pubSub.subscription)
  change(mailbox)
  await untilSubscribed()
  expect(gmail.pubsub.permitsGmail(pubSub.topic)).toBe(true)
  change(mailbox)
  await audit.settle()
  await audit.compareIndex()
}, 600_000)

test('Pub/Sub refuses pulls and acknowledgements: each change is announced once', async () => {
  const { mailbox, audit } = main
  await audit.restart()
  const response = gmailFailures.tooManyRequests()
  let left = 4
  const remove = gmail.on('*', ({ operation }) =>
    /:?(pull|acknowledge)$/.test(operation) && left-- > 0
      ? { kind: 'reply', response, unchecked: true }
      : undefined,
  )
  change(mailbox)
  gmail.clock.advance(90_000)
  await eventually(() => {
    gmail.clock.advance(1_000)
    expect(left).toBeLessThanOrEqual(0)
  })
  remove()
  change(mailbox)
  await audit.settle()
  await audit.compareIndex()
}, 600_000)

test('a dead watch: a poll finds the changes, and the watch is replaced', async () => {
  // The watch of the mailbox sends nothing before sync-worker renews the watch: a notification
  // after a change would prove that the watch works.
  const { mailbox, audit } = await connect('dead', (each) => {
    const expiresAt = gmail.clock.now + 86_400_000
    gmail.notifications.start(each, { topic: pubSub.topic, expiresAt, isSilent: true })
  })
  const stops = gmail.requests('stop').length
  // sync-worker may read the first messages before it has stored the new watch of the mailbox.
  while (watchOf(mailbox)?.isSilent !== false) {
    const { id } = mailbox.deliver(source(), { internalDate: Date.now() - 600_000 })
    await world.webhook(({ event, data }) => event === 'messageNew' && data.id === id)
  }
  expect(gmail.requests('stop').length - stops).toBe(1)
  change(mailbox)
  await audit.settle()
  await audit.compareIndex()
}, 600_000)

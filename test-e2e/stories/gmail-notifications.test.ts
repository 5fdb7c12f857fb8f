import { afterAll, expect, test } from '@jest/globals'
import { gmailPushUrl } from '@posthorn/contracts/notification-urls'
import { eventually } from '@posthorn/testkit'
import { registerApiAccount, untilSynced } from '../audit/connect-account.ts'
import { createApiApps, createPubSubApp, startProviderFakes } from '../provider-fakes.ts'
import { freshMessageId, plainMessage, startWorld } from '../world.ts'

// Notifications of Gmail through the whole system, by both ways of Pub/Sub. Polls are rare, so that
// only notifications announce messages.

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const { gmail, env } = stack.use(await startProviderFakes({ mailboxes: [] }))
const baseUrl = 'https://notify.example'
const world = stack.use(
  await startWorld({
    names: ['api-gateway', 'auth-bridge', 'sync-worker', 'webhook-dispatcher'],
    env: { ...env, SVC_API_POLL_INTERVAL: '10m', SVC_API_POLL_INTERVAL_WITH_PUSH: '10m' },
    settings: { notificationBaseUrl: baseUrl },
  }),
)
gmail.pubsub.pushes.addressOf = (endpoint) => world.url + new URL(endpoint).pathname
const pubSub = await createPubSubApp(world)
const { gmail: app } = await createApiApps(world, { pubSubApp: pubSub.id })
const mailbox = gmail.addMailbox('jane@workspace.example')
await registerApiAccount(world, { account: 'jane', app, address: mailbox.address })
await untilSynced(world, 'jane')
const subscription = await eventually(() => {
  expect(gmail.notifications.find(mailbox.address, 'project-1')?.topic).toBe(pubSub.topic)
  const created = gmail.pubsub.subscriptions.get(pubSub.subscription)
  if (!created) throw new Error('no subscription')
  return created
})

/**
 * Waits until a check succeeds while the virtual clock advances: Pub/Sub repeats failed
 * notifications after a deadline.
 */
const whileTimePasses = <T>(check: () => T) =>
  eventually(
    () => {
      gmail.clock.advance(1_000)
      return check()
    },
    { timeoutMs: 150_000 },
  )

/** Delivers a message and waits until it is announced. */
async function expectAnnounced(): Promise<void> {
  const { id } = mailbox.deliver(plainMessage({ messageId: freshMessageId() }))
  const { account, path } = await whileTimePasses(
    () =>
      world.webhooks().find(({ event, data }) => event === 'messageNew' && data.id === id) ?? false,
  )
  expect({ account, path }).toEqual({ account: 'jane', path: '\\All' })
}

test('notifications that the worker pulls announce messages', async () => {
  await expectAnnounced()
  await expectAnnounced()
  await whileTimePasses(() => {
    expect(subscription.acknowledged.length).toBeGreaterThan(0)
    expect([subscription.waiting.length, subscription.outstanding.size]).toEqual([0, 0])
  })
  expect(gmail.pubsub.pushes.sent).toEqual([])
  const { apps } = await world.posthorn.getPubSubStatus()
  expect(apps.map(({ id }) => id)).toContain(pubSub.id)
})

test('signed notifications that api-gateway receives announce messages', async () => {
  subscription.resource.pushConfig = {
    pushEndpoint: gmailPushUrl(baseUrl),
    oidcToken: { serviceAccountEmail: pubSub.signer },
  }
  const { length: pulled } = subscription.acknowledged
  const { sent } = gmail.pubsub.pushes
  await expectAnnounced()
  await expectAnnounced()
  await whileTimePasses(() => {
    const pushed = new Set(sent.map(({ messageId }) => messageId))
    expect(pushed.size).toBeGreaterThanOrEqual(2)
    expect(subscription.acknowledged.length - pulled).toBe(pushed.size)
  })
  expect(new Set(sent.map(({ endpoint }) => endpoint))).toEqual(new Set([gmailPushUrl(baseUrl)]))
})

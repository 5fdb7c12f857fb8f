import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { gmailPushUrl } from '@posthorn/contracts/notification-urls'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually } from '@posthorn/testkit'
import { startGmailFake } from '@posthorn/testkit/providers/gmail'
import { testServers } from './gateway.ts'
import { receiveNotifications } from './notification-receiver.ts'

// Pushes of a fake Pub/Sub reach the notification route of api-gateway, which verifies the pushes
// with the published keys.

const baseUrl = 'https://notify.example'
const signer = 'push@project.iam.gserviceaccount.com'
const topic = 'projects/p/topics/t'
const user = 'ann@mail.example'
const source = 'To: ann@mail.example\r\nSubject: x\r\n\r\nhello\r\n'

const servers = await testServers()
const gmail = await startGmailFake()
const mailbox = gmail.addMailbox(user)
gmail.pubsub.addTopic(topic)
const pushConfig = {
  pushEndpoint: gmailPushUrl(baseUrl),
  oidcToken: { serviceAccountEmail: signer },
}
const name = 'projects/p/subscriptions/s'
const subscription = gmail.pubsub.addSubscription({
  name,
  topic,
  ackDeadlineSeconds: 10,
  pushConfig,
})
await servers.db
  .insertInto('settings')
  .values({ key: 'notificationBaseUrl', value: JSON.stringify(baseUrl) })
  .execute()
for (const [id, config] of [
  ['pubsub', { baseScopes: 'pubsub', serviceClientEmail: signer }],
  ['gmail', { baseScopes: 'api', pubSubApp: 'pubsub' }],
] as const)
  await servers.db
    .insertInto('oauth2Apps')
    .values({ id, provider: 'gmail', name: id, enabled: true, config: JSON.stringify(config) })
    .execute()
await servers.db
  .insertInto('accounts')
  .values({
    account: 'ann',
    shard: shardOf('ann'),
    name: 'Ann',
    backend: 'gmail',
    oauth2: JSON.stringify({ provider: 'gmail', auth: { user } }),
  })
  .execute()
const gateway = await servers.start({
  SVC_PROVIDER_ORIGINS: `https://www.googleapis.com=${gmail.origin}`,
})
gmail.pubsub.pushes.addressOf = (endpoint) => gateway.url + new URL(endpoint).pathname
const worker = await receiveNotifications(servers, { gateway })
const { received } = worker
afterAll(async () => {
  await gmail[Symbol.asyncDispose]()
  await worker[Symbol.asyncDispose]()
  await servers.stop()
})
beforeEach(async () => {
  Object.assign(gmail.notifications.faults, { lost: 0, duplicated: false, reordered: false })
  subscription.resource.pushConfig = pushConfig
  subscription.acknowledged.length = 0
  await worker.clear()
})

/**
 * Waits until the fake Pub/Sub has got acknowledgements of all pushes and the notifications have
 * reached the worker.
 */
async function expectNotifications(pushes: number): Promise<void> {
  await eventually(() => {
    // Pushes of Pub/Sub are refused until the gateway has loaded the OAuth2 applications. Pub/Sub
    // repeats refused pushes.
    gmail.clock.advance(10_000)
    expect(subscription.acknowledged).toHaveLength(pushes)
    expect(received.length).toBeGreaterThan(0)
  })
  expect(new Set(received.map((notification) => JSON.stringify(notification)))).toEqual(
    new Set([JSON.stringify({ account: 'ann', kind: 'changed' })]),
  )
}

const watch = () => gmail.notifications.start(mailbox, { topic, expiresAt: gmail.clock.now + 1e12 })

test('POST /oauth/gmail/push: a signed push of a watched mailbox notifies its account', async () => {
  watch()
  await expectNotifications(1)
})

test('POST /oauth/gmail/push: without the wrapper of Pub/Sub, notifies the account', async () => {
  subscription.resource.pushConfig = { ...pushConfig, noWrapper: { writeMetadata: true } }
  mailbox.deliver(source)
  await expectNotifications(1)
})

test('POST /oauth/gmail/push: duplicated and reordered pushes are acknowledged', async () => {
  gmail.notifications.faults.duplicated = true
  mailbox.deliver(source)
  await expectNotifications(2)
  Object.assign(gmail.notifications.faults, { duplicated: false, reordered: true })
  for (const _ of [1, 2, 3]) mailbox.deliver(source)
  gmail.notifications.release()
  await expectNotifications(5)
})

test('POST /oauth/gmail/push: stale and unknown ones are acknowledged', async () => {
  gmail.pubsub.publish(topic, JSON.stringify({ emailAddress: user, historyId: 1 }))
  gmail.pubsub.publish(topic, JSON.stringify({ emailAddress: 'eve@mail.example', historyId: 1 }))
  gmail.pubsub.publish(topic, 'no JSON')
  await expectNotifications(3)
})

test('POST /oauth/gmail/push: notifies the account that reads a mailbox of another user', async () => {
  const auth = { user: 'carl@mail.example', delegatedUser: 'Shared@mail.example' }
  await servers.db
    .insertInto('accounts')
    .values({
      account: 'shared',
      shard: shardOf('shared'),
      name: 'Shared',
      backend: 'gmail',
      oauth2: JSON.stringify({ provider: 'gmail', auth }),
    })
    .execute()
  for (const emailAddress of ['carl@mail.example', 'shared@mail.example'])
    gmail.pubsub.publish(topic, JSON.stringify({ emailAddress, historyId: 1 }))
  await eventually(() => {
    gmail.clock.advance(10_000)
    expect(subscription.acknowledged).toHaveLength(2)
    expect(received).toEqual([{ account: 'shared', kind: 'changed' }])
  })
})

test('POST /oauth/gmail/push: another signer is refused until Pub/Sub is configured again', async () => {
  const { sent } = gmail.pubsub.pushes
  const before = sent.length
  const oidcToken = { serviceAccountEmail: 'evil@project.iam.gserviceaccount.com' }
  subscription.resource.pushConfig = { ...pushConfig, oidcToken }
  mailbox.deliver(source)
  await eventually(() => {
    // If a Pub/Sub push failed for a reason other than the refusal under test, Pub/Sub repeats the
    // push.
    gmail.clock.advance(10_000)
    expect(sent.slice(before)).toContainEqual(expect.objectContaining({ status: 403 }))
  })
  expect([subscription.acknowledged, received]).toEqual([[], []])
  subscription.resource.pushConfig = pushConfig
  await expectNotifications(1)
})

test('POST /oauth/gmail/push: the signer of a new application is accepted without delay', async () => {
  const serviceClientEmail = 'new@project.iam.gserviceaccount.com'
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { status } = await gateway.call('POST', '/v1/oauth2', {
    body: {
      name: 'new',
      enabled: true,
      provider: 'gmailService',
      baseScopes: 'pubsub',
      googleProjectId: 'project-1',
      serviceClient: '1234',
      serviceClientEmail,
      serviceKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    },
  })
  expect(status).toBe(200)
  subscription.resource.pushConfig = {
    ...pushConfig,
    oidcToken: { serviceAccountEmail: serviceClientEmail },
  }
  gmail.pubsub.publish(topic, JSON.stringify({ emailAddress: user, historyId: 1 }))
  // Without an invalidation, the gateway reads the OAuth2 applications every 60 s.
  const withinInterval = { timeoutMs: 45_000 }
  await eventually(() => {
    gmail.clock.advance(10_000)
    expect(subscription.acknowledged).toHaveLength(1)
  }, withinInterval)
})

import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { type Bus, connectBus, on } from '@posthorn/bus'
import { changesNoticed } from '@posthorn/contracts/commands/notifications'
import { getPubSubToken } from '@posthorn/contracts/commands/oauth2'
import { shardCount, shardOf } from '@posthorn/contracts/shards'
import { connect } from '@posthorn/db'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { createProviderHttp } from '@posthorn/net/provider-http'
import { AppError } from '@posthorn/errors'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, testBus, testDatabase } from '@posthorn/testkit'
import { providerFaults, VirtualClock } from '@posthorn/testkit/providers'
import { gmailPublisher, publisherRole, startGmailFake } from '@posthorn/testkit/providers/gmail'
import { PubSubSubscriptions } from '../src/pubsub/pubsub-subscriptions.ts'
import { startPubSub } from '../src/pubsub/start-pubsub.ts'
import { findNotifiedAccounts } from '../src/store/pubsub.ts'
import { createDestinations } from '../src/watches/destinations.ts'

const origin = 'https://pubsub.googleapis.com'
const gmail = await startGmailFake({ clock: new VirtualClock(new Date()) })
const { pubsub } = gmail
const accessToken = gmail.grant('robot@project-1.example', [
  'https://www.googleapis.com/auth/pubsub',
])
const origins = { [origin]: gmail.origin }

const database = await testDatabase()
const broker = await testBus({ reuse: true })
await broker.grantServices()
const log = createLogger('test', 'silent')
const openBus = async (name: 'auth-bridge' | 'sync-worker') => {
  const metrics = createMetrics('test')
  const bus = await connectBus({ url: broker.serviceUrl(name), name, log, metrics })
  await bus.whenUp()
  return bus
}
const tokensOf = new Set<string>()
let tokenRequests = 0
const [bridge, worker] = [await openBus('auth-bridge'), await openBus('sync-worker')]
await bridge.serve({
  queue: 'credentials',
  handlers: [
    on(getPubSubToken, async ({ app }) => {
      tokensOf.add(app)
      tokenRequests += 1
      return { accessToken }
    }),
  ],
})
const notified: string[] = []
await worker.serve({
  queue: 'private',
  keys: Array.from({ length: shardCount }, (_, shard) => `shard.${shard}`),
  handlers: [
    on(changesNoticed, async ({ notices: notifications }) => {
      notified.push(...notifications.map(({ account }) => account))
      return {}
    }),
  ],
})
const db = connect(database.roleUrl('posthorn_sync_worker'), { name: 'test' })
const caller = createHttpCaller({
  policy: 'off',
  origins,
  // The HTTP timeout is longer than a pull from Pub/Sub, which takes 90 s.
  timeoutMs: 120_000,
  maxResponseBytes: 1_000_000,
})
let ttl: number | undefined
let now = Date.now()
const settings = { get: async () => (ttl === undefined ? {} : { gmailSubscriptionTtl: ttl }) }
let failingNotifications = 0
const bus: Pick<Bus, 'request' | 'notify' | 'whenUp'> = {
  request: (...parts) => worker.request(...parts),
  whenUp: (signal) => worker.whenUp(signal),
  async notify(...parts) {
    if (failingNotifications-- > 0) throw new AppError('unavailable', 'RabbitMQ is not connected')
    await worker.notify(...parts)
  },
}
const subscriptions = new PubSubSubscriptions({
  db,
  bus,
  settings,
  http: createProviderHttp({ caller, origins: [origin], mappedOrigins: origins }),
  log,
  now: () => now,
})
afterAll(async () => {
  await subscriptions[Symbol.asyncDispose]()
  for (const bus of [bridge, worker]) await bus[Symbol.asyncDispose]()
  caller[Symbol.dispose]()
  await gmail[Symbol.asyncDispose]()
  await db.destroy()
  await Promise.all([database.drop(), broker.drop()])
})

const insertApp = (id: string, provider: 'gmail' | 'gmailService', config: object) =>
  database.db
    .insertInto('oauth2Apps')
    .values({ id, provider, name: id, enabled: true, config: JSON.stringify(config) })
    .execute()
await insertApp('P', 'gmailService', { baseScopes: 'pubsub', googleProjectId: 'project-1' })
await insertApp('linked', 'gmail', { baseScopes: 'api', pubSubApp: 'P' })
await insertApp('other', 'gmail', { baseScopes: 'api' })
await insertApp('robot', 'gmailService', { baseScopes: 'api', googleProjectId: 'project-1' })
await insertApp('misled', 'gmail', { baseScopes: 'api', pubSubApp: 'robot' })
for (const [account, provider, user] of [
  ['ann', 'linked', 'Ann@mail.example'],
  ['bob', 'linked', 'bob@mail.example'],
  ['elsewhere', 'other', 'ann@mail.example'],
] as const)
  await database.db
    .insertInto('accounts')
    .values({
      account,
      shard: shardOf(account),
      name: account,
      backend: 'gmail',
      oauth2: JSON.stringify({ provider, auth: { user } }),
    })
    .execute()

const topic = 'projects/project-1/topics/posthorn-P'
const subscription = 'projects/project-1/subscriptions/posthorn-P'
const addSubscription = (more: object = {}) =>
  pubsub.addSubscription({
    name: subscription,
    topic,
    expirationPolicy: {},
    ackDeadlineSeconds: 60,
    ...more,
  })
const mail = (emailAddress: unknown) =>
  pubsub.publish(topic, JSON.stringify({ emailAddress, historyId: 9876543210 }))
const state = () =>
  database.db
    .selectFrom('pubsubStates')
    .select(['state', 'lastError'])
    .where('app', '=', 'P')
    .executeTakeFirst()
const leaseOf = (shard: number) => ({ shard, owner: 'test', epoch: '1' })
const run = async () => {
  await subscriptions.claimed([leaseOf(shardOf('P'))])
  await subscriptions.reconcile()
}
const stop = () => subscriptions.released([shardOf('P')])
beforeEach(async () => {
  await stop()
  // Closing the fake of Gmail ends pulls from Pub/Sub in flight, which would take messages of the
  // next test.
  await gmail.fake.close()
  await gmail.fake.open()
  pubsub.topics.clear()
  pubsub.subscriptions.clear()
  tokensOf.clear()
  ttl = undefined
  failingNotifications = 0
  notified.length = 0
})

/**
 * Runs the Pub/Sub subscriber. Waits until topic and subscription exist, all accounts were
 * notified, and a pull is open.
 */
async function runUntilReady(): Promise<void> {
  await run()
  await eventually(() => expect(notified.sort()).toEqual(['ann', 'bob']))
  await eventually(() => expect(pubsub.subscriptions.get(subscription)?.openPulls).toBe(1))
  notified.length = 0
}

test('PubSubSubscriptions: creates topic, permission and subscription, and polls all accounts', async () => {
  await run()
  await eventually(async () => expect((await state())?.state).toBe('active'))
  expect(pubsub.topics.get(topic)).toMatchObject({
    bindings: [{ role: publisherRole, members: [gmailPublisher] }],
  })
  const created = { topic, expirationPolicy: {}, ackDeadlineSeconds: 60 }
  expect(pubsub.subscriptions.get(subscription)?.resource).toMatchObject(created)
  await eventually(() => expect(notified.sort()).toEqual(['ann', 'bob']))
  expect([...tokensOf]).toEqual(['P'])
})

test('PubSubSubscriptions: another worker holds the shard, so nothing is requested', async () => {
  const { length } = gmail.fake.log
  await subscriptions.claimed([leaseOf(shardOf('P') + 1)])
  await subscriptions.reconcile()
  // A subscriber of the application would have requested its access token before this query ends.
  await db.selectFrom('oauth2Apps').select('id').execute()
  const { accessToken: token } = await worker.request(
    getPubSubToken,
    { app: 'probe' },
    { key: 'credentials', timeoutMs: 300_000 },
  )
  expect(token).toBe(accessToken)
  expect([...tokensOf]).toEqual(['probe'])
  expect(gmail.fake.log).toHaveLength(length)
})

test('PubSubSubscriptions: notifies the accounts of a mailbox, then acknowledges all messages', async () => {
  await runUntilReady()
  mail('ANN@mail.example')
  mail('ann@mail.example')
  mail('unknown@mail.example')
  for (const content of ['7', '%%%']) pubsub.publish(topic, content)
  await eventually(() =>
    expect(pubsub.subscriptions.get(subscription)?.acknowledged).toHaveLength(5),
  )
  await eventually(() => expect(notified).toContain('ann'))
  expect(new Set(notified)).toEqual(new Set(['ann']))
})

test('PubSubSubscriptions: notifications that RabbitMQ refuses are repeated, and are no error', async () => {
  failingNotifications = 1
  await runUntilReady()
  failingNotifications = 1
  mail('ann@mail.example')
  await eventually(() =>
    expect(pubsub.subscriptions.get(subscription)?.acknowledged).toHaveLength(1),
  )
  await eventually(() => expect(notified).toEqual(['ann']))
  expect(await state()).toEqual({ state: 'active', lastError: null })
})

test('PubSubSubscriptions: pulls 100 messages at a time', async () => {
  pubsub.addTopic(topic)
  const { acknowledged } = addSubscription()
  for (let count = 0; count < 150; count += 1) mail('ann@mail.example')
  await run()
  await eventually(() => expect(acknowledged).toHaveLength(150))
  const acknowledgements = gmail.fake.requests('pubsub.projects.subscriptions.acknowledge')
  const sizes = acknowledgements.map(({ body }) => (body as { ackIds: string[] }).ackIds.length)
  expect(Math.max(...sizes)).toBe(100)
})

test('PubSubSubscriptions: a subscription of another time to live is changed', async () => {
  ttl = 90
  pubsub.addTopic(topic)
  const { resource } = addSubscription()
  await run()
  await eventually(() => expect(resource.expirationPolicy).toEqual({ ttl: '7776000s' }))
})

test('PubSubSubscriptions: a subscription of a deleted topic is created again', async () => {
  addSubscription({ topic: '_deleted-topic_' })
  await run()
  await eventually(() => expect(pubsub.subscriptions.get(subscription)?.resource.topic).toBe(topic))
})

test('PubSubSubscriptions: an expired subscription is created again, and all accounts are polled', async () => {
  await runUntilReady()
  pubsub.deleteSubscription(subscription)
  await eventually(() => expect(pubsub.subscriptions.has(subscription)).toBe(true))
  await eventually(() => expect(notified.sort()).toEqual(['ann', 'bob']))
})

test('PubSubSubscriptions: after an hour, a deleted topic and its permission are restored', async () => {
  await runUntilReady()
  pubsub.deleteTopic(topic)
  now += 3_600_000
  // Ends the open pull from Pub/Sub, which lasts 90 s.
  gmail.clock.advance(90_000)
  await eventually(() => expect(pubsub.permitsGmail(topic)).toBe(true))
  await eventually(() => expect(notified.sort()).toEqual(['ann', 'bob']))
  expect(pubsub.subscriptions.get(subscription)?.resource.topic).toBe(topic)
})

test('PubSubSubscriptions: the error of the provider is stored, and cleared when it ends', async () => {
  const error = { code: 403, message: 'Error PERMISSION_DENIED.', status: 'PERMISSION_DENIED' }
  const stopFault = gmail.on(
    'pubsub.projects.subscriptions.pull',
    providerFaults.replies({ status: 403, body: { error } }),
  )
  await run()
  await eventually(async () =>
    expect(await state()).toEqual({
      state: 'failed',
      lastError: { response: 'Error PERMISSION_DENIED.', description: 'PERMISSION_DENIED' },
    }),
  )
  stopFault()
  gmail.clock.advance(90_000)
  mail('ann@mail.example')
  await eventually(async () => expect(await state()).toEqual({ state: 'active', lastError: null }))
})

test('PubSubSubscriptions: a check that fails is reported and repeated, and pulls continue', async () => {
  await runUntilReady()
  const error = { code: 403, message: 'Error PERMISSION_DENIED.', status: 'PERMISSION_DENIED' }
  const stopFault = gmail.on(
    'pubsub.projects.topics.create',
    providerFaults.replies({ status: 403, body: { error } }),
  )
  now += 3_600_000
  // Ends the open pull from Pub/Sub, which lasts 90 s.
  gmail.clock.advance(90_000)
  await eventually(async () => expect((await state())?.state).toBe('failed'))
  mail('ann@mail.example')
  await eventually(() => expect(notified).toEqual(['ann']))
  const acknowledged = () => pubsub.subscriptions.get(subscription)?.acknowledged.length
  await eventually(() => expect(acknowledged()).toBe(1))
  expect(await state()).toMatchObject({ state: 'failed', lastError: { description: error.status } })
  stopFault()
  now += 60_000
  mail('ann@mail.example')
  await eventually(() => expect(acknowledged()).toBe(2))
  await eventually(async () => expect(await state()).toEqual({ state: 'active', lastError: null }))
})

test('PubSubSubscriptions: a rejected token is replaced', async () => {
  await runUntilReady()
  const before = tokenRequests
  const error = { code: 401, message: 'Invalid Credentials', status: 'UNAUTHENTICATED' }
  const stopFault = gmail.on(
    'pubsub.projects.subscriptions.pull',
    providerFaults.replies({ status: 401, body: { error } }),
  )
  gmail.clock.advance(90_000)
  await eventually(() => expect(tokenRequests).toBeGreaterThan(before))
  stopFault()
  mail('ann@mail.example')
  await eventually(() => expect(notified).toContain('ann'))
})

test('PubSubSubscriptions: an error that the former worker stores late is cleared by the next check', async () => {
  await runUntilReady()
  await database.db.updateTable('pubsubStates').set({ state: 'failed' }).execute()
  now += 3_600_000
  gmail.clock.advance(90_000)
  await eventually(async () => expect((await state())?.state).toBe('active'))
})

test('findNotifiedAccounts: accounts by the mailbox that they read', async () => {
  const insert = (account: string, email: string, auth: object) =>
    database.db
      .insertInto('accounts')
      .values({
        account,
        shard: shardOf(account),
        name: account,
        email,
        backend: 'gmail',
        oauth2: JSON.stringify({ provider: 'linked', auth }),
      })
      .execute()
  const shared = 'Shared@mail.example'
  await insert('delegated', 'x@mail.example', { user: 'carl@mail.example', delegatedUser: shared })
  await insert('unnamed', 'Dora@mail.example', {})
  const find = (...users: string[]) => findNotifiedAccounts(db, 'P', users)
  expect(await find('shared@mail.example')).toEqual(['delegated'])
  expect(await find('carl@mail.example', 'x@mail.example')).toEqual([])
  expect(await find('dora@mail.example')).toEqual(['unnamed'])
  await database.db
    .deleteFrom('accounts')
    .where('account', 'in', ['delegated', 'unnamed'])
    .execute()
})

test('startPubSub: claimed shards and wake start applications', async () => {
  const policies = { oauthEgressPolicy: 'off', proxyEgressPolicy: 'off' } as const
  const config = { ...policies, providerOrigins: origins }
  const deps = { db, bus: worker, settings, log, reconcileMs: 3_600_000 }
  await using pubSub = startPubSub({ ...deps, config })
  await pubSub.claimed([leaseOf(shardOf('P'))])
  await eventually(() => expect(pubsub.subscriptions.get(subscription)?.openPulls).toBe(1))
  await pubSub.released([shardOf('P')])
  await pubSub.claimed([leaseOf(shardOf('Q'))])
  await insertApp('Q', 'gmailService', { baseScopes: 'pubsub', googleProjectId: 'project-1' })
  pubSub.wake()
  const created = 'projects/project-1/subscriptions/posthorn-Q'
  await eventually(() => expect(pubsub.subscriptions.get(created)?.openPulls).toBe(1))
  expect([...tokensOf]).toEqual(['P', 'Q'])
})

test('createDestinations: topics of linked applications, and URLs below notificationBaseUrl', async () => {
  const read = async () => ({
    serviceUrl: 'https://a.example',
    notificationBaseUrl: 'https://b.example',
  })
  const destinations = createDestinations({ db, settings: { get: read } })
  expect(await destinations.findTopic('linked')).toBe(topic)
  expect(await destinations.findTopic('other')).toBeUndefined()
  // The OAuth2 application `misled` is linked to an application that is not for Pub/Sub.
  expect(await destinations.findTopic('misled')).toBeUndefined()
  expect(await destinations.findUrls('a b/ü')).toEqual({
    changes: 'https://b.example/oauth/msg/notification?account=a+b%2F%C3%BC',
    lifecycle: 'https://b.example/oauth/msg/lifecycle?account=a+b%2F%C3%BC',
  })
  const unset = createDestinations({ db, settings: { get: async () => ({}) } })
  expect(await unset.findUrls('a')).toBeUndefined()
})

import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { VirtualClock } from '@posthorn/testkit/providers'
import { gmailError, type GmailMailbox, startGmailFake } from '@posthorn/testkit/providers/gmail'
import { mime } from './api-world.ts'
import { allShards, testWorld } from './world.ts'

// A worker with an account at the fake of Gmail, which publishes notifications to a fake of
// Pub/Sub. Polls are rare, so that only notifications announce messages, unless the test needs
// polls.

const project = 'project-1'
const topic = `projects/${project}/topics/posthorn-P`
const subscription = `projects/${project}/subscriptions/posthorn-P`
const rarely = { apiPollMs: 600_000, apiPollNotifiedMs: 600_000 }
const often = { apiPollMs: 200, apiPollNotifiedMs: 200 }

// All shards exist, because the worker that holds the shard of the OAuth2 application pulls the
// notifications.
const world = await testWorld(allShards)
const gmail = await startGmailFake({ clock: new VirtualClock(new Date()) })
const googleOrigins = ['https://gmail.googleapis.com', 'https://pubsub.googleapis.com']
const providerOrigins = Object.fromEntries(googleOrigins.map((each) => [each, gmail.origin]))
world.pubSub.accessToken = gmail.grant('robot@project-1.example', [
  'https://www.googleapis.com/auth/pubsub',
])
const pubSubConfig = { baseScopes: 'pubsub', googleProjectId: project }
const apps = [
  ['P', 'gmailService', pubSubConfig],
  ['linked', 'gmail', { baseScopes: 'api', pubSubApp: 'P' }],
] as const
for (const [id, provider, config] of apps)
  await world.db
    .insertInto('oauth2Apps')
    .values({ id, provider, name: id, enabled: true, config: JSON.stringify(config) })
    .execute()

afterEach(async () => {
  Object.assign(gmail.notifications.faults, {
    lost: 0,
    duplicated: false,
    reordered: false,
    ahead: 0,
  })
  await world.reset()
})
afterAll(async () => {
  await world.close()
  await gmail[Symbol.asyncDispose]()
})

const startWorker = (polls: typeof rarely) =>
  world.startWorker({ providerOrigins, oauthEgressPolicy: 'off', ...polls })

/** Starts a worker and waits until the worker pulls messages from the Pub/Sub subscription. */
async function startSubscriber(polls = rarely) {
  await startWorker(polls)
  await eventually(() => expect(gmail.pubsub.subscriptions.get(subscription)?.openPulls).toBe(1))
}

/** Registers an account with a separate mailbox at the fake of Gmail. */
async function addAccount(prepare: (mailbox: GmailMailbox) => void = () => undefined) {
  const user = `${randomUUID()}@mail.example`
  const mailbox = gmail.addMailbox(user)
  prepare(mailbox)
  const account = await world.registerApi('gmail', {
    user,
    accessToken: gmail.grant(user),
    notifyFrom: new Date(Date.now() - 3_600_000),
  })
  await world.connected(account)
  return { account, user, mailbox }
}

/** Gmail account whose mailbox has a watch (registration for notifications). */
async function watchedAccount() {
  await startSubscriber()
  const added = await addAccount()
  await eventually(() => expect(gmail.notifications.find(added.user, project)).toBeDefined())
  return added
}

const deliver = (mailbox: GmailMailbox) => mailbox.deliver(mime(randomUUID())).id

/**
 * Waits until `messageNew` events announce some messages, then compares all announcements of the
 * account.
 */
async function expectAnnounced(account: string, ids: readonly string[]): Promise<void> {
  const listed = await world.expectEvents(account, ['messageNew'], ids.length)
  expect(listed.map(({ data }) => String(data['id'])).toSorted()).toEqual([...ids].toSorted())
}

/**
 * Waits until all messages published to Pub/Sub are acknowledged. The fake clock advances during
 * the wait, because messages of a failed attempt are delivered again after their deadline.
 */
const expectDrained = () =>
  eventually(() => {
    gmail.clock.advance(1_000)
    const { waiting, outstanding } = gmail.pubsub.subscriptions.get(subscription) ?? {}
    expect([waiting?.length, outstanding?.size]).toEqual([0, 0])
  })

test('a notification announces a message, and is acknowledged', async () => {
  const { account, mailbox } = await watchedAccount()
  await expectAnnounced(account, [deliver(mailbox)])
  await expectDrained()
})

test('duplicated and repeated notifications announce each message once', async () => {
  const { account, mailbox } = await watchedAccount()
  gmail.notifications.faults.duplicated = true
  const ids = [deliver(mailbox), deliver(mailbox)]
  await expectAnnounced(account, ids)
  // A worker that crashes before the acknowledgement of Pub/Sub messages gets the messages again.
  const lost = gmail.on('pubsub.projects.subscriptions.acknowledge', () => ({
    kind: 'reset',
    phase: 'before',
  }))
  ids.push(deliver(mailbox))
  await expectAnnounced(account, ids)
  lost()
  gmail.clock.advance(60_000)
  ids.push(deliver(mailbox))
  await expectAnnounced(account, ids)
  await expectDrained()
})

test('reordered notifications announce each message once', async () => {
  const { account, mailbox } = await watchedAccount()
  gmail.notifications.faults.reordered = true
  const ids = [deliver(mailbox), deliver(mailbox), deliver(mailbox)]
  gmail.notifications.release()
  await expectAnnounced(account, ids)
  await expectDrained()
})

test('a message whose notification is lost, or ahead of the history, is announced with the next', async () => {
  const { account, mailbox } = await watchedAccount()
  gmail.notifications.faults.lost = 1
  const ids = [deliver(mailbox), deliver(mailbox)]
  await expectAnnounced(account, ids)
  const { length: reads } = gmail.requests('history.list')
  gmail.notifications.faults.ahead = 1
  ids.push(deliver(mailbox))
  await eventually(() => expect(gmail.requests('history.list').length).toBeGreaterThan(reads))
  gmail.notifications.faults.ahead = 0
  ids.push(deliver(mailbox))
  await expectAnnounced(account, ids)
})

test('a deleted subscription is created again, and its lost messages are announced', async () => {
  const { account, mailbox } = await watchedAccount()
  gmail.pubsub.deleteSubscription(subscription)
  const ids = [deliver(mailbox)]
  await eventually(() => expect(gmail.pubsub.subscriptions.has(subscription)).toBe(true))
  await expectAnnounced(account, ids)
})

test('a silent watch is replaced when a poll detects an old change', async () => {
  await startSubscriber(often)
  const { account, user, mailbox } = await addAccount((each) => {
    // The watch (registration for notifications) is silent before the worker renews the watch. A
    // notification after a change would prove that the watch works.
    const expiresAt = gmail.clock.now + 86_400_000
    gmail.notifications.start(each, { topic, expiresAt, isSilent: true })
  })
  const ids: string[] = []
  // The worker may read the first messages before it has stored its watch (registration for
  // notifications).
  while (gmail.notifications.find(user, project)?.isSilent !== false) {
    ids.push(mailbox.deliver(mime('old'), { internalDate: Date.now() - 600_000 }).id)
    await expectAnnounced(account, ids)
  }
  expect(gmail.requests('stop')).toHaveLength(1)
})

test('a watch that is refused is no error at first, and polling announces messages', async () => {
  // The administrator of the Google project withdraws the permission to publish, and the permission
  // to grant this permission again.
  const refusal = gmailError(403, 'forbidden', 'User not authorized to perform this action.')
  const permit = gmail.on('pubsub.projects.topics.setIamPolicy', () => ({
    kind: 'reply',
    response: refusal,
  }))
  gmail.pubsub.topics.set(topic, {})
  const { length } = gmail.requests('watch')
  await startWorker(often)
  const { account, mailbox } = await addAccount()
  await eventually(() => expect(gmail.requests('watch')[length]?.status).toBe(403))
  await expectAnnounced(account, [deliver(mailbox)])
  expect(await world.events(account, 'connectError')).toEqual([])
  permit()
})

test('a watch that starts before its topic exists, starts when it does', async () => {
  gmail.pubsub.deleteSubscription(subscription)
  gmail.pubsub.topics.clear()
  const response = gmailError(403, 'forbidden', 'User not authorized to perform this action.')
  const permit = gmail.on('pubsub.projects.topics.create', () => ({ kind: 'reply', response }))
  const { length } = gmail.requests('watch')
  await startWorker(rarely)
  const { account, user, mailbox } = await addAccount()
  await eventually(() => expect(gmail.requests('watch')[length]?.status).toBe(404))
  permit()
  // The administrator names the Pub/Sub topic in the OAuth2 application, so that the subscriber of
  // the application is started again.
  await world.db
    .updateTable('oauth2Apps')
    .set({ config: JSON.stringify({ ...pubSubConfig, googleTopicName: 'posthorn-P' }) })
    .where('id', '=', 'P')
    .execute()
  await world.bus.invalidate({ topic: 'oauth2Apps', id: 'P' })
  await eventually(() => expect(gmail.notifications.find(user, project)).toBeDefined())
  await expectAnnounced(account, [deliver(mailbox)])
  expect(await world.events(account, 'connectError')).toEqual([])
})

test('another client of the project has the watch, which is replaced', async () => {
  await startSubscriber()
  gmail.pubsub.addTopic(topic)
  const { account, mailbox } = await addAccount((each) => {
    const expiresAt = gmail.clock.now + 86_400_000
    gmail.notifications.start(each, { topic: `projects/${project}/topics/other`, expiresAt })
  })
  await eventually(() =>
    expect(gmail.notifications.find(mailbox.address, project)?.topic).toBe(topic),
  )
  await expectAnnounced(account, [deliver(mailbox)])
})

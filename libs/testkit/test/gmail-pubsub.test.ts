import { createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { eventually } from '../src/index.ts'
import {
  type GmailFake,
  gmailPublisher,
  publisherRole,
  startGmailFake,
} from '../src/providers/gmail/index.ts'

const address = 'jane@mail.example'
const source = 'To: a@mail.example\r\nSubject: x\r\n\r\nhello\r\n'
const topic = 'projects/p/topics/t'
const subscription = 'projects/p/subscriptions/s'

/** Starts a Gmail fake with a mailbox, and clients of its API and of Pub/Sub. */
async function start() {
  const gmail = await startGmailFake()
  const mailbox = gmail.addMailbox(address)
  const token = gmail.grant(address)
  const robot = gmail.grant('robot@p.example', ['https://www.googleapis.com/auth/pubsub'])
  const call = (bearer: string) => async (path: string, body?: object, method?: string) => {
    const response = await fetch(gmail.origin + path, {
      method: method ?? (body ? 'POST' : 'GET'),
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const content = await response.text()
    const json = content === '' ? {} : (JSON.parse(content) as Record<string, unknown>)
    return { status: response.status, json }
  }
  const user = call(token)
  const watch = (topicName = topic) => user('/gmail/v1/users/me/watch', { topicName })
  const stop = () => user('/gmail/v1/users/me/stop', undefined, 'POST')
  return {
    gmail,
    mailbox,
    user,
    watch,
    stop,
    pubsub: call(robot),
    [Symbol.asyncDispose]: () => gmail[Symbol.asyncDispose](),
  }
}

function subscribe(gmail: GmailFake, more: object = {}) {
  gmail.pubsub.addTopic(topic)
  return gmail.pubsub.addSubscription({
    name: subscription,
    topic,
    ackDeadlineSeconds: 10,
    ...more,
  })
}

/** Ids of the Gmail notifications that a Pub/Sub subscription would deliver, in their order. */
function published(gmail: GmailFake): number[] {
  const { waiting = [] } = gmail.pubsub.subscriptions.get(subscription) ?? {}
  return waiting.map(({ message }) => {
    const content = Buffer.from(message.data, 'base64').toString()
    return (JSON.parse(content) as { historyId: number }).historyId
  })
}

test('FakePubSub: topics, permission to publish and subscriptions, with the errors of the API', async () => {
  await using started = await start()
  const { gmail, pubsub, watch, user } = started
  expect(await user(`/v1/${topic}`)).toMatchObject({ status: 403 })
  expect(await pubsub(`/v1/${subscription}`, { topic }, 'PUT')).toMatchObject({ status: 404 })
  expect(await watch()).toMatchObject({ status: 404 })
  expect(await pubsub(`/v1/${topic}`, {}, 'PUT')).toMatchObject({ status: 200 })
  expect(await pubsub(`/v1/${topic}`, {}, 'PUT')).toMatchObject({
    status: 409,
    json: { error: { status: 'ALREADY_EXISTS' } },
  })
  expect(await watch()).toMatchObject({ status: 403 })
  const { json: policy } = await pubsub(`/v1/${topic}:getIamPolicy`)
  const bindings = [{ role: publisherRole, members: [gmailPublisher] }]
  const granted = { policy: { ...policy, bindings } }
  expect(await pubsub(`/v1/${topic}:setIamPolicy`, granted)).toMatchObject({ status: 200 })
  expect(await pubsub(`/v1/${topic}:setIamPolicy`, granted)).toMatchObject({ status: 409 })
  expect(await watch()).toMatchObject({ status: 200 })
  const created = await pubsub(`/v1/${subscription}`, { topic }, 'PUT')
  expect(created.json).toMatchObject({ topic, expirationPolicy: { ttl: '2678400s' } })
  gmail.pubsub.deleteTopic(topic)
  const { json } = await pubsub(`/v1/${subscription}`)
  expect(json['topic']).toBe('_deleted-topic_')
})

test('FakePubSub: a message is delivered again after its deadline, until it is acknowledged', async () => {
  await using started = await start()
  const { gmail, mailbox, pubsub, watch } = started
  const { acknowledged } = subscribe(gmail)
  const pull = async () => {
    const { json } = await pubsub(`/v1/${subscription}:pull`, { maxMessages: 100 })
    return (json['receivedMessages'] ?? []) as { ackId: string; deliveryAttempt: number }[]
  }
  const waiting = pull()
  await watch()
  const [first] = await waiting
  expect(first?.deliveryAttempt).toBe(1)
  gmail.clock.advance(10_000)
  const [second] = await pull()
  expect(second).toMatchObject({ deliveryAttempt: 2 })
  expect(second?.ackId).not.toBe(first?.ackId)
  const ackIds = [second?.ackId]
  await pubsub(`/v1/${subscription}:modifyAckDeadline`, { ackIds, ackDeadlineSeconds: 0 })
  const [third] = await pull()
  await pubsub(`/v1/${subscription}:acknowledge`, { ackIds: [third?.ackId] })
  expect(acknowledged).toHaveLength(1)
  const late = pull()
  await eventually(() =>
    expect(gmail.fake.requests('pubsub.projects.subscriptions.pull')).toHaveLength(4),
  )
  gmail.clock.advance(90_000)
  expect(await late).toEqual([])
  mailbox.deliver(source)
  expect(await pull()).toHaveLength(1)
})

test('FakePubSub pushes: signed by Google, repeated until acknowledged, wrapped or not', async () => {
  const received: { headers: IncomingHttpHeaders; body: string }[] = []
  const statuses = [500, 202]
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body })
      response.writeHead(statuses.shift() ?? 204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  await using started = await start()
  const { gmail, mailbox, watch } = started
  const { pushes } = gmail.pubsub
  pushes.addressOf = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/push`
  const pushConfig = {
    pushEndpoint: 'https://mail.example/push',
    oidcToken: { serviceAccountEmail: 'push@p.example' },
  }
  const { resource, acknowledged } = subscribe(gmail, { pushConfig })
  await watch()
  await eventually(() => expect(pushes.sent).toHaveLength(1))
  gmail.clock.advance(10_000)
  await eventually(() => expect(acknowledged).toHaveLength(1))
  const [{ headers, body } = { headers: {}, body: '' }] = received
  expect(JSON.parse(body)).toMatchObject({ subscription, message: { data: expect.any(String) } })
  const [head = '', claims = '', mark = ''] = headers.authorization?.slice(7).split('.') ?? []
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    iss: 'https://accounts.google.com',
    aud: 'https://mail.example/push',
    email: 'push@p.example',
  })
  const published = await fetch(`${gmail.origin}/oauth2/v3/certs`)
  const { keys } = (await published.json()) as { keys: JsonWebKey[] }
  const key = createPublicKey({ key: keys[0] ?? {}, format: 'jwk' })
  const signature = Buffer.from(mark, 'base64url')
  expect(verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), key, signature)).toBe(true)
  resource.pushConfig = { ...pushConfig, noWrapper: { writeMetadata: true } }
  mailbox.deliver(source)
  await eventually(() => expect(acknowledged).toHaveLength(2))
  expect(JSON.parse(received.at(-1)?.body ?? '')).toMatchObject({ emailAddress: address })
  expect(received.at(-1)?.headers['x-goog-pubsub-subscription-name']).toBe(subscription)
  receiver.close()
})

test('GmailNotifications: one watch per mailbox and project, silent ones until they are stopped', async () => {
  await using started = await start()
  const { gmail, mailbox, watch, stop } = started
  for (const name of [topic, 'projects/p/topics/u', 'projects/q/topics/t'])
    gmail.pubsub.addTopic(name)
  expect(await watch()).toMatchObject({ status: 200 })
  expect(await watch('projects/p/topics/u')).toMatchObject({ status: 400 })
  expect(await watch('projects/q/topics/t')).toMatchObject({ status: 200 })
  await stop()
  const client = gmail.grant(address, ['https://mail.google.com/'], 'p')
  const other = await fetch(`${gmail.origin}/gmail/v1/users/me/watch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client}`, 'content-type': 'application/json' },
    body: JSON.stringify({ topicName: 'projects/q/topics/t' }),
  })
  expect(await other.text()).toContain('does not match projects/p/topics/*')
  await watch()
  gmail.notifications.silence(address)
  const before = gmail.notifications.all.length
  mailbox.deliver(source)
  await watch()
  mailbox.deliver(source)
  expect(gmail.notifications.all).toHaveLength(before)
  await stop()
  await watch()
  mailbox.deliver(source)
  expect(gmail.notifications.all).toHaveLength(before + 2)
})

test('GmailNotifications: lost, duplicated, reordered, and ahead of the history', async () => {
  await using started = await start()
  const { gmail, mailbox, user, watch } = started
  subscribe(gmail)
  await watch()
  const { faults } = gmail.notifications
  const start0 = Number(mailbox.historyId)
  const deliver = () => {
    mailbox.deliver(source)
    return Number(mailbox.historyId)
  }
  faults.lost = 1
  deliver()
  expect(published(gmail)).toEqual([start0])
  faults.duplicated = true
  const one = deliver()
  expect(published(gmail)).toEqual([start0, one, one])
  faults.duplicated = false
  faults.reordered = true
  const held = [deliver(), deliver()]
  expect(published(gmail)).toHaveLength(3)
  gmail.notifications.release()
  expect(published(gmail).slice(3)).toEqual(held.reverse())
  faults.reordered = false
  faults.ahead = 1
  const start1 = String(mailbox.historyId)
  const ahead = String(deliver())
  const history = () => user(`/gmail/v1/users/me/history?startHistoryId=${start1}`)
  expect((await history()).json).toEqual({ historyId: start1 })
  expect((await history()).json).toMatchObject({ history: [{ id: ahead }], historyId: ahead })
})

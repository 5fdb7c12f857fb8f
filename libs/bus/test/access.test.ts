import { afterAll, expect, test } from '@jest/globals'
import {
  checkSmtpServerPassword,
  getCredentials,
  getLinkSecret,
  getServiceSecret,
} from '@posthorn/contracts/commands/credentials'
import { EventMessageSchema } from '@posthorn/contracts/events/envelope'
import { SubmissionHint } from '@posthorn/contracts/hints'
import { type ServiceName, serviceNames } from '@posthorn/contracts/services'
import { eventually, testBus } from '@posthorn/testkit'
import { type Channel, connect } from 'amqplib'
import { type Bus, on } from '../src/index.ts'
import { event } from './events.ts'
import { openBus } from './open-bus.ts'

const broker = await testBus()
await broker.grantServices()
const buses = {} as Record<ServiceName, Bus>
// Each service opens its RabbitMQ client, one service after the other, auth-bridge last. The first
// service finds a RabbitMQ broker without queues.
for (const service of serviceNames)
  buses[service] = await openBus(broker.serviceUrl(service), { name: service })

await buses['auth-bridge'].serve({
  queue: 'credentials',
  handlers: [
    on(getCredentials, async (_request, { requester }) => ({
      user: String(requester),
      pass: 'p',
    })),
    on(getServiceSecret, async () => ({ serviceSecret: 's' })),
    on(getLinkSecret, async () => ({ linkSecret: 'ab'.repeat(32) })),
    on(checkSmtpServerPassword, async () => ({ valid: true })),
  ],
})
afterAll(async () => {
  for (const bus of Object.values(buses)) await bus[Symbol.asyncDispose]()
  await broker.drop()
})

const how = { key: 'credentials', timeoutMs: 60_000 }
const commands = {
  getCredentials: (bus: Bus) =>
    bus.request(getCredentials, { account: 'a', protocol: 'imap' }, how),
  getServiceSecret: (bus: Bus) => bus.request(getServiceSecret, {}, how),
  getLinkSecret: (bus: Bus) => bus.request(getLinkSecret, {}, how),
  checkSmtpServerPassword: (bus: Bus) =>
    bus.request(checkSmtpServerPassword, { password: 'x' }, how),
}
const allowed: Record<keyof typeof commands, ServiceName[]> = {
  getCredentials: ['sync-worker', 'sender', 'imap-proxy'],
  getServiceSecret: ['webhook-dispatcher'],
  getLinkSecret: ['api-gateway'],
  checkSmtpServerPassword: ['smtp-proxy'],
}
const requesters = serviceNames.filter((service) => service !== 'auth-bridge')

test.each(Object.keys(commands) as (keyof typeof commands)[])(
  'RpcResponder: %s is executed for allowed requesters and rejected for others',
  async (name) => {
    const accepted: ServiceName[] = []
    for (const service of requesters) {
      try {
        await commands[name](buses[service])
        accepted.push(service)
      } catch (error) {
        expect(error).toMatchObject({ kind: 'forbidden' })
      }
    }
    expect(accepted.sort()).toEqual(allowed[name].sort())
  },
)

test('RpcResponder: the requester is the broker user, which the broker verifies', async () => {
  expect(await commands.getCredentials(buses.sender)).toEqual({ user: 'sender', pass: 'p' })
  const error = await tried('imap-proxy', async (channel) => {
    channel.publish('credentials', 'credentials', Buffer.from('{}'), {
      userId: 'posthorn_sync_worker',
    })
  })
  expect(error).toMatch(/PRECONDITION_FAILED.*user_id/s)
})

test('RpcResponder: rejects a broker user that is no service', async () => {
  const admin = await openBus(broker.url, { name: 'sender' })
  await expect(commands.getCredentials(admin)).rejects.toMatchObject({ kind: 'forbidden' })
  await admin[Symbol.asyncDispose]()
})

/**
 * Acts on RabbitMQ as a service's user. Returns the broker's reason of a rejection, or undefined.
 */
async function tried(
  service: ServiceName,
  act: (channel: Channel) => Promise<unknown>,
): Promise<string | undefined> {
  const model = await connect(broker.serviceUrl(service))
  model.on('error', () => undefined)
  const channel = await model.createConfirmChannel()
  const closed = new Promise<string>((resolve) => {
    channel.once('error', (error: Error) => resolve(error.message))
  })
  const done = async () => {
    await act(channel)
    await channel.waitForConfirms()
    return undefined
  }
  const reason = await Promise.race([closed, done().catch((error: Error) => error.message)])
  await model.close().catch(() => undefined)
  return reason
}

const read = (queue: string) => (channel: Channel) => channel.consume(queue, () => undefined)
const readAlong = (service: ServiceName, exchange: string, key: string) => async (c: Channel) => {
  const { queue } = await c.assertQueue(`${service}.zz.${crypto.randomUUID()}`, { exclusive: true })
  await c.bindQueue(queue, exchange, key)
}

test.each<[ServiceName, string, (channel: Channel) => Promise<unknown>]>([
  ['sender', 'requests for credentials', readAlong('sender', 'credentials', 'credentials')],
  ['sync-worker', 'the queue of credential requests', read('credentials')],
  [
    'smtp-proxy',
    'the passwords of verifyAccount',
    readAlong('smtp-proxy', 'verify.imap', 'verify.imap'),
  ],
  ['sender', 'the queue of IMAP verification', read('verify.imap')],
  ['sender', 'requests to workers', readAlong('sender', 'commands', 'shard.1')],
  ['imap-proxy', 'events', readAlong('imap-proxy', 'events', '#')],
  ['smtp-proxy', 'events', readAlong('smtp-proxy', 'events', '#')],
  ['auth-bridge', 'events', readAlong('auth-bridge', 'events', '#')],
  ['imap-proxy', 'a queue of events', read('webhook.events.3')],
  ['smtp-proxy', 'dead letters', readAlong('smtp-proxy', 'dead', 'webhook.events.3')],
  ['webhook-dispatcher', 'the queue of submissions', read('sender.submissions')],
  [
    'imap-proxy',
    'the reply queue of another service',
    (c) => c.assertQueue('sender.replies.x', { exclusive: true }),
  ],
  [
    'webhook-dispatcher',
    'publishing a request to a worker',
    async (c) => c.publish('commands', 'shard.1', Buffer.from('{}')),
  ],
  [
    'auth-bridge',
    'publishing an event',
    async (c) => c.publish('events', 'messageNew.1', Buffer.from('{}')),
  ],
  ['imap-proxy', 'deleting a queue', (c) => c.deleteQueue('sender.submissions')],
])('permissionsOf: %s has no access to %s', async (service, _what, act) => {
  expect(await tried(service, act)).toMatch(/ACCESS_REFUSED/)
})

test('permissionsOf: a service can publish and consume what it needs', async () => {
  const ids: string[] = []
  for (const service of ['api-gateway', 'sync-worker', 'sender', 'webhook-dispatcher'] as const) {
    ids.push(crypto.randomUUID())
    await buses[service].publishEvent(event(ids.at(-1) ?? ''))
  }
  await buses['smtp-proxy'].publishHint('sender.submissions', { queueId: 'q' })
  const got: string[] = []
  await buses['webhook-dispatcher'].consume({
    queue: 'webhook.events.3',
    prefetch: 10,
    schema: EventMessageSchema,
    handle: async ({ payload }) => void got.push(payload.eventId),
  })
  await buses.sender.consume({
    queue: 'sender.submissions',
    prefetch: 1,
    schema: SubmissionHint,
    handle: async ({ payload }) => void got.push(payload.queueId),
  })
  await eventually(() => expect(got.sort()).toEqual([...ids, 'q'].sort()))
})

import { afterAll, expect, test } from '@jest/globals'
import { type EventMessage, EventMessageSchema } from '@posthorn/contracts/events/envelope'
import { SubmissionHint } from '@posthorn/contracts/hints'
import { AppError } from '@posthorn/errors'
import { eventually, testBus } from '@posthorn/testkit'
import { type Channel, type ChannelModel, connect } from 'amqplib'
import { Consumer } from '../src/pubsub/consumer.ts'
import type { ConsumeOptions, Delivery } from '../src/index.ts'
import { createInstruments } from '../src/instruments.ts'
import { RecoveringConnection } from '../src/connection/recovering-connection.ts'
import { deliveryLimit } from '../src/topology.ts'
import { createMetrics } from '@posthorn/telemetry'
import { event } from './events.ts'
import { openBus, silent } from './open-bus.ts'

const { url, closeConnections, drop } = await testBus()
const bus = await openBus(url)
let admin = await connect(url)

afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await admin.close().catch(() => undefined)
  await drop()
})

type Handle = (delivery: Delivery<EventMessage>) => Promise<void>

/** Consumer of an event queue. Each test has a partition (event queue) of its own. */
function reading(
  partition: number,
  handle: Handle,
  more: Partial<ConsumeOptions<typeof EventMessageSchema>> = {},
): Promise<AsyncDisposable> {
  return bus.consume({
    queue: `webhook.events.${partition}`,
    schema: EventMessageSchema,
    prefetch: 10,
    handle,
    redeliveryDelayMs: () => 1,
    ...more,
  })
}

async function deadLetters(queue: string): Promise<unknown[]> {
  const channel = await admin.createChannel()
  const messages: unknown[] = []
  for (;;) {
    const message = await channel.get(`${queue}.dead`, { noAck: true })
    if (!message) break
    messages.push(message.content.toString())
  }
  await channel.close()
  return messages
}

test('Consumer: delivers events of a shard in order and acknowledges when the handler returns', async () => {
  const seen: string[] = []
  await using _reader = await reading(0, async ({ payload }) => void seen.push(payload.eventId))
  for (const id of ['1', '2', '3']) await bus.publishEvent(event(id, { shard: 16 }))
  await eventually(() => expect(seen).toEqual(['1', '2', '3']))
})

test('Consumer: a permanent error dead-letters the message immediately', async () => {
  let tries = 0
  await using _reader = await reading(1, async () => {
    tries += 1
    throw new AppError('invalid', 'never')
  })
  const message = event('refused', { shard: 1 })
  await bus.publishEvent(message)
  const [dead] = await eventually(async () => {
    const messages = await deadLetters('webhook.events.1')
    return messages.length > 0 && messages
  })
  expect(JSON.parse(String(dead))).toEqual(message)
  expect(tries).toBe(1)
})

test('Consumer: dead-letters payloads that are not JSON or do not match the schema', async () => {
  let handled = 0
  await using _reader = await reading(2, async () => void handled++)
  const channel = await admin.createConfirmChannel()
  channel.sendToQueue('webhook.events.2', Buffer.from('{"eventId":1}'))
  channel.sendToQueue('webhook.events.2', Buffer.from('\u0000 no json'))
  await channel.waitForConfirms()
  await eventually(async () => {
    messages.push(...(await deadLetters('webhook.events.2')))
    expect(messages).toEqual(['{"eventId":1}', '\u0000 no json'])
  })
  expect(handled).toBe(0)
  await channel.close()
})
const messages: unknown[] = []

test('Consumer: a temporary error redelivers the message without delaying others', async () => {
  const seen: [string, boolean][] = []
  await using _reader = await reading(
    3,
    async ({ payload, redelivered }) => {
      seen.push([payload.eventId, redelivered])
      if (payload.eventId === 'flaky' && !redelivered) throw new Error('not now')
    },
    { redeliveryDelayMs: () => 1_000 },
  )
  // Both events are published to RabbitMQ together, because the confirmation of the first event may
  // take longer than the delay of a redelivery.
  await Promise.all([bus.publishEvent(event('flaky')), bus.publishEvent(event('fine'))])
  await eventually(() =>
    expect(seen).toEqual([
      ['flaky', false],
      ['fine', false],
      ['flaky', true],
    ]),
  )
})

test('Consumer: dead-letters at the delivery limit, with growing redelivery delays', async () => {
  const counts: number[] = []
  let tries = 0
  await using _reader = await reading(
    4,
    async () => {
      tries += 1
      throw new Error('always')
    },
    { redeliveryDelayMs: (redeliveries) => (counts.push(redeliveries), 1) },
  )
  await bus.publishEvent(event('poison', { shard: 4 }))
  await eventually(async () => expect(await deadLetters('webhook.events.4')).toHaveLength(1))
  expect(tries).toBe(deliveryLimit + 1)
  expect(counts).toEqual(Array.from({ length: deliveryLimit + 1 }, (_, n) => n))
})

test('Consumer: unacknowledged messages of a lost consumer are redelivered', async () => {
  // The lost consumer is a plain amqplib client: a bus would reconnect and might win the race for
  // the messages.
  const dying = await connect(url)
  const channel = await dying.createChannel()
  const begun = Promise.withResolvers<void>()
  await channel.consume('webhook.events.5', () => begun.resolve())
  await bus.publishEvent(event('orphan', { shard: 5 }))
  await begun.promise
  const seen: [string, boolean][] = []
  await using _reader = await reading(5, async ({ payload, redelivered }) => {
    seen.push([payload.eventId, redelivered])
  })
  await dying.close()
  await eventually(() => expect(seen).toContainEqual(['orphan', true]))
})

test('Consumer: continues after a connection loss', async () => {
  const seen: string[] = []
  await using _reader = await reading(6, async ({ payload }) => void seen.push(payload.eventId))
  await bus.whenUp()
  await bus.publishEvent(event('before', { shard: 6 }))
  await eventually(() => seen.includes('before'))
  await closeConnections()
  admin = await connect(url)
  await eventually(() => bus.publishEvent(event('after', { shard: 6 })))
  await eventually(() => seen.includes('after'))
})

test('Consumer: redeclares a deleted queue with its bindings and continues', async () => {
  const seen: string[] = []
  await using _reader = await reading(7, async ({ payload }) => void seen.push(payload.eventId))
  const channel = await admin.createChannel()
  // The event queue is deleted after its dead letter queue, because the consumer declares both
  // queues again when it has lost the event queue.
  await channel.deleteQueue('webhook.events.7.dead')
  await channel.deleteQueue('webhook.events.7')
  await eventually(() => bus.publishEvent(event('again', { shard: 7 })))
  await eventually(() => seen.includes('again'))
  await channel.checkQueue('webhook.events.7.dead')
  await channel.close()
})

test('Consumer: reopens a channel that the broker closed (406)', async () => {
  const connection = new RecoveringConnection({
    url,
    name: 'test',
    onChange: () => undefined,
    onFailure: () => undefined,
  })
  const model = await connection.whenConnected(AbortSignal.timeout(60_000))
  const channels: Channel[] = []
  const spied = {
    connection: model.connection,
    createChannel: async () => {
      const channel = await model.createChannel()
      channels.push(channel)
      return channel
    },
  } as unknown as ChannelModel
  const instruments = createInstruments(createMetrics('test'), {
    up: () => true,
    blocked: () => false,
  })
  const seen: string[] = []
  const consumer = new Consumer(
    {
      connection: { connected: connection.connected, whenConnected: async () => spied },
      log: silent,
      instruments,
      reconcileMs: 60_000,
    },
    {
      queue: 'sender.submissions',
      schema: SubmissionHint,
      prefetch: 5,
      handle: async ({ payload }) => void seen.push(payload.queueId),
    },
  )
  await consumer.channel.firstAttempt
  await bus.publishHint('sender.submissions', { queueId: 'before' })
  await eventually(() => seen.includes('before'))
  // The delivery tag of this acknowledgement is unknown, so RabbitMQ closes the channel with
  // PRECONDITION_FAILED.
  channels[0]?.ack({ fields: { deliveryTag: 4_711 } } as never)
  await eventually(() => channels.length === 2)
  await bus.publishHint('sender.submissions', { queueId: 'after' })
  await eventually(() => seen.includes('after'))
  await consumer[Symbol.asyncDispose]()
  await connection.close()
})

test('Bus: disposal waits for handlers and acknowledges their deliveries', async () => {
  const closing = await openBus(url)
  const begun = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  await closing.consume({
    queue: 'webhook.events.8',
    schema: EventMessageSchema,
    prefetch: 1,
    handle: () => (begun.resolve(), done.promise),
  })
  await closing.publishEvent(event('in hand', { shard: 8 }))
  await begun.promise
  let closed = false
  const close = closing[Symbol.asyncDispose]().then(() => (closed = true))
  await bus.publishEvent(event('next', { shard: 8 }))
  expect(closed).toBe(false)
  done.resolve()
  await close
  const seen: string[] = []
  await using _reader = await reading(8, async ({ payload }) => void seen.push(payload.eventId))
  await eventually(() => expect(seen).toEqual(['next']))
})

test('Consumer: only one consumer of an event queue is active', async () => {
  const other = await openBus(url)
  const seen: string[] = []
  const first = await reading(9, async ({ payload }) => void seen.push(`first ${payload.eventId}`))
  await other.consume({
    queue: 'webhook.events.9',
    schema: EventMessageSchema,
    prefetch: 10,
    handle: async ({ payload }) => void seen.push(`second ${payload.eventId}`),
  })
  for (const id of ['1', '2', '3']) await bus.publishEvent(event(id, { shard: 9 }))
  await eventually(() => expect(seen).toEqual(['first 1', 'first 2', 'first 3']))
  await first[Symbol.asyncDispose]()
  await bus.publishEvent(event('4', { shard: 9 }))
  await eventually(() => seen.includes('second 4'))
  await other[Symbol.asyncDispose]()
})

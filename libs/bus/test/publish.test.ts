import { afterAll, expect, test } from '@jest/globals'
import { EventMessageSchema } from '@posthorn/contracts/events/envelope'
import { eventually, testBus } from '@posthorn/testkit'
import { connect } from 'amqplib'
import { createInstruments } from '../src/instruments.ts'
import { RecoveringConnection } from '../src/connection/recovering-connection.ts'
import { Publisher } from '../src/pubsub/publisher.ts'
import { brokerUseOf } from '../src/topology.ts'
import { createMetrics } from '@posthorn/telemetry'
import { event } from './events.ts'
import { openBus, silent } from './open-bus.ts'

const { url, closeConnections, drop } = await testBus()
// The bus does not redeclare queues periodically: a declaration could come between the deletion of
// a queue and the next message.
const bus = await openBus(url, { reconcileMs: 600_000 })
const admin = await connect(url)
admin.on('error', () => undefined)

afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await admin.close().catch(() => undefined)
  await drop()
})

const unavailable = expect.objectContaining({ kind: 'unavailable' })

/**
 * Consumes the next messages of a RabbitMQ queue. `get` fails on a queue with a single active
 * consumer.
 */
async function take(queue: string, count: number): Promise<unknown[]> {
  const channel = await admin.createChannel()
  const messages: unknown[] = []
  const keep = (message: { content: Buffer } | null) =>
    void (message && messages.push(JSON.parse(message.content.toString())))
  await channel.consume(queue, keep, { noAck: true })
  await eventually(() => messages.length >= count)
  await channel.close()
  return messages
}

test('Bus.publishEvent: when resolved, the event is in the queue of its shard', async () => {
  await bus.publishEvent(event('e1', { shard: 3 }))
  await bus.publishEvent(event('e2', { shard: 19 }))
  await bus.publishEvent(event('e3', { shard: 255 }))
  expect(await take('webhook.events.3', 2)).toEqual([
    event('e1', { shard: 3 }),
    event('e2', { shard: 19 }),
  ])
  expect(await take('webhook.events.15', 1)).toEqual([event('e3', { shard: 255 })])
})

test('exchange events: a deployment can bind its own queue', async () => {
  const channel = await admin.createChannel()
  const { queue } = await channel.assertQueue('', { exclusive: true })
  await channel.bindQueue(queue, 'events', 'messageSent.*')
  await bus.publishEvent(event('own', { event: 'messageSent', shard: 4 }))
  const message = await eventually(async () => await channel.get(queue, { noAck: true }))
  expect(message.properties).toMatchObject({ messageId: 'own', deliveryMode: 2 })
  await channel.close()
})

test('Bus.publishEvent: 1,000 concurrent events arrive in order', async () => {
  const all = Array.from({ length: 1_000 }, (_, n) => event(`n${n}`, { shard: 5 }))
  await Promise.all(all.map((message) => bus.publishEvent(message)))
  expect(await take('webhook.events.5', 1_000)).toEqual(all)
})

test('Bus.publishEvent: rejects a message that violates its contract', async () => {
  await expect(bus.publishEvent(event('bad', { shard: 256 }))).rejects.toMatchObject({
    kind: 'internal',
  })
  await expect(bus.publishHint('sender.submissions', { queue: 1 })).rejects.toMatchObject({
    kind: 'internal',
  })
})

test('Bus.publishHint: when resolved, the hint is in its queue', async () => {
  await bus.publishHint('sender.submissions', { queueId: 'q1' })
  expect(await take('sender.submissions', 1)).toEqual([{ queueId: 'q1' }])
})

test('Publisher: with a deleted queue, rejects the event and redeclares the queue', async () => {
  const channel = await admin.createChannel()
  await channel.deleteQueue('webhook.events.6')
  await expect(bus.publishEvent(event('gone', { shard: 6 }))).rejects.toEqual(unavailable)
  await eventually(() => bus.publishEvent(event('there', { shard: 6 })))
  expect(await take('webhook.events.6', 1)).toEqual([event('there', { shard: 6 })])
  await channel.close()
})

test('Publisher: redeclares a deleted hint queue', async () => {
  const channel = await admin.createChannel()
  await channel.deleteQueue('sender.submissions')
  await expect(bus.publishHint('sender.submissions', { queueId: 'gone' })).rejects.toEqual(
    unavailable,
  )
  await eventually(() => bus.publishHint('sender.submissions', { queueId: 'there' }))
  expect(await take('sender.submissions', 1)).toEqual([{ queueId: 'there' }])
  await channel.close()
})

test('Publisher: redeclares a deleted exchange with its bindings', async () => {
  const channel = await admin.createChannel()
  await channel.deleteExchange('events')
  await expect(bus.publishEvent(event('gone', { shard: 7 }))).rejects.toEqual(unavailable)
  await eventually(() => bus.publishEvent(event('there', { shard: 7 })))
  expect(await take('webhook.events.7', 1)).toEqual([event('there', { shard: 7 })])
  await channel.close()
})

test('Publisher: continues after the broker closed all connections', async () => {
  expect(await closeConnections()).toBeGreaterThanOrEqual(2)
  await eventually(() => bus.publishEvent(event('after', { shard: 8 })))
  let arrived = 0
  await using _reader = await bus.consume({
    queue: 'webhook.events.8',
    schema: EventMessageSchema,
    prefetch: 1,
    handle: async () => void arrived++,
  })
  await eventually(() => arrived > 0)
})

test('Publisher: while the broker blocks publishers, fails within 7 s, then continues', async () => {
  const connection = new RecoveringConnection({
    url,
    name: 'blocked',
    onChange: () => undefined,
    onFailure: () => undefined,
  })
  const instruments = createInstruments(createMetrics('test'), {
    up: () => true,
    blocked: () => true,
  })
  const publisher = new Publisher({
    connection,
    use: brokerUseOf('test'),
    log: silent,
    instruments,
    onChange: () => undefined,
    reconcileMs: 60_000,
  })
  const message = {
    exchange: '',
    key: 'sender.submissions',
    content: Buffer.from('{}'),
    persistent: true,
  }
  const model = await connection.whenConnected(AbortSignal.timeout(60_000))
  await publisher.channel.whenReady(AbortSignal.timeout(60_000))

  model.emit('blocked', 'low on memory')
  await expect(publisher.publish(message)).rejects.toEqual(unavailable)
  model.emit('unblocked')
  await publisher.publish(message)

  await publisher.close()
  await connection.close()
})

test('Instruments: count published messages by result', async () => {
  const text = await bus.metrics.text()
  expect(text).toMatch(/posthorn_bus_published_total\{exchange="events",result="confirmed".*\} \d+/)
  expect(text).toMatch(
    /posthorn_bus_published_total\{exchange="events",result="unroutable".*\} \d+/,
  )
  expect(text).toMatch(/posthorn_bus_up\{.*\} 1/)
})

import { afterAll, expect, test } from '@jest/globals'
import { connectBus } from '@posthorn/bus'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { testBus } from '@posthorn/testkit'
import { connect } from 'amqplib'
import { emptyVhost } from '../src/databases/vhost-stock.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

const queue = 'webhook.events.0'

/** Opens a channel of a RabbitMQ client that is connected until the returned stack is disposed. */
async function openChannel(url: string) {
  const client = new AsyncDisposableStack()
  const connection = await connect(url)
  client.defer(() => connection.close())
  const channel = await connection.createChannel()
  channel.on('error', () => undefined) // checks of missing queues close the channel
  return { channel, client }
}

test('emptyVhost: leaves the work queues without messages, and nothing else', async () => {
  const bus = await testBus()
  stack.defer(() => bus.drop())
  const [log, metrics] = [createLogger('test', 'silent'), createMetrics('test')]
  const service = await connectBus({ url: bus.url, name: 'test', log, metrics })
  await service.whenUp()
  const { channel, client } = await openChannel(bus.url)
  await channel.assertQueue('of a test', { durable: true })
  await channel.assertExchange('of a test', 'direct')
  // The first bus message is delivered and not acknowledged, the second bus message is ready.
  const delivered = Promise.withResolvers<void>()
  await channel.prefetch(1)
  channel.sendToQueue(queue, Buffer.from('1'))
  channel.sendToQueue(queue, Buffer.from('2'))
  await channel.consume(queue, () => delivered.resolve())
  await delivered.promise
  await expect(emptyVhost(bus.address, bus.vhost)).rejects.toThrow()
  await Promise.all([client.disposeAsync(), service[Symbol.asyncDispose]()])
  await emptyVhost(bus.address, bus.vhost)

  const other = await openChannel(bus.url)
  stack.use(other.client)
  expect(await other.channel.checkQueue(queue)).toMatchObject({ messageCount: 0 })
  await expect(other.channel.checkQueue('of a test')).rejects.toThrow('404')
  const another = await openChannel(bus.url)
  stack.use(another.client)
  await expect(another.channel.checkExchange('of a test')).rejects.toThrow('404')
})

test('testBus with reuse: concurrent uses get different virtual hosts', async () => {
  const buses = await Promise.all([1, 2, 3].map(() => testBus({ reuse: true })))
  expect(new Set(buses.map(({ vhost }) => vhost)).size).toBe(3)
  await Promise.all(buses.map((bus) => bus.drop()))
})

import { afterAll, expect, test } from '@jest/globals'
import {
  changesNoticed,
  type ProviderNotification,
} from '@posthorn/contracts/commands/notifications'
import { eventually, testBus } from '@posthorn/testkit'
import { connect } from 'amqplib'
import { connectBus, on } from '../src/index.ts'
import { openBus, recordingLog, silent } from './open-bus.ts'
import { createMetrics } from '@posthorn/telemetry'

const broker = await testBus()
await broker.grantServices()
const { log, lines } = recordingLog()
const gateway = await openBus(broker.serviceUrl('api-gateway'), { name: 'api-gateway' })
const worker = await openBus(broker.serviceUrl('sync-worker'), { name: 'sync-worker', log })
const received: ProviderNotification[] = []
await worker.serve({
  queue: 'private',
  keys: ['shard.1', 'shard.3'],
  handlers: [
    on(changesNoticed, async ({ notices: notifications }) => {
      received.push(...notifications)
      if (notifications[0]?.account === 'broken') throw new Error('broken')
      return {}
    }),
  ],
})
afterAll(async () => {
  for (const bus of [gateway, worker]) await bus[Symbol.asyncDispose]()
  await broker.drop()
})

const changeOf = (account: string): { notices: ProviderNotification[] } => ({
  notices: [{ account, kind: 'changed' }],
})
const toShard = (...shards: number[]) => ({
  keys: shards.map((shard) => `shard.${shard}`),
  ttlMs: 60_000,
})
const isReceived = (account: string) => received.some((each) => each.account === account)

test('Bus.notify: reaches the process that serves the key, which replies nothing', async () => {
  await gateway.notify(changesNoticed, changeOf('a'), toShard(1))
  await eventually(() => expect(isReceived('a')).toBe(true))
})

test('Bus.notify: without a process that serves the key, the command is dropped', async () => {
  await gateway.notify(changesNoticed, changeOf('unheld'), toShard(2))
  await gateway.notify(changesNoticed, changeOf('b'), toShard(1))
  await eventually(() => expect(isReceived('b')).toBe(true))
  expect(isReceived('unheld')).toBe(false)
})

test('Bus.notify: a process that serves several of the keys gets the command once', async () => {
  await gateway.notify(changesNoticed, changeOf('several'), toShard(2, 1, 3))
  await gateway.notify(changesNoticed, changeOf('after'), toShard(3))
  await eventually(() => expect(isReceived('after')).toBe(true))
  expect(received.filter(({ account }) => account === 'several')).toHaveLength(1)
})

test('Bus.notify: a failed handler gets the command once, and the next ones', async () => {
  await gateway.notify(changesNoticed, changeOf('broken'), toShard(1))
  await gateway.notify(changesNoticed, changeOf('c'), toShard(1))
  await eventually(() => expect(isReceived('c')).toBe(true))
  expect(received.filter(({ account }) => account === 'broken')).toHaveLength(1)
})

test('RpcResponder: a one-way command of a service that may not send it is dropped', async () => {
  await using sender = await openBus(broker.serviceUrl('sender'), { name: 'sender' })
  await sender.notify(changesNoticed, changeOf('forged'), toShard(1))
  await gateway.notify(changesNoticed, changeOf('d'), toShard(1))
  await eventually(() => expect(isReceived('d')).toBe(true))
  expect(isReceived('forged')).toBe(false)
  expect(lines.map(({ words }) => words)).toContain(
    'rpc request rejected: requester not authorized',
  )
})

test('RpcResponder: a one-way command that violates its contract or names a request is dropped', async () => {
  const connection = await connect(broker.serviceUrl('api-gateway'))
  const channel = await connection.createConfirmChannel()
  const publish = (command: string, content: object) =>
    channel.publish('commands', 'shard.1', Buffer.from(JSON.stringify(content)), {
      type: 'notice',
      userId: new URL(broker.serviceUrl('api-gateway')).username,
      headers: { command },
    })
  publish('changesNoticed', { notices: [{ account: 'malformed', kind: 'other' }] })
  publish('getQuota', { account: 'malformed' })
  publish('unknown', {})
  await channel.waitForConfirms()
  await connection.close()
  await gateway.notify(changesNoticed, changeOf('e'), toShard(1))
  await eventually(() => expect(isReceived('e')).toBe(true))
  expect(isReceived('malformed')).toBe(false)
})

test('Bus.notify: rejects unavailable immediately while the broker is down', async () => {
  const url = 'amqp://guest:guest@127.0.0.1:1/none'
  const metrics = createMetrics('test')
  await using bus = await connectBus({ url, name: 'api-gateway', log: silent, metrics })
  await expect(bus.notify(changesNoticed, changeOf('a'), toShard(1))).rejects.toMatchObject({
    kind: 'unavailable',
  })
})

import { afterAll, expect, test } from '@jest/globals'
import type { Invalidation } from '@posthorn/contracts'
import { eventually, testBus } from '@posthorn/testkit'
import { connect } from 'amqplib'
import { openBus } from './open-bus.ts'

const { url, closeConnections, drop } = await testBus()
const one = await openBus(url)
const other = await openBus(url)

afterAll(async () => {
  await one[Symbol.asyncDispose]()
  await other[Symbol.asyncDispose]()
  await drop()
})

test('an invalidation reaches every process and listener, the sender included', async () => {
  const heard: [string, Invalidation][] = []
  await using _a = await one.onInvalidate((message) => heard.push(['a', message]))
  await using _b = await one.onInvalidate((message) => heard.push(['b', message]))
  await using _c = await other.onInvalidate((message) => heard.push(['c', message]))
  await one.invalidate({ topic: 'tokens', id: 't1' })
  await eventually(() => expect(heard).toHaveLength(3))
  const message = { topic: 'tokens', id: 't1' }
  expect(heard.toSorted(([a], [b]) => a.localeCompare(b))).toEqual([
    ['a', message],
    ['b', message],
    ['c', message],
  ])
})

test('a listener that was taken away hears nothing, and one that throws harms no other', async () => {
  const heard: string[] = []
  const gone = await one.onInvalidate(() => heard.push('gone'))
  await gone[Symbol.asyncDispose]()
  await using _bad = await one.onInvalidate(() => {
    throw new Error('bad listener')
  })
  await using _good = await one.onInvalidate(({ topic }) => heard.push(topic))
  await other.invalidate({ topic: 'settings' })
  await eventually(() => expect(heard).toEqual(['settings']))
})

test('after a reconnect every topic is called, since some may have been missed', async () => {
  const heard: Invalidation[] = []
  await using _listener = await one.onInvalidate((message) => heard.push(message))
  expect(heard).toEqual([])
  await closeConnections()
  await eventually(() =>
    expect(heard.map(({ topic }) => topic).sort()).toEqual([
      'accounts',
      'changes',
      'gateways',
      'routes',
      'settings',
      'tokens',
    ]),
  )
  await other.whenUp(AbortSignal.timeout(10_000))
  await eventually(async () => {
    await other.invalidate({ topic: 'routes', id: 'r1' })
    expect(heard).toContainEqual({ topic: 'routes', id: 'r1' })
  })
})

test('a deleted exchange comes back, and is listened to', async () => {
  const heard: Invalidation[] = []
  await using _listener = await one.onInvalidate((message) => heard.push(message))
  const admin = await connect(url)
  const channel = await admin.createChannel()
  await channel.deleteExchange('invalidate')
  await admin.close()
  await eventually(async () => {
    await other.invalidate({ topic: 'accounts', id: 'a1' })
    expect(heard).toContainEqual({ topic: 'accounts', id: 'a1' })
  })
})

import { afterAll, expect, test } from '@jest/globals'
import type { Invalidation } from '@posthorn/contracts/hints'
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

test('Bus.invalidate: reaches all processes and listeners, the sender included', async () => {
  const received: [string, Invalidation][] = []
  await using _a = await one.onInvalidate((message) => received.push(['a', message]))
  await using _b = await one.onInvalidate((message) => received.push(['b', message]))
  await using _c = await other.onInvalidate((message) => received.push(['c', message]))
  await one.invalidate({ topic: 'tokens', id: 't1' })
  await eventually(() => expect(received).toHaveLength(3))
  const message = { topic: 'tokens', id: 't1' }
  expect(received.toSorted(([a], [b]) => a.localeCompare(b))).toEqual([
    ['a', message],
    ['b', message],
    ['c', message],
  ])
})

test('Bus.onInvalidate: a removed listener is not called, a failing one affects no other', async () => {
  const received: string[] = []
  const gone = await one.onInvalidate(() => received.push('gone'))
  await gone[Symbol.asyncDispose]()
  await using _bad = await one.onInvalidate(() => {
    throw new Error('bad listener')
  })
  await using _good = await one.onInvalidate(({ topic }) => received.push(topic))
  await other.invalidate({ topic: 'settings' })
  await eventually(() => expect(received).toEqual(['settings']))
})

test('Bus.onInvalidate: after a reconnect, receives every topic', async () => {
  const received: Invalidation[] = []
  await using _listener = await one.onInvalidate((message) => received.push(message))
  expect(received).toEqual([])
  await closeConnections()
  await eventually(() =>
    expect([...new Set(received.map(({ topic }) => topic))].sort()).toEqual([
      'accounts',
      'adminSessions',
      'changes',
      'gateways',
      'oauth2Apps',
      'providerPauses',
      'routes',
      'settings',
      'tokens',
    ]),
  )
  await other.whenUp(AbortSignal.timeout(60_000))
  await eventually(async () => {
    await other.invalidate({ topic: 'routes', id: 'r1' })
    expect(received).toContainEqual({ topic: 'routes', id: 'r1' })
  })
})

test('Invalidations: redeclares a deleted exchange and its binding', async () => {
  const received: Invalidation[] = []
  await using _listener = await one.onInvalidate((message) => received.push(message))
  const admin = await connect(url)
  const channel = await admin.createChannel()
  await channel.deleteExchange('invalidate')
  await admin.close()
  await eventually(async () => {
    await other.invalidate({ topic: 'accounts', id: 'a1' })
    expect(received).toContainEqual({ topic: 'accounts', id: 'a1' })
  })
})

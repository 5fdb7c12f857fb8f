import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defineCommand } from '@posthorn/contracts/define'
import { EventMessageSchema } from '@posthorn/contracts/events/envelope'
import type { Invalidation } from '@posthorn/contracts/hints'
import { createMetrics } from '@posthorn/telemetry'
import { eventually, type Rabbit, startTestRabbit } from '@posthorn/testkit'
import { Type } from 'typebox'
import { type Bus, connectBus, on } from '../src/index.ts'
import { event } from './events.ts'
import { openBus, recordingLog } from './open-bus.ts'

// This test file has its own RabbitMQ broker, which it kills, stops, wipes and pauses.
const brokerStartMs = 150_000
const echo = defineCommand({
  name: 'echo',
  request: Type.Object({ words: Type.String() }),
  response: Type.Object({ words: Type.String() }),
})
const unavailable = expect.objectContaining({ kind: 'unavailable' })
const unheld = expect.objectContaining({ kind: 'unavailable', code: 'WorkerNotAvailable' })
const { log, lines } = recordingLog()
const handled = new Set<string>()
const invalidations: Invalidation[] = []

let rabbit: Rabbit
let url: string
let bus: Bus

beforeAll(async () => {
  rabbit = await startTestRabbit()
  url = await rabbit.vhost('bus')
  bus = await openBus(url, { log })
  await bus.consume({
    queue: 'webhook.events.3',
    schema: EventMessageSchema,
    prefetch: 100,
    handle: async ({ payload }) => void handled.add(payload.eventId),
  })
  await bus.serve({
    queue: 'private',
    keys: ['shard.1'],
    handlers: [
      on(echo, async ({ words }, { signal }) => {
        if (words === 'wait') await new Promise((go) => signal.addEventListener('abort', go))
        return { words }
      }),
    ],
  })
  await bus.onInvalidate((message) => invalidations.push(message))
}, brokerStartMs * 2)

afterAll(async () => {
  await bus?.[Symbol.asyncDispose]()
  await rabbit?.destroy()
}, brokerStartMs)

const request = (words: string, timeoutMs = 60_000) =>
  bus.request(echo, { words }, { key: 'shard.1', timeoutMs })

/**
 * Expects publishing, requests and consuming on RabbitMQ to work soon after the start of the
 * broker.
 */
async function expectAllWorks(name: string): Promise<void> {
  await bus.whenUp(AbortSignal.timeout(60_000))
  await eventually(() => bus.publishEvent(event(name)))
  await eventually(() => handled.has(name))
  expect(await eventually(() => request(name))).toEqual({ words: name })
}

/**
 * Expects every topic of cached values to be invalidated, because invalidations may have been
 * missed.
 */
async function expectAllTopics(): Promise<void> {
  await eventually(() => expect(invalidations).toContainEqual({ topic: 'settings' }))
  // Each reconnect to RabbitMQ invalidates cached values once. On a busy machine there may be
  // several reconnects.
  expect([...new Set(invalidations.map(({ topic }) => topic))].sort()).toEqual([
    'accounts',
    'adminSessions',
    'changes',
    'gateways',
    'oauth2Apps',
    'providerPauses',
    'routes',
    'settings',
    'tokens',
  ])
}

/** Expects requests and publishing to fail immediately while the RabbitMQ broker is down. */
async function expectRefusals(): Promise<void> {
  await expect(bus.publishEvent(event('lost'))).rejects.toEqual(unavailable)
  await expect(bus.publishHint('sender.submissions', { queueId: 'q' })).rejects.toEqual(unavailable)
  await expect(request('unserved')).rejects.toEqual(unheld)
  // Publishing an invalidation (broadcast) while RabbitMQ is down causes no error.
  await bus.invalidate({ topic: 'tokens' })
}

test(
  'Bus: after the broker was killed, keeps confirmed events, can be disposed, restores everything',
  async () => {
    const other = await openBus(url)
    const waiting = expect(request('wait')).rejects.toEqual(unheld)
    const confirmed: string[] = []
    let stop = false
    const publishing = (async () => {
      for (let n = 0; !stop; n += 1) {
        const id = `under fire ${n}`
        await bus.publishEvent(event(id)).then(
          () => confirmed.push(id),
          () => (stop = true),
        )
      }
    })()
    await eventually(() => confirmed.length > 50)
    await rabbit.kill()
    await publishing
    await waiting
    await eventually(() => !bus.up)
    await expectRefusals()
    await eventually(() => !other.up)
    await other[Symbol.asyncDispose]()
    await expect(other.publishEvent(event('closed'))).rejects.toEqual(unavailable)
    invalidations.length = 0
    await rabbit.restart()
    await expectAllWorks('after kill')
    await expectAllTopics()
    await eventually(() => expect(confirmed.filter((id) => !handled.has(id))).toEqual([]))
  },
  brokerStartMs * 2,
)

test(
  'Bus: after the broker lost its data, redeclares exchanges, queues and bindings',
  async () => {
    invalidations.length = 0
    await rabbit.wipe()
    await expectAllWorks('after wipe')
    await expectAllTopics()
  },
  brokerStartMs * 2,
)

test(
  'Bus: with a hanging broker, requests fail before their deadline and heartbeats end the connection',
  async () => {
    rabbit.pause()
    try {
      await expect(request('silence', 300)).rejects.toMatchObject({ code: 'Timeout' })
      // The RPC request fails before the heartbeat detects the silent broker, which takes 10 s or
      // longer.
      await expect(request('silence', 8_000)).rejects.toEqual(unheld)
      expect(bus.up).toBe(false)
      await expect(request('silence')).rejects.toEqual(unheld)
      await expect(bus.publishEvent(event('silence'))).rejects.toEqual(unavailable)
      await eventually(() => !bus.up)
    } finally {
      invalidations.length = 0
      rabbit.resume()
    }
    await expectAllWorks('after silence')
    // A short silence of the RabbitMQ broker does not end the connection.
    rabbit.pause()
    const waiting = expect(request('silence', 8_000)).rejects.toEqual(unheld)
    await waiting.finally(() => rabbit.resume())
    await expectAllWorks('after a short silence')
  },
  brokerStartMs * 2,
)

test(
  'connectBus: returns while the broker is stopped, works after its restart, as does an earlier bus',
  async () => {
    await rabbit.stop()
    const { log, lines } = recordingLog()
    const early = await connectBus({ url, name: 'early', log, metrics: createMetrics('early') })
    expect(early.up).toBe(false)
    const got: string[] = []
    await early.consume({
      queue: 'webhook.events.4',
      schema: EventMessageSchema,
      prefetch: 1,
      handle: async ({ payload }) => void got.push(payload.eventId),
    })
    const server = await early.serve({
      queue: 'private',
      handlers: [on(echo, async () => ({ words: 'early' }))],
    })
    await server.bind('shard.2')
    await expect(early.whenUp(AbortSignal.timeout(50))).rejects.toMatchObject({
      name: 'TimeoutError',
    })
    await expect(early.publishEvent(event('too early'))).rejects.toEqual(unavailable)
    await eventually(() => lines.length > 0)

    invalidations.length = 0
    await rabbit.restart()
    await early.whenUp(AbortSignal.timeout(60_000))
    await eventually(() => early.publishEvent(event('early', { shard: 4 })))
    await eventually(() => got.includes('early'))
    const requested = () => early.request(echo, { words: '' }, { key: 'shard.2', timeoutMs: 5_000 })
    expect(await eventually(requested)).toEqual({ words: 'early' })
    // On a busy machine the RabbitMQ connection may be lost again, which adds log lines.
    expect(lines.slice(0, 2).map(({ words }) => words)).toEqual([
      'RabbitMQ connection failed, retrying',
      'RabbitMQ connected',
    ])
    await early[Symbol.asyncDispose]()
    await expectAllWorks('after restart')
    await expectAllTopics()
  },
  brokerStartMs * 2,
)

test('Bus: logs each loss and each reconnect once', () => {
  const messages = lines
    .map(({ words }) => words)
    .filter((words) => /^RabbitMQ (connected|connection lost)$/.test(words))
  const returns = messages.filter((words) => words === 'RabbitMQ connected').length
  expect(messages).toEqual(
    [
      ...Array.from({ length: returns - 1 }, () => [
        'RabbitMQ connected',
        'RabbitMQ connection lost',
      ]),
      'RabbitMQ connected',
    ].flat(),
  )
  // Expects one first connection, and a reconnect to RabbitMQ after each of the tests. A busy
  // machine may lose further connections.
  expect(returns).toBeGreaterThanOrEqual(5)
})

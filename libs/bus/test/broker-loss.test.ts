import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defineCommand, EventMessageSchema, type Invalidation } from '@posthorn/contracts'
import { createMetrics } from '@posthorn/telemetry'
import { eventually, type Rabbit, startTestRabbit } from '@posthorn/testkit'
import { Type } from 'typebox'
import { type Bus, connectBus, on } from '../src/index.ts'
import { event } from './events.ts'
import { openBus, recordingLog } from './open-bus.ts'

// A broker of this file's own: it is killed, stopped, emptied and made to hang.
const aBrokersStart = 60_000
const echo = defineCommand({
  name: 'echo',
  request: Type.Object({ words: Type.String() }),
  response: Type.Object({ words: Type.String() }),
})
const unavailable = expect.objectContaining({ kind: 'unavailable' })
const unheld = expect.objectContaining({ kind: 'unavailable', code: 'WorkerNotAvailable' })
const { log, lines } = recordingLog()
const handled = new Set<string>()
const heard: Invalidation[] = []

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
  await bus.onInvalidate((message) => heard.push(message))
}, aBrokersStart * 2)

afterAll(async () => {
  await bus?.[Symbol.asyncDispose]()
  await rabbit?.destroy()
}, aBrokersStart)

const ask = (words: string, timeoutMs = 60_000) =>
  bus.request(echo, { words }, { key: 'shard.1', timeoutMs })

/**
 * Everything works again within ten seconds of the broker's being there, with nothing done by
 * anybody.
 */
async function expectAllWorks(name: string): Promise<void> {
  await bus.whenUp(AbortSignal.timeout(10_000))
  await eventually(() => bus.publishEvent(event(name)))
  await eventually(() => handled.has(name))
  expect(await eventually(() => ask(name))).toEqual({ words: name })
}

/** Listeners are told of every topic, since they may have missed any. */
async function expectAllTopics(): Promise<void> {
  await eventually(() => expect(heard).toContainEqual({ topic: 'settings' }))
  expect(heard.map(({ topic }) => topic).sort()).toEqual([
    'accounts',
    'changes',
    'gateways',
    'routes',
    'settings',
    'tokens',
  ])
}

/**
 * What is asked of a broker that is not there is refused at once or, for messages, within five
 * seconds.
 */
async function expectRefusals(): Promise<void> {
  const started = performance.now()
  await expect(bus.publishEvent(event('lost'))).rejects.toEqual(unavailable)
  await expect(bus.publishHint('sender.submissions', { queueId: 'q' })).rejects.toEqual(unavailable)
  await expect(ask('nobody')).rejects.toEqual(unheld)
  await bus.invalidate({ topic: 'tokens' }) // best effort: no error
  expect(performance.now() - started).toBeLessThan(7_000)
}

test(
  'a broker that is killed: confirmed events are kept, the rest comes back by itself',
  async () => {
    const waiting = expect(ask('wait')).rejects.toEqual(unheld)
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
    heard.length = 0
    await rabbit.restart()
    await expectAllWorks('after kill')
    await expectAllTopics()
    await eventually(() => expect(confirmed.filter((id) => !handled.has(id))).toEqual([]))
  },
  aBrokersStart,
)

test(
  'a broker that is restarted in good order',
  async () => {
    heard.length = 0
    await rabbit.restart()
    await expectAllWorks('after restart')
    await expectAllTopics()
  },
  aBrokersStart,
)

test(
  'a broker that lost all its data gets its exchanges, queues and bindings again',
  async () => {
    heard.length = 0
    await rabbit.wipe()
    await expectAllWorks('after wipe')
    await expectAllTopics()
  },
  aBrokersStart,
)

test(
  'a broker that hangs is noticed by its silence; questions end at their deadline',
  async () => {
    rabbit.pause()
    try {
      await expect(ask('silence', 300)).rejects.toMatchObject({ code: 'Timeout' })
      const started = performance.now()
      await expect(bus.publishEvent(event('silence'))).rejects.toEqual(unavailable)
      expect(performance.now() - started).toBeLessThan(7_000)
      await eventually(() => !bus.up, { timeoutMs: 20_000 })
    } finally {
      heard.length = 0
      rabbit.resume()
    }
    await expectAllWorks('after silence')
  },
  aBrokersStart,
)

test(
  'a bus opened while the broker is down is there at once, and works when the broker does',
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

    await rabbit.restart()
    await early.whenUp(AbortSignal.timeout(10_000))
    await eventually(() => early.publishEvent(event('early', { shard: 4 })))
    await eventually(() => got.includes('early'))
    const asked = () => early.request(echo, { words: '' }, { key: 'shard.2', timeoutMs: 5_000 })
    expect(await eventually(asked)).toEqual({ words: 'early' })
    expect(lines.map(({ words }) => words)).toEqual([
      'RabbitMQ connection failed, retrying',
      'RabbitMQ connected',
    ])
    await early[Symbol.asyncDispose]()
  },
  aBrokersStart,
)

test(
  'a bus can be closed while the broker is down',
  async () => {
    await bus.whenUp(AbortSignal.timeout(10_000))
    const other = await openBus(url)
    await rabbit.kill()
    await eventually(() => !other.up)
    const started = performance.now()
    await other[Symbol.asyncDispose]()
    expect(performance.now() - started).toBeLessThan(8_000)
    await expect(other.publishEvent(event('closed'))).rejects.toEqual(unavailable)
    await rabbit.restart()
    await bus.whenUp(AbortSignal.timeout(10_000))
  },
  aBrokersStart,
)

test('each loss and each return was said once', () => {
  const said = lines
    .map(({ words }) => words)
    .filter((words) => /^RabbitMQ (connected|connection lost)$/.test(words))
  const returns = said.filter((words) => words === 'RabbitMQ connected').length
  expect(said).toEqual(
    [
      ...Array.from({ length: returns - 1 }, () => [
        'RabbitMQ connected',
        'RabbitMQ connection lost',
      ]),
      'RabbitMQ connected',
    ].flat(),
  )
  expect(returns).toBe(7)
})

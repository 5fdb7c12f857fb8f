import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, type WebhookReceiver } from '@posthorn/testkit'
import { dispatcherBench } from './dispatcher.ts'

const bench = await dispatcherBench()
const { db } = bench
const dispatchers = await Promise.all([
  bench.start({ SVC_WEBHOOK_TARGET_CONCURRENCY: '1' }),
  bench.start({ SVC_WEBHOOK_TARGET_CONCURRENCY: '1' }),
])
afterAll(async () => {
  for (const dispatcher of dispatchers) await dispatcher[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})
beforeAll(() => bench.set({ webhooksEnabled: true, webhookEvents: ['*'] }))

async function pause(paused: boolean): Promise<void> {
  if (paused) await db.insertInto('pausedQueues').values({ queue: 'notify' }).execute()
  else await db.deleteFrom('pausedQueues').execute()
  await bench.bus.invalidate({ topic: 'settings' })
}
const emit = (from: number, count: number) =>
  bench.emit(
    ...Array.from({ length: count }, (_, n) => ({ account: 'paused', data: { n: from + n } })),
  )

test('Dispatcher.setPaused: starts nothing while paused, then delivers everything once', async () => {
  const receiver = await bench.receiver()
  await bench.set({ webhooks: receiver.url })
  await bench.account('paused')
  // Webhook calls are slow enough that the pause takes effect long before the last call.
  receiver.replyWith(() => ({ delayMs: 1_000 }))
  await emit(0, 60)
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(1))
  await pause(true)
  // Claimed webhook deliveries stay claimed, and no further call is made.
  const made = await idleCount(receiver)
  expect(made).toBeLessThan(60)
  await emit(60, 5)
  await eventually(async () => expect(await bench.deliveries('paused')).toHaveLength(65))
  expect(await idleCount(receiver)).toBe(made)

  // The new webhook deliveries are due, but no dispatcher could start them.
  const metrics = await fetch(`http://127.0.0.1:${dispatchers[1]?.port}/metrics`)
  expect(await metrics.text()).toMatch(/^posthorn_deliveries_oldest_due_seconds\{.*\} 0$/m)

  // A new webhook-dispatcher starts paused, and a stopped dispatcher releases its deliveries.
  dispatchers.push(await bench.start())
  await dispatchers.shift()?.[Symbol.asyncDispose]()
  expect(await idleCount(receiver)).toBe(made)

  receiver.replyWith(() => ({}))
  await pause(false)
  const numbers = () => receiver.requests.map((request) => (request.json() as Body).data.n)
  await eventually(() => expect(numbers()).toHaveLength(65))
  expect(new Set(numbers()).size).toBe(65)
})

interface Body {
  data: { n: number }
}

/**
 * Number of webhook requests, once all requests have ended and the number has not changed for ten
 * polls.
 */
function idleCount({ requests }: WebhookReceiver): Promise<number> {
  let before = -1
  let polls = 0
  return eventually(async () => {
    const deliveries = await bench.deliveries('paused')
    const ended = deliveries.filter(({ state }) => state === 'delivered').length
    const made = requests.length
    polls = made === ended && made === before ? polls + 1 : 0
    before = made
    return polls >= 10 && made
  })
}

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
const happen = (from: number, count: number) =>
  bench.emit(
    ...Array.from({ length: count }, (_, n) => ({ account: 'paused', data: { n: from + n } })),
  )

test('while the queue is paused nothing is started; afterwards everything arrives once', async () => {
  const receiver = await bench.receiver()
  await bench.set({ webhooks: receiver.url })
  await bench.account('paused')
  receiver.replyWith(() => ({ delayMs: 100 }))
  await happen(0, 60)
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(1))
  await pause(true)
  // What is in hand stays there: calls stay away, with some of them still to be made.
  const made = await atRest(receiver)
  expect(made).toBeLessThan(60)
  await happen(60, 5)
  await eventually(async () => expect(await bench.deliveries('paused')).toHaveLength(65))
  expect(await atRest(receiver)).toBe(made)

  // A dispatcher that starts meanwhile keeps still as well, and one that ends gives back what it held.
  dispatchers.push(await bench.start())
  await dispatchers.shift()?.[Symbol.asyncDispose]()
  expect(await atRest(receiver)).toBe(made)

  receiver.replyWith(() => ({}))
  await pause(false)
  const numbers = () => receiver.requests.map((request) => (request.json() as Body).data.n)
  await eventually(() => expect(numbers()).toHaveLength(65))
  expect(new Set(numbers()).size).toBe(65)
})

interface Body {
  data: { n: number }
}

/** How many requests there were, once all of them have ended and no other comes, look after look. */
function atRest({ requests }: WebhookReceiver): Promise<number> {
  let before = -1
  let looks = 0
  return eventually(async () => {
    const deliveries = await bench.deliveries('paused')
    const ended = deliveries.filter(({ state }) => state === 'delivered').length
    const made = requests.length
    looks = made === ended && made === before ? looks + 1 : 0
    before = made
    return looks >= 10 && made
  })
}

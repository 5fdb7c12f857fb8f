import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { dispatcherBench } from './dispatcher.ts'

const bench = await dispatcherBench()
// Webhook calls that hang do so for the whole test, because the timeout is long.
const dispatcher = await bench.start({ SVC_WEBHOOK_TIMEOUT: '5m' })
afterAll(async () => {
  await dispatcher[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})
beforeAll(() => bench.set({ webhooksEnabled: true, webhookEvents: ['*'] }))

test('dispatch: first attempts of an account keep their order, a failed one delays no other', async () => {
  const receiver = await bench.receiver()
  await bench.account('ordered', { webhooks: receiver.url })
  // Batches of events with different sizes, as a sync records batches.
  const batches = [1, 9, 40, 100, 50].map((size) =>
    Array.from({ length: size }, () => ({ account: 'ordered', eventId: crypto.randomUUID() })),
  )
  const ids = batches.flat().map(({ eventId }) => eventId)
  const fails = 50
  receiver.replyWith(({ headers }) => {
    const isFailing =
      headers['x-svc-wh-event-id'] === ids[fails] && Number(headers['x-svc-wh-attempts-made']) < 3
    return isFailing ? { status: 500 } : {}
  })
  for (const events of batches) await bench.emit(...events)
  await eventually(() => expect(receiver.requests).toHaveLength(203))
  const first = receiver.requests.filter(({ headers }) => headers['x-svc-wh-attempts-made'] === '0')
  expect(first.map(({ headers }) => headers['x-svc-wh-event-id'])).toEqual(ids)
  await eventually(async () =>
    expect((await bench.deliveries('ordered')).every(({ state }) => state === 'delivered')).toBe(
      true,
    ),
  )
})

test('dispatch: a hanging target uses its concurrency limit and delays no other target', async () => {
  const slow = await bench.receiver()
  slow.replyWith(() => ({ instead: 'hang' }))
  const fast = await bench.receiver()
  const accounts = Array.from({ length: 20 }, (_, n) => `slow-${n}`)
  for (const account of accounts) await bench.account(account, { webhooks: slow.url })
  await bench.account('fast', { webhooks: fast.url })
  await bench.emit(...accounts.flatMap((account) => [{ account }, { account }, { account }]))
  await eventually(() => expect(slow.requests).toHaveLength(4))
  await bench.emit(...Array.from({ length: 100 }, () => ({ account: 'fast' })))
  await eventually(() => expect(fast.requests).toHaveLength(100))
  expect(slow.requests).toHaveLength(4)
  slow.replyWith(() => ({}))
  await slow.close() // ends the hanging webhook calls
  await slow.open()
  await eventually(() => expect(slow.requests).toHaveLength(64))
})

test('dispatch: deliveries beyond the memory limit wait in Postgres and keep their order', async () => {
  const receiver = await bench.receiver()
  await bench.account('many', { webhooks: receiver.url })
  const ids = await bench.emit(...Array.from({ length: 1_500 }, () => ({ account: 'many' })))
  await eventually(() => expect(receiver.requests).toHaveLength(ids.length), {
    timeoutMs: 500_000,
  })
  expect(receiver.requests.map(({ headers }) => headers['x-svc-wh-event-id'])).toEqual(ids)
  // Webhook calls are made one after the other; each takes 150 ms on a busy machine.
}, 600_000)

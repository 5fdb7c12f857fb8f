import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { dispatcherBench, serviceSecret } from './dispatcher.ts'

const bench = await dispatcherBench()
const dispatcher = await bench.start()
const receiver = await bench.receiver()
afterAll(async () => {
  await dispatcher[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})
beforeAll(async () => {
  await bench.set({ webhooksEnabled: true, webhookEvents: ['*'], webhooks: receiver.url })
  await bench.account('moved')
})

type Received = (typeof receiver.requests)[number]

/** Webhook headers of a request with a prefix, by the name without prefix. */
function webhookHeaders({ headers }: Received, prefix: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith(`${prefix}wh-`) ? [[name.slice(prefix.length), value] as const] : [],
    ),
  )
}

/** Records an event and returns its webhook request. */
async function deliver(): Promise<Received> {
  const [eventId] = await bench.emit({ account: 'moved' })
  const find = () =>
    receiver.requests.find(({ headers }) => headers['x-svc-wh-event-id'] === eventId)
  await eventually(() => expect(find()).toBeDefined())
  return find() as Received
}

/** Waits until the running webhook-dispatcher uses a changed setting. */
const untilHeaders = async (assert: (request: Received) => void) =>
  await eventually(async () => assert(await deliver()), { timeoutMs: 30_000 })

test('webhooksHeaderAlias: switched on, changed and off without a restart', async () => {
  expect(webhookHeaders(await deliver(), 'x-ee-')).toEqual({})
  await bench.set({ webhooksHeaderAlias: 'X-EE-' })
  await untilHeaders((request) => {
    const headers = webhookHeaders(request, 'x-svc-')
    expect(webhookHeaders(request, 'x-ee-')).toEqual(headers)
    const hmac = createHmac('sha256', serviceSecret).update(request.body)
    expect(headers).toMatchObject({
      'wh-id': expect.any(String),
      'wh-attempts-made': '0',
      'wh-queued-time': expect.stringMatching(/^\d+s$/),
      'wh-event-id': expect.any(String),
      'wh-signature': hmac.digest('base64url'),
    })
  })
  await bench.set({ webhooksHeaderAlias: 'X-Old-Product-' })
  await untilHeaders((request) => {
    expect(webhookHeaders(request, 'x-ee-')).toEqual({})
    expect(webhookHeaders(request, 'x-old-product-')).toEqual(webhookHeaders(request, 'x-svc-'))
  })
  await bench.set({ webhooksHeaderAlias: null })
  await untilHeaders((request) => expect(webhookHeaders(request, 'x-old-product-')).toEqual({}))
})

test('webhooksHeaderAlias: a retry has both names, with the number of attempts', async () => {
  await bench.set({ webhooksHeaderAlias: 'X-EE-' })
  await untilHeaders((request) => expect(webhookHeaders(request, 'x-ee-')).not.toEqual({}))
  receiver.script({ status: 500 })
  const first = await deliver()
  const id = first.headers['x-svc-wh-id']
  const attempts = () => receiver.requests.filter(({ headers }) => headers['x-ee-wh-id'] === id)
  await eventually(() => expect(attempts()).toHaveLength(2))
  expect(attempts().map(({ headers }) => headers['x-ee-wh-attempts-made'])).toEqual(['0', '1'])
})

test('webhooksHeaderAlias: custom headers of settings and account cannot replace webhook headers', async () => {
  const forged = { key: 'X-EE-Wh-Signature', value: 'forged' }
  await bench.set({
    webhooksHeaderAlias: 'X-EE-',
    webhooksCustomHeaders: [forged, { key: 'X-EE-Team', value: 'mail' }],
  })
  await bench.account('moved', {
    headers: [{ key: 'x-ee-wh-custom-route', value: 'forged' }],
  })
  await untilHeaders((request) => {
    expect(request.headers['x-ee-team']).toBe('mail')
    expect(webhookHeaders(request, 'x-ee-')).toEqual(webhookHeaders(request, 'x-svc-'))
  })
})

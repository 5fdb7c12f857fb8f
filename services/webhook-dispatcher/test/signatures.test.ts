import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { getServiceSecret } from '@posthorn/contracts/commands/credentials'
import { eventually, type ReceivedRequest } from '@posthorn/testkit'
import { Webhook } from 'standardwebhooks'
import { dispatcherBench } from './dispatcher.ts'

const bench = await dispatcherBench({ secret: false })
const own = await bench.receiver()
let keys: {
  serviceSecret: string
  previous?: { serviceSecret: string; until: string }[]
  targets?: { target: string; secret: string }[]
} = { serviceSecret: 'first', targets: [{ target: own.url, secret: 'whsec_b3du' }] }
const answering = await bench.bus.serve({
  queue: 'credentials',
  keys: ['credentials'],
  handlers: [on(getServiceSecret, async () => keys)],
})
const dispatcher = await bench.start()
afterAll(async () => {
  await dispatcher[Symbol.asyncDispose]()
  await answering[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})
beforeAll(() => bench.set({ webhooksEnabled: true, webhookEvents: ['*'] }))

const asKey = (secret: string) => `whsec_${Buffer.from(secret).toString('base64')}`

/** Verifies a webhook signature with the reference library of Standard Webhooks. */
function verifies(request: ReceivedRequest | undefined, key: string): boolean {
  try {
    new Webhook(key).verify(request?.body ?? '', (request?.headers ?? {}) as Record<string, string>)
    return true
  } catch {
    return false
  }
}

test('standardSignature: the reference library verifies every attempt, all are identical', async () => {
  const receiver = await bench.receiver()
  receiver.script({ status: 500 }, { status: 500 })
  await bench.set({ webhooks: `${receiver.url}?key=1` })
  await bench.account('standard')
  const [eventId] = await bench.emit({ account: 'standard', data: { text: 'zażółć ✓ 💣' } })
  await eventually(() => expect(receiver.requests).toHaveLength(3))
  for (const request of receiver.requests) expect(verifies(request, asKey('first'))).toBe(true)
  expect(verifies(receiver.requests[0], asKey('other'))).toBe(false)
  const standard = receiver.requests.map(({ headers }) => [
    headers['webhook-id'],
    headers['webhook-timestamp'],
    headers['webhook-signature'],
  ])
  expect(new Set(standard.map((headers) => headers.join(' '))).size).toBe(1)
  expect(standard[0]?.[0]).toBe(eventId)
})

test('standardSecrets: a target with its own key gets signatures of that key', async () => {
  await bench.account('own-key', { webhooks: `${own.url}?token=x` })
  await bench.emit({ account: 'own-key' })
  await eventually(() => expect(own.requests).toHaveLength(1))
  expect(verifies(own.requests[0], 'whsec_b3du')).toBe(true)
  expect(verifies(own.requests[0], asKey('first'))).toBe(false)
  expect(own.requests[0]?.headers['x-svc-wh-signature']).toBeDefined()
})

test('standardSecrets: during a secret rotation, both secrets verify', async () => {
  const receiver = await bench.receiver()
  await bench.set({ webhooks: receiver.url })
  await bench.account('rotated')
  const until = new Date(Date.now() + 3_600_000).toISOString()
  keys = { serviceSecret: 'second', previous: [{ serviceSecret: 'first', until }] }
  await bench.bus.invalidate({ topic: 'settings' })
  await eventually(async () => {
    await bench.emit({ account: 'rotated' })
    const both = receiver.requests.find((request) => verifies(request, asKey('second')))
    expect(both).toBeDefined()
    expect(verifies(both, asKey('first'))).toBe(true)
  })
  keys = {
    serviceSecret: 'second',
    previous: [{ serviceSecret: 'first', until: new Date().toISOString() }],
  }
  await bench.bus.invalidate({ topic: 'settings' })
  await eventually(async () => {
    await bench.emit({ account: 'rotated' })
    const last = receiver.requests.at(-1)
    expect(verifies(last, asKey('second'))).toBe(true)
    expect(verifies(last, asKey('first'))).toBe(false)
  })
})

import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { getServiceSecret } from '@posthorn/contracts/commands/credentials'
import { verifyWebhook } from '@posthorn/contracts/commands/verify'
import { sealedHeaders, sealedLogin, unsealsHeaders, unsealsLogins } from '@posthorn/testkit'
import { Webhook } from 'standardwebhooks'
import type { DispatcherApp } from '../src/app.ts'
import { dispatcherBench } from './dispatcher.ts'

const bench = await dispatcherBench({ secret: false })
const receiver = await bench.receiver()
let keys: {
  serviceSecret: string
  previous?: { serviceSecret: string; until: string }[]
  targets?: { target: string; secret: string }[]
} = { serviceSecret: 'first' }
const answering = await bench.bus.serve({
  queue: 'credentials',
  keys: ['credentials'],
  handlers: [on(getServiceSecret, async () => keys), unsealsLogins, unsealsHeaders()],
})
let running: DispatcherApp | undefined
const start = async (env?: Record<string, string>) => {
  running = await bench.start(env)
  return running
}
beforeEach(async () => {
  keys = { serviceSecret: 'first' }
  receiver.requests.length = 0
  receiver.replyWith(() => ({}))
  await bench.db.deleteFrom('settings').execute()
})
afterEach(async () => {
  await running?.[Symbol.asyncDispose]()
  running = undefined
})
afterAll(async () => {
  await answering[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})

type Selection = { url?: string; account?: string }
const request = (selection: Selection = {}, timeoutMs = 20_000) =>
  bench.bus.request(verifyWebhook, selection, { key: 'verify.webhook', timeoutMs })
const result = async (selection?: Selection, timeoutMs?: number) =>
  (await request(selection, timeoutMs)).result
const asKey = (secret: string) => `whsec_${Buffer.from(secret).toString('base64')}`

/** Verifies the last webhook request with the reference library of Standard Webhooks. */
function verifies(key: string): boolean {
  const { body = '', headers = {} } = receiver.requests.at(-1) ?? {}
  try {
    new Webhook(key).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

/** Database rows that a webhook delivery leaves, and a test call does not. */
const storedRows = async () => {
  const tables = ['deliveries', 'events', 'webhookAttempts', 'webhookRouteErrors'] as const
  const counts = tables.map((table) => bench.db.selectFrom(table).selectAll().execute())
  return (await Promise.all(counts)).flat()
}

describe('onVerifyWebhook', () => {
  test('default target: gets a signed test event, nothing is stored', async () => {
    await bench.set({ webhooks: `${receiver.url}?key=1`, serviceUrl: 'https://posthorn.example' })
    const { port } = await start()
    receiver.script({ status: 202, body: 'thanks\0' })
    const answer = await result()
    expect(answer).toEqual({
      success: true,
      address: receiver.url,
      eventId: expect.any(String),
      outcome: '2xx',
      status: 202,
      response: 'thanks',
      skippedHeaders: [],
      durationMs: expect.any(Number),
    })
    const [call] = receiver.requests
    expect(receiver.requests).toHaveLength(1)
    expect(call?.path).toBe('/hook?key=1')
    expect(call?.json()).toEqual({
      serviceUrl: 'https://posthorn.example',
      account: '',
      date: expect.any(String),
      event: 'test',
      data: { nonce: expect.any(String) },
    })
    const signature = createHmac('sha256', 'first')
      .update(call?.body ?? '')
      .digest('base64url')
    expect(call?.headers).toMatchObject({
      'x-svc-wh-signature': signature,
      'x-svc-wh-event-id': answer?.eventId,
      'x-svc-wh-attempts-made': '0',
    })
    expect(verifies(asKey('first'))).toBe(true)
    expect(await storedRows()).toEqual([])
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(metrics).not.toMatch(/^posthorn_webhooks_total\{.*\} [1-9]/m)
  })

  test.each([
    ['status 500', { status: 500, body: 'broken' }, 'http-5xx', 500, 'broken'],
    ['status 404', { status: 404 }, 'http-4xx', 404, ''],
    [
      'a redirect',
      { status: 302, headers: { location: 'http://127.0.0.2:1/' } },
      'redirect-refused',
      302,
      '',
    ],
    ['2 MB', { body: '✓'.repeat(700_000) }, '2xx', 200, '✓'.repeat(2_000)],
  ])('target responds with %s: reports the response', async (_name, reply, ...expected) => {
    await start()
    receiver.script(reply)
    const answer = await result({ url: receiver.url })
    expect([answer?.outcome, answer?.status, answer?.response]).toEqual(expected)
    expect(answer?.success).toBe(expected[0] === '2xx')
    expect(receiver.requests).toHaveLength(1)
  })

  test('silent target: ends after the timeout of a webhook', async () => {
    await start({ SVC_WEBHOOK_TIMEOUT: '300ms' })
    receiver.script({ instead: 'hang' })
    const answer = await result({ url: receiver.url })
    expect(answer).toMatchObject({ success: false, outcome: 'response-timeout', response: '' })
    expect(answer?.error).toEqual(expect.any(String))
    expect(answer?.status).toBeUndefined()
  })

  test('silent target: ends before the deadline of the requester', async () => {
    await start()
    receiver.script({ instead: 'hang' })
    expect(await result({ url: receiver.url }, 4_000)).toMatchObject({
      outcome: 'response-timeout',
    })
  })

  test('target at a forbidden address: is not called', async () => {
    await start({ SVC_WEBHOOK_EGRESS_POLICY: 'link-local' })
    expect(await result({ url: 'http://169.254.169.254/latest' })).toMatchObject({
      success: false,
      outcome: 'egress-blocked',
      address: 'http://169.254.169.254/latest',
      response: '',
    })
  })

  test('rotated secret: both secrets verify', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString()
    keys = { serviceSecret: 'second', previous: [{ serviceSecret: 'first', until }] }
    await start()
    expect(await result({ url: receiver.url })).toMatchObject({ success: true })
    for (const secret of ['first', 'second']) expect(verifies(asKey(secret))).toBe(true)
    expect(verifies(asKey('third'))).toBe(false)
  })

  test('target with its own secret: that secret signs, not the service secret', async () => {
    keys = { serviceSecret: 'first', targets: [{ target: receiver.url, secret: 'whsec_b3du' }] }
    await start()
    await result({ url: `${receiver.url}?any=1` })
    expect([verifies('whsec_b3du'), verifies(asKey('first'))]).toEqual([true, false])
  })

  test('custom headers: sends those of the default target and names those it must not send', async () => {
    const headers = [
      { key: 'X-Team', value: 'mail' },
      { key: 'X-SVC-Wh-Signature', value: 'forged' },
      { key: 'Host', value: 'other.example' },
      { key: 'X-Break', value: 'a\r\nX-Injected: b' },
      { key: 'X Space', value: 'a' },
    ]
    await bench.set({
      webhooks: receiver.url,
      webhooksCustomHeaders: await sealedHeaders('settings', headers),
    })
    await start()
    const answer = await result()
    expect(answer?.skippedHeaders).toEqual(['X-SVC-Wh-Signature', 'Host', 'X-Break', 'X Space'])
    const sent = receiver.requests[0]?.headers
    expect(sent).toMatchObject({ 'x-team': 'mail', host: new URL(receiver.url).host })
    expect(sent?.['x-injected']).toBeUndefined()
    expect(sent?.['x-svc-wh-signature']).not.toBe('forged')
  })

  test('URL: gets the headers of the default target only at the address of that target', async () => {
    const headers = [{ key: 'Authorization', value: 'Bearer secret' }]
    await bench.set({
      webhooks: receiver.url,
      webhooksCustomHeaders: await sealedHeaders('settings', headers),
    })
    await start()
    await result({ url: `${receiver.url}?other=1` })
    await result({ url: receiver.url.replace('/hook', '/hook2') })
    expect(receiver.requests.map((call) => call.headers.authorization)).toEqual([
      'Bearer secret',
      undefined,
    ])
  })

  test('URL with a sealed login: sends the login and shows none', async () => {
    await start()
    const url = await sealedLogin(receiver.url.replace('://', '://user:p%40ss@'))
    const answer = await result({ url })
    expect(answer).toMatchObject({ success: true, address: receiver.url })
    expect(receiver.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
    )
  })

  test('account: its own target, otherwise the default target', async () => {
    await bench.set({ webhooks: receiver.url })
    await bench.account('own', { webhooks: receiver.url.replace('/hook', '/own') })
    await bench.account('plain')
    await start()
    for (const account of ['own', 'plain'])
      expect(await result({ account })).toMatchObject({ success: true })
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/own', '/hook'])
    expect(receiver.requests.map((call) => call.json())).toEqual([
      expect.objectContaining({ account: 'own', event: 'test' }),
      expect.objectContaining({ account: 'plain', event: 'test' }),
    ])
  })

  test('target changed a moment ago: calls the new target', async () => {
    await bench.set({ webhooks: receiver.url.replace('/hook', '/old') })
    await start()
    await result()
    const value = JSON.stringify(receiver.url)
    await bench.db.updateTable('settings').set({ value }).where('key', '=', 'webhooks').execute()
    await result()
    expect(receiver.requests.map(({ path }) => path)).toEqual(['/old', '/hook'])
  })

  test('header alias changed a moment ago: sends the new names', async () => {
    await bench.set({ webhooks: receiver.url })
    await start()
    await result()
    const row = { key: 'webhooksHeaderAlias', value: JSON.stringify('X-EE-') }
    await bench.db.insertInto('settings').values(row).execute()
    await result()
    const sent = receiver.requests.map(({ headers }) => headers['x-ee-wh-attempts-made'])
    expect(sent).toEqual([undefined, '0'])
  })

  test('no target: replies without a result', async () => {
    await bench.account('plain')
    await start()
    expect(await request()).toEqual({})
    expect(await request({ account: 'plain' })).toEqual({})
    expect(await request({ account: 'unknown' })).toEqual({})
  })

  test('more than 5 concurrent tests: rejects with ttl', async () => {
    await start({ SVC_WEBHOOK_TIMEOUT: '1s' })
    receiver.replyWith(() => ({ instead: 'hang' }))
    const calls = Array.from({ length: 6 }, () => request({ url: receiver.url }))
    const settled = await Promise.allSettled(calls)
    const reasons = settled.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []))
    expect(reasons).toEqual([expect.objectContaining({ kind: 'rate-limited', extras: { ttl: 1 } })])
  })

  test('more than 10 tests in a row: rejects with ttl', async () => {
    await start()
    await expect(
      (async () => {
        // Permits for test calls are added at 1 per second, so far fewer than 100 calls exceed the
        // rate.
        for (let n = 0; n < 100; n++) await request({ url: receiver.url })
      })(),
    ).rejects.toMatchObject({ kind: 'rate-limited', extras: { ttl: 1 } })
    expect(receiver.requests.length).toBeGreaterThanOrEqual(10)
  })
})

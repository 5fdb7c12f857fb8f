import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, type WebhookReceiver } from '@posthorn/testkit'
import { sql } from 'kysely'
import type { DispatcherApp } from '../src/app.ts'
import { dispatcherBench } from './dispatcher.ts'

const bench = await dispatcherBench()
const start = () =>
  bench.start({ SVC_WEBHOOK_TARGET_CONCURRENCY: '1', SVC_WEBHOOK_RETRY_BASE: '100ms' })
const dispatchers: DispatcherApp[] = [await start(), await start()]
afterAll(async () => {
  for (const dispatcher of dispatchers) await dispatcher[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})
beforeAll(() => bench.set({ webhooksEnabled: true, webhookEvents: ['*'] }))

/**
 * Pauses webhook targets, and waits until all replicas of webhook-dispatcher have read the setting.
 */
async function pauseOnly(...targets: WebhookReceiver[]): Promise<void> {
  await bench.set({ webhookTargets: targets.map(({ url: target }) => ({ target, paused: true })) })
  for (const dispatcher of dispatchers)
    await eventually(async () =>
      expect(await metric(dispatcher, 'webhook_targets_paused_by_setting')).toBe(targets.length),
    )
}

async function metric({ port }: DispatcherApp, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(new RegExp(`^posthorn_${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1])
}

/** Numbers of the events that a webhook target has received. */
const numbers = ({ requests }: WebhookReceiver) =>
  requests.map((request) => (request.json() as { data: { n: number } }).data.n)
const numbered = (account: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({ account, data: { n: from + n } }))

async function deliver(account: string, receiver: WebhookReceiver): Promise<void> {
  const before = receiver.requests.length
  await bench.emit({ account })
  await eventually(() => expect(receiver.requests).toHaveLength(before + 1))
}

const stored = (account: string) =>
  bench.db
    .selectFrom('deliveries')
    .select(['state', 'attempts', 'claim'])
    .where('account', '=', account)
    .execute()

test('a paused target gets no calls, and later every delivery once, in order', async () => {
  const [paused, healthy] = [await bench.receiver(), await bench.receiver()]
  await bench.account('held', { webhooks: paused.url })
  await bench.account('beside', { webhooks: healthy.url })
  await pauseOnly(paused)
  await bench.emit(...numbered('held', 30))
  await eventually(async () => expect(await stored('held')).toHaveLength(30))
  for (const _ of dispatchers) await deliver('beside', healthy)
  expect(new Set((await stored('held')).map((row) => JSON.stringify(row)))).toEqual(
    new Set([JSON.stringify({ state: 'due', attempts: 0, claim: null })]),
  )
  expect(paused.requests).toEqual([])
  for (const dispatcher of dispatchers)
    expect(await metric(dispatcher, 'deliveries_oldest_due_seconds')).toBe(0)

  // A new replica of webhook-dispatcher knows the paused targets before it makes its first call.
  dispatchers.push(await start())
  await dispatchers.shift()?.[Symbol.asyncDispose]()
  await deliver('beside', healthy)
  expect(paused.requests).toEqual([])

  await pauseOnly()
  await eventually(() => expect(numbers(paused)).toHaveLength(30))
  expect(numbers(paused)).toEqual(numbered('held', 30).map(({ data }) => data.n))
})

test('a pause lets running calls end, and releases the deliveries that wait', async () => {
  const [paused, healthy] = [await bench.receiver(), await bench.receiver()]
  const accounts = Array.from({ length: 40 }, (_, n) => `waiting-${n}`)
  for (const account of accounts) await bench.account(account, { webhooks: paused.url })
  await bench.account('beside', { webhooks: healthy.url })
  paused.replyWith(() => ({ delayMs: 300 }))
  await bench.emit(...accounts.map((account, n) => ({ account, data: { n } })))
  await eventually(() => expect(paused.requests.length).toBeGreaterThan(0))
  await pauseOnly(paused)
  const rows = async () => (await Promise.all(accounts.map(stored))).flat()
  await eventually(async () => {
    const ended = await rows()
    expect(ended).toHaveLength(40)
    expect(ended.filter(({ claim }) => claim !== null)).toEqual([])
  })
  const made = paused.requests.length
  expect(made).toBeLessThan(40)
  const delivered = (await rows()).filter(({ state }) => state === 'delivered')
  expect(delivered).toHaveLength(made)
  expect((await rows()).filter(({ state, attempts }) => state === 'due' && attempts > 0)).toEqual(
    [],
  )
  await deliver('beside', healthy)
  expect(paused.requests).toHaveLength(made)

  paused.replyWith(() => ({}))
  await pauseOnly()
  await eventually(() => expect(numbers(paused)).toHaveLength(40))
  expect(new Set(numbers(paused)).size).toBe(40)
})

test('a paused target gets no calls of deliveries that were queued for its earlier address', async () => {
  const [earlier, later] = [await bench.receiver(), await bench.receiver()]
  await bench.account('moved', { webhooks: earlier.url })
  await pauseOnly(earlier)
  await bench.emit(...numbered('moved', 3))
  await eventually(async () => expect(await stored('moved')).toHaveLength(3))
  await bench.account('moved', { webhooks: later.url })
  await pauseOnly(later)
  await eventually(async () => {
    const delayed = await bench.db
      .selectFrom('deliveries')
      .select(['state', 'attempts', 'claim'])
      .where('account', '=', 'moved')
      .where('nextAttemptAt', '>', sql<Date>`now()`)
      .execute()
    const due = { state: 'due', attempts: 0, claim: null }
    expect(delayed).toEqual([due, due, due])
  })
  expect([earlier.requests, later.requests]).toEqual([[], []])

  await pauseOnly()
  await eventually(() => expect(numbers(later)).toEqual([0, 1, 2]))
  expect(earlier.requests).toEqual([])
})

test('a failed delivery stays due until the end of the pause, retries of others continue', async () => {
  const [paused, healthy] = [await bench.receiver(), await bench.receiver()]
  await bench.account('retried', { webhooks: paused.url })
  await bench.account('beside', { webhooks: healthy.url })
  paused.replyWith(() => ({ status: 503, headers: { 'Retry-After': '1' } }))
  healthy.replyWith(() => ({ status: 500 }))
  await bench.emit({ account: 'retried' })
  await eventually(() => expect(paused.requests.length).toBeGreaterThan(0))
  await pauseOnly(paused)
  const [eventId] = await bench.emit({ account: 'beside' })
  const isOverdue = async () => {
    const overdue = await bench.db
      .selectFrom('deliveries')
      .select(['state', 'claim'])
      .where('account', '=', 'retried')
      .where('nextAttemptAt', '<', sql<Date>`now() - interval '100 milliseconds'`)
      .execute()
    expect(overdue).toEqual([{ state: 'due', claim: null }])
  }
  await eventually(isOverdue)
  const made = paused.requests.length
  await eventually(() => expect(healthy.requests.length).toBeGreaterThan(2))
  await isOverdue()
  expect(paused.requests).toHaveLength(made)
  expect(new Set(healthy.requests.map(({ headers }) => headers['x-svc-wh-event-id']))).toEqual(
    new Set([eventId]),
  )

  for (const receiver of [paused, healthy]) receiver.replyWith(() => ({}))
  await pauseOnly()
  await eventually(async () =>
    expect(await stored('retried')).toMatchObject([{ state: 'delivered', attempts: made + 1 }]),
  )
})

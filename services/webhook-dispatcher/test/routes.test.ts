import { createHmac } from 'node:crypto'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { eventually, sealedLogin } from '@posthorn/testkit'
import { dispatcherBench, serviceSecret } from './dispatcher.ts'

const bench = await dispatcherBench()
const { db, bus } = bench
const dispatcher = await bench.start({ SVC_WEBHOOK_RETRY_BASE: '5ms' })
afterAll(async () => {
  await dispatcher[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})
afterEach(async () => {
  await db.deleteFrom('webhookRoutes').execute()
})

let names = 0
/** Inserts a webhook route as api-gateway does. */
async function addRoute(route: {
  targetUrl: string
  filter?: string
  map?: string
  enabled?: boolean
  expiresAt?: Date
  headers?: { key: string; value: string }[]
}): Promise<string> {
  const { headers = [], ...columns } = route
  const id = `route-${names++}`
  const row = { id, name: id, customHeaders: JSON.stringify(headers), ...columns }
  await db.insertInto('webhookRoutes').values(row).execute()
  return id
}
async function account(headers?: { key: string; value: string }[]): Promise<string> {
  const name = `account-${names++}`
  await bench.account(name, headers ? { headers } : {})
  return name
}
const counted = async (route: string) => {
  const rows = await db
    .selectFrom('webhookRouteCounts')
    .select('count')
    .where('route', '=', route)
    .execute()
  return rows.reduce((sum, { count }) => sum + Number(count), 0)
}
/** Events of an account for which no webhook deliveries exist yet. */
const pendingOf = (name: string) =>
  db
    .selectFrom('events')
    .select('id')
    .where('account', '=', name)
    .where('fannedOutAt', 'is', null)
    .execute()
const errorsOf = (route: string) =>
  db.selectFrom('webhookRouteErrors').selectAll().where('route', '=', route).orderBy('id').execute()
const flagOf = async (route: string) =>
  (
    await db
      .selectFrom('webhookRouteStates')
      .select('errorFlag')
      .where('route', '=', route)
      .executeTakeFirst()
  )?.errorFlag

test('routes: without a filter, gets every event; webhookEvents applies to the default target only', async () => {
  const [usual, special] = [await bench.receiver(), await bench.receiver()]
  await bench.set({ webhooksEnabled: true, webhooks: usual.url, webhookEvents: ['messageSent'] })
  const id = await addRoute({ targetUrl: special.url })
  const name = await account()
  const [first, second] = await bench.emit(
    { account: name, event: 'messageSent' },
    { account: name, event: 'messageFailed' },
  )
  await eventually(() => {
    expect(special.requests).toHaveLength(2)
    expect(usual.requests).toHaveLength(1)
  })
  const [one, two] = special.requests
  expect(one?.headers).toMatchObject({
    'x-svc-wh-custom-route': id,
    'x-svc-wh-event-id': first,
    'x-svc-wh-attempts-made': '0',
  })
  expect(two?.headers['x-svc-wh-event-id']).toBe(second)
  expect(usual.requests[0]?.headers['x-svc-wh-event-id']).toBe(first)
  expect(usual.requests[0]?.headers).not.toHaveProperty('x-svc-wh-custom-route')
  expect(one?.body).toEqual(usual.requests[0]?.body)
  expect(await counted(id)).toBe(2)
})

test('routes: an expired route gets no event, before api-gateway deletes it', async () => {
  const { url: targetUrl } = await bench.receiver()
  await bench.set({ webhooksEnabled: true, webhookEvents: [] })
  const at = (ms: number) => new Date(Date.now() + ms)
  const expired = await addRoute({ targetUrl, expiresAt: at(-1_000) })
  const lasting = await addRoute({ targetUrl, expiresAt: at(3_600_000) })
  const expiring = await addRoute({ targetUrl, expiresAt: at(2_000) })
  const name = await account()
  // The expiring webhook route is cached when the first deliveries are created. No change of a
  // route follows.
  await eventually(async () => {
    await bench.emit({ account: name, event: 'messageSent' })
    await eventually(async () => expect(await pendingOf(name)).toEqual([]))
    const targets = (await bench.deliveries(name)).map(({ target }) => target)
    const countOf = (route: string) => targets.filter((target) => target === route).length
    expect(countOf(expired)).toBe(0)
    expect(countOf(expiring)).toBeLessThan(countOf(lasting))
  })
})

test('routes: with inboxNewOnly, get new messages of the Inbox only, and all other events', async () => {
  const special = await bench.receiver()
  await bench.set({ webhooksEnabled: true, webhookEvents: [], inboxNewOnly: true })
  const id = await addRoute({ targetUrl: special.url })
  const name = await account()
  const sent = { account: name, path: 'Sent', specialUse: '\\Sent' }
  const [, ...emitted] = await bench.emit(
    { ...sent, event: 'messageNew' },
    { account: name, event: 'messageNew', path: 'INBOX', specialUse: '\\Inbox' },
    { ...sent, event: 'messageDeleted' },
  )
  await eventually(() => expect(special.requests).toHaveLength(2))
  await bench.set({ inboxNewOnly: false })
  expect(special.requests.map(({ headers }) => headers['x-svc-wh-event-id'])).toEqual(emitted)
  expect(await counted(id)).toBe(2)
})

test('routes: filter selects, map rewrites, every attempt sends the same signed bytes', async () => {
  const special = await bench.receiver()
  await bench.set({ webhooksEnabled: true, webhookEvents: [] })
  special.replyWith((_request, index) => ({ status: index < 2 ? 500 : 200 }))
  const id = await addRoute({
    targetUrl: special.url,
    filter: 'return payload.event === "messageSent" && payload.data.n === 2',
    map: 'return { seen: payload.eventId, by: payload._route.id, chance: Math.random(), ...payload }',
  })
  const name = await account()
  const ids = await bench.emit(
    ...[1, 2, 3].map((n) => ({ account: name, event: 'messageSent', data: { n } })),
  )
  await eventually(() => expect(special.requests).toHaveLength(3))
  const bodies = new Set(special.requests.map(({ body }) => body.toString()))
  expect(bodies.size).toBe(1)
  const [body = ''] = bodies
  const { eventId, _route, ...read } = JSON.parse(body) as Record<string, unknown>
  expect([eventId, _route]).toEqual([undefined, undefined])
  expect(read).toMatchObject({ seen: ids[1], by: id, event: 'messageSent', data: { n: 2 } })
  for (const { headers } of special.requests) {
    const signature = createHmac('sha256', serviceSecret).update(body).digest('base64url')
    expect(headers['x-svc-wh-signature']).toBe(signature)
  }
  expect(await counted(id)).toBe(1)
  await eventually(async () => {
    const rows = await bench.deliveries(name)
    expect(rows).toMatchObject([{ target: id, state: 'delivered', attempts: 3 }])
  })
})

test('routes: headers of the route are sent, those of the account win', async () => {
  const special = await bench.receiver()
  await bench.set({ webhooksEnabled: true, webhookEvents: [] })
  const headers = [
    { key: 'X-A', value: 'route' },
    { key: 'X-B', value: 'route' },
  ]
  const { host } = new URL(special.url)
  await addRoute({ targetUrl: await sealedLogin(`http://user:pass@${host}/hook`), headers })
  await bench.emit({ account: await account([{ key: 'x-b', value: 'account' }]) })
  await eventually(() => expect(special.requests).toHaveLength(1))
  expect(special.requests[0]?.headers).toMatchObject({
    'x-a': 'route',
    'x-b': 'account',
    authorization: `Basic ${Buffer.from('user:pass').toString('base64')}`,
  })
})

test('routes: failed functions are recorded, a filter rejects and a map keeps the payload', async () => {
  const special = await bench.receiver()
  await bench.set({ webhooksEnabled: true, webhookEvents: [] })
  const filtering = await addRoute({
    targetUrl: special.url,
    filter: 'return payload.data.from.address === "a@a.example"',
  })
  const mapping = await addRoute({ targetUrl: special.url, map: 'throw new Error("no")' })
  const name = await account()
  const [eventId] = await bench.emit({ account: name, event: 'messageSent', data: { n: 1 } })
  await eventually(async () => {
    expect(await errorsOf(filtering)).toMatchObject([
      { function: 'filter', reason: expect.stringContaining('TypeError'), account: name, eventId },
    ])
    expect(await errorsOf(mapping)).toMatchObject([
      { function: 'map', reason: 'Error: no', event: 'messageSent', eventId },
    ])
  })
  await eventually(() => expect(special.requests).toHaveLength(1))
  expect(JSON.parse(special.requests[0]?.body.toString() ?? '')).toMatchObject({ data: { n: 1 } })
  expect([await counted(filtering), await counted(mapping)]).toEqual([0, 1])
})

test('routes: the last 20 failures are kept', async () => {
  await bench.set({ webhooksEnabled: true, webhookEvents: [] })
  const id = await addRoute({ targetUrl: 'http://127.0.0.1:1/', filter: 'throw payload.data.n' })
  const name = await account()
  await bench.emit(...Array.from({ length: 30 }, (_, n) => ({ account: name, data: { n } })))
  await eventually(async () => {
    const reasons = (await errorsOf(id)).map(({ reason }) => reason)
    expect(reasons).toHaveLength(20)
    expect(reasons.at(-1)).toBe('threw 29')
  })
})

test('routes: endless functions do not delay other routes', async () => {
  const special = await bench.receiver()
  await bench.set({ webhooksEnabled: true, webhookEvents: [] })
  const endless = await addRoute({
    targetUrl: special.url,
    filter: 'if (payload.data) for (;;);',
  })
  await addRoute({ targetUrl: special.url, filter: 'return payload.data.n >= 0' })
  const name = await account()
  const wanted = await bench.emit(
    ...Array.from({ length: 200 }, (_, n) => ({ account: name, data: { n } })),
  )
  await eventually(() => expect(special.requests).toHaveLength(200))
  expect(special.requests.map(({ headers }) => headers['x-svc-wh-event-id'])).toEqual(wanted)
  await eventually(async () => {
    const [first] = await errorsOf(endless)
    expect(first?.reason).toBe('takes too much time')
  })
})

test('routes: enabling and disabling takes effect with the next event', async () => {
  const special = await bench.receiver()
  await bench.set({ webhooksEnabled: true, webhookEvents: [] })
  const name = await account()
  const id = await addRoute({ targetUrl: special.url, enabled: false })
  const setEnabled = (enabled: boolean) =>
    db.updateTable('webhookRoutes').set({ enabled }).where('id', '=', id).execute()
  const ids: (string | undefined)[] = []
  for (const on of [false, true, false, true]) {
    await setEnabled(on)
    const [eventId] = await bench.emit({ account: name })
    if (on) ids.push(eventId)
    await eventually(async () => {
      expect(await pendingOf(name)).toEqual([])
      expect(special.requests).toHaveLength(ids.length)
    })
  }
  expect(special.requests.map(({ headers }) => headers['x-svc-wh-event-id'])).toEqual(ids)
})

test('routes: get nothing while webhooks are disabled', async () => {
  const special = await bench.receiver()
  await bench.set({ webhooksEnabled: false, webhookEvents: ['*'] })
  await addRoute({ targetUrl: special.url })
  const name = await account()
  await bench.emit({ account: name })
  await eventually(async () => expect(await pendingOf(name)).toEqual([]))
  expect(await bench.deliveries(name)).toEqual([])
})

test('routes: the error flag has the last failure and is cleared by a success', async () => {
  const special = await bench.receiver()
  await bench.set({ webhooksEnabled: true, webhookEvents: [] })
  special.replyWith(() => ({ status: 500 }))
  const id = await addRoute({ targetUrl: special.url })
  const name = await account()
  await bench.emit({ account: name })
  await eventually(async () => expect(await flagOf(id)).toBe('The target answered 500'))
  special.replyWith(() => ({ status: 200 }))
  await bench.emit({ account: name })
  await eventually(async () => expect(await flagOf(id)).toBeUndefined())
})

test('routes: the error flag is cleared when webhooks are disabled', async () => {
  const special = await bench.receiver()
  await bench.set({ webhooksEnabled: true, webhookEvents: [] })
  special.replyWith(() => ({ status: 500 }))
  const id = await addRoute({ targetUrl: special.url })
  await bench.emit({ account: await account() })
  await eventually(async () => expect(await flagOf(id)).toBe('The target answered 500'))
  await bench.set({ webhooksEnabled: false })
  await eventually(async () => expect(await flagOf(id)).toBeUndefined())
})

test('routes: due deliveries of a deleted route are dropped', async () => {
  const special = await bench.receiver()
  await bench.set({ webhooksEnabled: true, webhookEvents: [] })
  special.replyWith(() => ({ status: 500 }))
  await bench.retryOften(special)
  const id = await addRoute({ targetUrl: special.url })
  const name = await account()
  await bench.emit({ account: name })
  await eventually(() => expect(special.requests.length).toBeGreaterThan(0))
  await db.deleteFrom('webhookRoutes').where('id', '=', id).execute()
  await bus.invalidate({ topic: 'routes', id })
  await eventually(async () =>
    expect(await bench.deliveries(name)).toMatchObject([
      { state: 'dropped', lastOutcome: 'no-target' },
    ]),
  )
})

test('routes: functions get large bodies, and large outputs are delivered', async () => {
  const special = await bench.receiver()
  await bench.set({ webhooksEnabled: true, webhookEvents: [] })
  await addRoute({
    targetUrl: special.url,
    filter: 'return payload.data.text.length === 100000',
    map: 'return { text: payload.data.text + payload.data.text }',
  })
  await bench.emit({ account: await account(), data: { text: 'é'.repeat(100_000) } })
  await eventually(() => expect(special.requests).toHaveLength(1))
  const { body } = special.requests[0] ?? {}
  expect(JSON.parse(body?.toString() ?? '')).toEqual({ text: 'é'.repeat(200_000) })
})

test('routes: with two dispatchers, each event is delivered and counted once', async () => {
  const special = await bench.receiver()
  await bench.set({ webhooksEnabled: true, webhookEvents: [] })
  await using _other = await bench.start()
  const id = await addRoute({
    targetUrl: special.url,
    filter: 'return payload.data.n % 2 === 0',
    map: 'return { n: payload.data.n }',
  })
  const accounts = await Promise.all(Array.from({ length: 10 }, () => account()))
  for (let n = 0; n < 20; n++)
    await bench.emit(...accounts.map((name) => ({ account: name, data: { n } })))
  await eventually(() => expect(special.requests.length).toBeGreaterThanOrEqual(100))
  await eventually(async () => {
    const rows = await Promise.all(accounts.map((name) => bench.deliveries(name)))
    expect(rows.flat().filter(({ state }) => state === 'delivered')).toHaveLength(100)
  })
  expect(special.requests).toHaveLength(100)
  expect(await counted(id)).toBe(100)
})

import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually, type WebhookReceiver } from '@posthorn/testkit'
import { sql } from 'kysely'
import { dispatcherBench, serviceSecret } from './dispatcher.ts'

const bench = await dispatcherBench()
let dispatcher = await bench.start()
async function restart(env?: Record<string, string>): Promise<void> {
  await dispatcher[Symbol.asyncDispose]()
  dispatcher = await bench.start(env)
}
afterAll(async () => {
  await dispatcher[Symbol.asyncDispose]()
  await bench[Symbol.asyncDispose]()
})
beforeAll(() => bench.set({ webhooksEnabled: true, webhookEvents: ['*'] }))

/** Starts a webhook receiver and makes it the default target. */
async function defaultTarget(): Promise<WebhookReceiver> {
  const receiver = await bench.receiver()
  await bench.set({ webhooks: receiver.url })
  return receiver
}

const received = (receiver: WebhookReceiver, count: number) =>
  eventually(() => expect(receiver.requests).toHaveLength(count))
const finished = (account: string, state: string) =>
  eventually(async () =>
    expect(await bench.deliveries(account)).toEqual([expect.objectContaining({ state })]),
  )

test('createAttempts: sends the event, signed, with the headers of the interface spec', async () => {
  const receiver = await defaultTarget()
  await bench.account('signed')
  const [eventId] = await bench.emit({
    account: 'signed',
    data: { text: 'zażółć ✓ 💣' },
    path: 'INBOX',
    specialUse: '\\Inbox',
  })
  await received(receiver, 1)
  const [request] = receiver.requests
  const [delivery] = await bench.deliveries('signed')
  expect(request).toMatchObject({ method: 'POST', path: '/hook' })
  expect(request?.headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(request?.body.length),
    'user-agent': expect.stringMatching(/^Posthorn\/[\w.-]+ \(\+https:\/\/[^)]+\)$/),
    'x-svc-wh-id': delivery?.id,
    'x-svc-wh-attempts-made': '0',
    'x-svc-wh-queued-time': expect.stringMatching(/^[0-9]+s$/),
    'x-svc-wh-event-id': eventId,
    'x-svc-wh-signature': createHmac('sha256', serviceSecret)
      .update(request?.body ?? '')
      .digest('base64url'),
  })
  expect(request?.headers).not.toHaveProperty('x-svc-wh-custom-route')
  expect(request?.headers).not.toHaveProperty('authorization')
  expect(request?.json()).toEqual({
    serviceUrl: null,
    account: 'signed',
    date: expect.any(String),
    path: 'INBOX',
    specialUse: '\\Inbox',
    event: 'messageSent',
    data: { text: 'zażółć ✓ 💣' },
  })
  await finished('signed', 'delivered')
})

test('createAttempts: a retry has the same ids, bytes and signature, and the attempt number', async () => {
  const receiver = await defaultTarget()
  receiver.script(
    { status: 500, body: 'not now' },
    { status: 404 },
    { instead: 'drop' },
    { instead: 'hang' },
    { status: 429 },
  )
  await restart({ SVC_WEBHOOK_TIMEOUT: '6s' })
  await bench.account('repeated')
  await bench.emit({ account: 'repeated' })
  await finished('repeated', 'delivered')
  // On a busy machine, more than one webhook attempt may time out.
  expect(receiver.requests.length).toBeGreaterThanOrEqual(6)
  expect(receiver.requests.map(({ headers }) => headers['x-svc-wh-attempts-made'])).toEqual(
    receiver.requests.map((_request, index) => String(index)),
  )
  const same = receiver.requests.map(({ headers, body }) => ({
    id: headers['x-svc-wh-id'],
    eventId: headers['x-svc-wh-event-id'],
    signature: headers['x-svc-wh-signature'],
    body: body.toString('base64'),
  }))
  expect(new Set(same.map((request) => JSON.stringify(request))).size).toBe(1)
  await restart()
})

test('nextState: failed after ten attempts, with the last response', async () => {
  const receiver = await defaultTarget()
  receiver.replyWith(() => ({ status: 503, body: 'out of order' }))
  await bench.account('hopeless')
  await bench.emit({ account: 'hopeless' })
  await finished('hopeless', 'failed')
  expect(receiver.requests).toHaveLength(10)
  const row = await bench.db
    .selectFrom('deliveries')
    .selectAll()
    .where('account', '=', 'hopeless')
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({
    attempts: 10,
    lastOutcome: 'http-5xx',
    lastStatus: 503,
    lastResponse: 'out of order',
    claim: null,
  })
  expect(row.finishedAt).toBeInstanceOf(Date)
})

test('nextState: a redirect is neither followed nor retried', async () => {
  const receiver = await defaultTarget()
  const elsewhere = await bench.receiver()
  receiver.replyWith(() => ({ status: 307, headers: { Location: elsewhere.url } }))
  await bench.account('redirected')
  await bench.emit({ account: 'redirected' })
  await finished('redirected', 'failed')
  expect(receiver.requests).toHaveLength(1)
  expect(elsewhere.requests).toHaveLength(0)
  expect(await bench.deliveries('redirected')).toMatchObject([
    { attempts: 1, lastOutcome: 'redirect-refused' },
  ])
})

test('nextState: a link-local target is blocked and not retried', async () => {
  await bench.account('metadata', { webhooks: 'http://169.254.169.254/latest/meta-data' })
  await bench.emit({ account: 'metadata' })
  await finished('metadata', 'failed')
  expect(await bench.deliveries('metadata')).toMatchObject([
    { attempts: 1, lastOutcome: 'egress-blocked' },
  ])
})

test('targetOf: the account target replaces the default one', async () => {
  const receiver = await defaultTarget()
  const own = await bench.receiver()
  await bench.account('override', { webhooks: own.url })
  await bench.emit({ account: 'override' })
  await received(own, 1)
  await finished('override', 'delivered')
  expect(receiver.requests).toHaveLength(0)
})

test('targetOf: accountDeleted reaches the target of the deleted account', async () => {
  const own = await bench.receiver()
  const accountTarget = { url: own.url, headers: [{ key: 'X-Own', value: 'yes' }] }
  await bench.emit(
    { account: 'deleted', event: 'accountDeleted', data: { account: 'deleted' }, accountTarget },
    { account: 'deleted' },
  )
  await received(own, 1)
  await finished('deleted', 'delivered') // the only webhook event of a deleted account
  expect(own.requests[0]?.headers).toMatchObject({ 'x-own': 'yes' })
})

test('isWanted: events outside webhookEvents are not sent', async () => {
  const receiver = await defaultTarget()
  await bench.account('listed')
  await bench.set({ webhookEvents: ['messageFailed'] })
  const [, wanted] = await bench.emit(
    { account: 'listed' },
    { account: 'listed', event: 'messageFailed' },
  )
  await received(receiver, 1)
  await bench.set({ webhookEvents: ['*'] })
  expect(receiver.requests[0]?.headers['x-svc-wh-event-id']).toBe(wanted)
  expect(await bench.deliveries('listed')).toHaveLength(1)
})

test('isEmitted: with inboxNewOnly, new messages of other mailboxes are not sent', async () => {
  const receiver = await defaultTarget()
  await bench.account('inbox')
  await bench.set({ inboxNewOnly: true })
  const event = 'messageNew'
  const [, inbox, allMail] = await bench.emit(
    { account: 'inbox', event, path: 'Sent', specialUse: '\\Sent' },
    { account: 'inbox', event, path: 'INBOX', specialUse: '\\Inbox' },
    {
      account: 'inbox',
      event,
      path: 'All',
      specialUse: '\\All',
      data: { messageSpecialUse: '\\Inbox' },
    },
  )
  await received(receiver, 2)
  await bench.set({ inboxNewOnly: false })
  expect(receiver.requests.map(({ headers }) => headers['x-svc-wh-event-id'])).toEqual([
    inbox,
    allMail,
  ])
})

test('targetOf: events recorded while webhooks are disabled are never sent', async () => {
  const receiver = await defaultTarget()
  await bench.account('off')
  await bench.set({ webhooksEnabled: false })
  await bench.emit({ account: 'off' })
  await eventually(async () =>
    expect(
      await bench.db
        .selectFrom('events')
        .select('id')
        .where('account', '=', 'off')
        .where('fannedOutAt', 'is', null)
        .execute(),
    ).toEqual([]),
  )
  await bench.set({ webhooksEnabled: true })
  const [later] = await bench.emit({ account: 'off' })
  await received(receiver, 1)
  expect(receiver.requests[0]?.headers['x-svc-wh-event-id']).toBe(later)
})

test('createAttempts: a delivery without a target at its next attempt is dropped', async () => {
  const receiver = await defaultTarget()
  receiver.replyWith(() => ({ status: 500 }))
  await bench.retryOften(receiver)
  await bench.account('gone')
  await bench.emit({ account: 'gone' })
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(2))
  await bench.set({ webhooksEnabled: false })
  await finished('gone', 'dropped')
  await bench.set({ webhooksEnabled: true })
})

test('createTargets: a retry goes to the current address of its target', async () => {
  const broken = await bench.receiver()
  broken.replyWith(() => ({ status: 500 }))
  await bench.retryOften(broken)
  const mended = await bench.receiver()
  await bench.account('moved', { webhooks: broken.url })
  await bench.emit({ account: 'moved' })
  await eventually(() => expect(broken.requests.length).toBeGreaterThan(1))
  await bench.account('moved', { webhooks: mended.url })
  await received(mended, 1)
  await finished('moved', 'delivered')
})

test('requestHeaders: URL credentials become Basic, headers of the account win', async () => {
  const receiver = await defaultTarget()
  await bench.set({
    webhooks: receiver.url.replace('http://', 'http://user:p%40ss@'),
    webhooksCustomHeaders: [
      { key: 'X-Team', value: 'default' },
      { key: 'X-Only', value: '1' },
      { key: 'X-SVC-Wh-Signature', value: 'forged' },
    ],
  })
  await bench.account('headers', { headers: [{ key: 'x-team', value: 'account' }] })
  await bench.emit({ account: 'headers' })
  await received(receiver, 1)
  await bench.set({ webhooksCustomHeaders: [] })
  const headers = receiver.requests[0]?.headers
  expect(headers).toMatchObject({
    authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}`,
    'x-team': 'account',
    'x-only': '1',
  })
  expect(headers?.['x-svc-wh-signature']).not.toContain('forged')
  const { lane } = await bench.db
    .selectFrom('deliveries')
    .select('lane')
    .where('account', '=', 'headers')
    .executeTakeFirstOrThrow()
  expect(lane).not.toContain('user')
})

test('findBody: an event of 2 MB arrives complete', async () => {
  const receiver = await defaultTarget()
  await bench.account('large')
  await bench.emit({ account: 'large', data: { text: { plain: 'ä'.repeat(1_000_000) } } })
  await received(receiver, 1)
  expect(receiver.requests[0]?.json()).toMatchObject({
    data: { text: { plain: expect.stringMatching(/^ä{1000000}$/) } },
  })
})

test('stored event of 65 MB: its delivery fails, a claim check and the partition go on', async () => {
  const receiver = await defaultTarget()
  await bench.account('oversized')
  const body = (size: number) => sql<string>`'{"data":"' || repeat('x', ${size}) || '"}'`
  for (const [at, size] of [1_000, 65 * 1024 * 1024, 1_000_000].entries())
    await bench.db
      .insertInto('events')
      .values({
        eventId: crypto.randomUUID(),
        event: 'messageNew',
        account: 'oversized',
        shard: shardOf('oversized'),
        date: new Date(Date.now() - 60_000 + at),
        body: body(size),
      })
      .execute()
  await received(receiver, 2)
  expect(receiver.requests.map(({ body }) => body.length)).toEqual([1_011, 1_000_011])
  await eventually(async () =>
    expect(await bench.deliveries('oversized')).toMatchObject([
      { state: 'delivered' },
      { state: 'failed', attempts: 0, lastOutcome: 'too-large' },
      { state: 'delivered' },
    ]),
  )
  // Events that their writer did not publish are published as claim checks (without the body).
  await eventually(async () =>
    expect(
      await bench.db
        .selectFrom('events')
        .select('id')
        .where('account', '=', 'oversized')
        .where('publishedAt', 'is', null)
        .execute(),
    ).toEqual([]),
  )
})

test('fan-out: an event published twice is delivered once', async () => {
  const receiver = await defaultTarget()
  await bench.account('twice')
  const eventId = crypto.randomUUID()
  await bench.emit({ account: 'twice', eventId })
  const event = await bench.db
    .selectFrom('events')
    .select(['shard', 'date'])
    .where('eventId', '=', eventId)
    .executeTakeFirstOrThrow()
  const message = {
    eventId,
    event: 'messageSent',
    account: 'twice',
    shard: event.shard,
    date: event.date.toISOString(),
  }
  await Promise.all([bench.bus.publishEvent(message), bench.bus.publishEvent(message)])
  await bench.emit({ account: 'twice' })
  await received(receiver, 2)
  expect(await bench.deliveries('twice')).toHaveLength(2)
})

test('dispatcherMetrics: counts attempts by outcome and event', async () => {
  await defaultTarget()
  await bench.account('counted')
  await bench.emit({ account: 'counted' })
  await finished('counted', 'delivered')
  const label = 'service="webhook-dispatcher"'
  // A scrape of the metrics may precede the counts of Postgres.
  await eventually(async () => {
    const response = await fetch(`http://127.0.0.1:${dispatcher.port}/metrics`)
    const text = await response.text()
    expect(text).toMatch(
      new RegExp(`posthorn_webhooks_total\\{result="2xx",event="messageSent",${label}\\} \\d+`),
    )
    for (const name of [
      'deliveries_due',
      'deliveries_oldest_due_seconds',
      'webhook_first_attempt_delay_seconds_count',
    ])
      expect(text).toMatch(new RegExp(`posthorn_${name}\\{${label}\\} \\d+`))
  })
})

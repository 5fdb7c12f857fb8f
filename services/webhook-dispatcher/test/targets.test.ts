import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, sealedHeaders, sealedLogin } from '@posthorn/testkit'
import type { DispatcherApp } from '../src/app.ts'
import { dispatcherBench } from './dispatcher.ts'

const bench = await dispatcherBench()
const running: DispatcherApp[] = []
const start = async (env: Record<string, string>) => {
  const app = await bench.start(env)
  running.push(app)
  return app
}
const stop = async () => {
  for (const app of running.splice(0)) await app[Symbol.asyncDispose]()
}
afterEach(stop)
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
})
beforeAll(() => bench.set({ webhooksEnabled: true, webhookEvents: ['*'] }))

const finished = (account: string, state: string) =>
  eventually(async () =>
    expect(await bench.deliveries(account)).toEqual([expect.objectContaining({ state })]),
  )
const metric = async ({ port }: DispatcherApp, name: string) => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(new RegExp(`^posthorn_${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1])
}

test('createTargets: unseals the login of a URL, also for the accountDeleted of an account', async () => {
  const [all, own, deleted] = [
    await bench.receiver(),
    await bench.receiver(),
    await bench.receiver(),
  ]
  const withLogin = ({ url }: { url: string }, user: string) =>
    sealedLogin(url.replace('://', `://${user}:p%40ss@`))
  await bench.set({ webhooks: await withLogin(all, 'all') })
  await start({})
  await bench.account('by-default')
  await bench.account('by-own', { webhooks: await withLogin(own, 'own') })
  const url = await withLogin(deleted, 'deleted')
  await bench.emit(
    { account: 'by-default' },
    { account: 'by-own' },
    { account: 'was', event: 'accountDeleted', accountTarget: { url, headers: [] } },
  )
  for (const account of ['by-default', 'by-own', 'was']) await finished(account, 'delivered')
  for (const [receiver, user] of [
    [all, 'all'],
    [own, 'own'],
    [deleted, 'deleted'],
  ] as const)
    expect(receiver.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(`${user}:p@ss`).toString('base64')}`,
    )
  await bench.set({ webhooks: '' })
  const rows = await bench.db.selectFrom('deliveries').select('lane').execute()
  expect(JSON.stringify(rows)).not.toMatch(/sealed|p%40ss|own:/)
})

test('createTargets: a login that cannot be unsealed fails the attempt without a call', async () => {
  const receiver = await bench.receiver()
  await bench.set({ webhookTargets: [{ target: receiver.url, retrySchedule: [0.01] }] })
  await start({})
  const { host } = new URL(receiver.url)
  const elsewhere = receiver.url.replace(host, 'u:p@elsewhere.example')
  const webhooks = (await sealedLogin(elsewhere)).replace('elsewhere.example', host)
  await bench.account('lost', { webhooks })
  await bench.emit({ account: 'lost' })
  await finished('lost', 'failed')
  expect(await bench.deliveries('lost')).toMatchObject([{ attempts: 2, lastOutcome: 'protocol' }])
  expect(receiver.requests).toEqual([])
})

test('createTargets: sends unsealed headers to their targets, and requests each value once', async () => {
  const [all, own, deleted] = [
    await bench.receiver(),
    await bench.receiver(),
    await bench.receiver(),
  ]
  const key = 'Authorization'
  const ofAll = await sealedHeaders('settings', [{ key: 'X-All', value: 'of all' }])
  await bench.set({ webhooks: all.url, webhooksCustomHeaders: ofAll })
  const sealed = (account: string) =>
    sealedHeaders(`account/${account}`, [{ key, value: `Bearer of ${account}` }])
  await start({})
  await bench.account('keyed', { headers: await sealed('keyed') })
  await bench.account('keyed-own', { webhooks: own.url, headers: await sealed('keyed-own') })
  const accountTarget = { url: deleted.url, headers: await sealed('keyed-gone') }
  for (const account of ['keyed', 'keyed-own']) await bench.emit({ account }, { account })
  await bench.emit({ account: 'keyed-gone', event: 'accountDeleted', accountTarget })
  for (const [account, receiver, count] of [
    ['keyed', all, 2],
    ['keyed-own', own, 2],
    ['keyed-gone', deleted, 1],
  ] as const) {
    await eventually(() => expect(receiver.requests).toHaveLength(count))
    for (const { headers } of receiver.requests)
      expect([headers.authorization, headers['x-all']]).toEqual([
        `Bearer of ${account}`,
        account === 'keyed' ? 'of all' : undefined,
      ])
  }
  expect(bench.headers.requested).toHaveLength(4)
  await bench.set({ webhooks: '', webhooksCustomHeaders: [] })
})

test('createTargets: headers sealed for another account fail the attempt without a call', async () => {
  const receiver = await bench.receiver()
  await bench.set({ webhookTargets: [{ target: receiver.url, retrySchedule: [0.01] }] })
  await start({})
  const headers = await sealedHeaders('account/other', [{ key: 'X-Key', value: 'hush' }])
  await bench.account('thief', { webhooks: receiver.url, headers })
  await bench.emit({ account: 'thief' })
  await finished('thief', 'failed')
  expect(await bench.deliveries('thief')).toMatchObject([{ attempts: 2, lastOutcome: 'protocol' }])
  expect(receiver.requests).toEqual([])
})

test('createTargets: while auth-bridge is unavailable, deliveries wait uncounted', async () => {
  const receiver = await bench.receiver()
  await start({})
  const headers = await sealedHeaders('account/waiting', [{ key: 'X-Key', value: 'hush' }])
  await bench.account('waiting', { webhooks: receiver.url, headers })
  bench.headers.unavailable = true
  await bench.emit({ account: 'waiting' })
  const requests = () =>
    bench.headers.requested.filter((value) => value === headers[0]?.value).length
  await eventually(() => expect(requests()).toBeGreaterThan(1))
  expect(await bench.deliveries('waiting')).toMatchObject([{ state: 'due' }])
  expect(receiver.requests).toEqual([])
  bench.headers.unavailable = false
  await finished('waiting', 'delivered')
  expect(await bench.deliveries('waiting')).toMatchObject([{ attempts: 1 }])
  expect(receiver.requests[0]?.headers['x-key']).toBe('hush')
})

test('targetOptions: a target has its own retry schedule', async () => {
  const receiver = await bench.receiver()
  receiver.replyWith(() => ({ status: 500 }))
  await bench.set({ webhookTargets: [{ target: receiver.url, retrySchedule: [0.01, 0.02] }] })
  await start({ SVC_WEBHOOK_RETRY_BASE: '1h' })
  await bench.account('own-schedule', { webhooks: receiver.url })
  await bench.emit({ account: 'own-schedule' })
  await finished('own-schedule', 'failed')
  expect(receiver.requests).toHaveLength(3)
})

test('targetOptions: a target has its own concurrency limit', async () => {
  const receiver = await bench.receiver()
  receiver.replyWith(() => ({ instead: 'hang' }))
  await bench.set({ webhookTargets: [{ target: receiver.url, concurrency: 2 }] })
  await start({ SVC_WEBHOOK_RETRY_BASE: '1h', SVC_WEBHOOK_TIMEOUT: '5m' })
  const accounts = Array.from({ length: 6 }, (_, n) => `limited-${n}`)
  for (const account of accounts) await bench.account(account, { webhooks: receiver.url })
  await bench.emit(...accounts.map((account) => ({ account })))
  await eventually(() => expect(receiver.requests).toHaveLength(2))
  const healthy = await bench.receiver()
  await bench.account('beside', { webhooks: healthy.url })
  await bench.emit({ account: 'beside' })
  await eventually(() => expect(healthy.requests).toHaveLength(1))
  expect(receiver.requests).toHaveLength(2)
  await receiver.close() // ends the hanging webhook calls
})

test('TargetThrottle: Retry-After delays the next attempt and suspends the target', async () => {
  const receiver = await bench.receiver()
  const healthy = await bench.receiver()
  receiver.replyWith(() => ({ status: 429, headers: { 'Retry-After': '600' } }))
  const app = await start({})
  for (const account of ['busy', 'suspended'])
    await bench.account(account, { webhooks: receiver.url })
  await bench.account('not-suspended', { webhooks: healthy.url })
  const deliveryOf = (account: string) =>
    bench.db
      .selectFrom('deliveries')
      .select(['attempts', 'nextAttemptAt', 'claim'])
      .where('account', '=', account)
      .executeTakeFirst()
  await bench.emit({ account: 'busy' })
  await eventually(async () =>
    expect(await deliveryOf('busy')).toMatchObject({ attempts: 1, claim: null }),
  )
  const { nextAttemptAt } = (await deliveryOf('busy')) ?? { nextAttemptAt: new Date(0) }
  expect(nextAttemptAt.getTime() - Date.now()).toBeGreaterThan(500_000)
  // Webhook targets of earlier tests may be suspended, too.
  expect(await metric(app, 'webhook_targets_paused')).toBeGreaterThanOrEqual(1)
  // Webhook deliveries for events of different accounts are created concurrently. The delivery to
  // the suspended target exists before the other event is recorded: until that event is delivered,
  // a delivery of the dispatcher to the suspended target would have been attempted, too.
  await bench.emit({ account: 'suspended' })
  await eventually(async () =>
    expect(await deliveryOf('suspended')).toMatchObject({ attempts: 0, claim: null }),
  )
  await bench.emit({ account: 'not-suspended' })
  await finished('not-suspended', 'delivered')
  expect(await deliveryOf('suspended')).toMatchObject({ attempts: 0, claim: null })
  expect(receiver.requests).toHaveLength(1)
})

test('TargetThrottle: a dead target with many due rows uses few attempts and delays no other', async () => {
  const dead = await bench.receiver()
  dead.replyWith(() => ({ instead: 'drop' }))
  const healthy = await bench.receiver()
  await bench.account('dead', { webhooks: dead.url })
  await bench.account('healthy', { webhooks: healthy.url })
  // Number of overdue webhook deliveries: more rows than a process keeps in memory.
  const rows = Array.from({ length: 12_000 }, (_, n) => ({
    id: crypto.randomUUID(),
    eventId: crypto.randomUUID(),
    eventRow: String(-1 - n),
    eventDate: new Date(0),
    event: 'messageSent',
    account: 'dead',
    target: 'account',
    lane: dead.url,
    nextAttemptAt: new Date(0),
  }))
  const [eventId = ''] = await bench.emit({ account: 'dead' })
  const { id: eventRow, date: eventDate } = await bench.db
    .selectFrom('events')
    .select(['id', 'date'])
    .where('eventId', '=', eventId)
    .executeTakeFirstOrThrow()
  for (let at = 0; at < rows.length; at += 3_000)
    await bench.db
      .insertInto('deliveries')
      .values(rows.slice(at, at + 3_000).map((row) => ({ ...row, eventRow, eventDate })))
      .execute()
  const app = await start({ SVC_WEBHOOK_RETRY_BASE: '10m' })
  await eventually(async () => {
    expect(dead.requests.length).toBeGreaterThanOrEqual(10)
    // Webhook targets of earlier tests may still be suspended.
    expect(await metric(app, 'webhook_targets_paused')).toBeGreaterThanOrEqual(1)
  })
  for (let n = 1; n <= 5; n++) {
    await bench.emit({ account: 'healthy' })
    await eventually(() => expect(healthy.requests).toHaveLength(n))
  }
  await stop()
  const { total } = await bench.db
    .selectFrom('deliveries')
    .select(({ fn }) => fn.sum<string>('attempts').as('total'))
    .where('account', '=', 'dead')
    .executeTakeFirstOrThrow()
  expect(Number(total)).toBe(dead.requests.length)
  expect(dead.requests.length).toBeGreaterThanOrEqual(10)
  expect(dead.requests.length).toBeLessThanOrEqual(13)
})

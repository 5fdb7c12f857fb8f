import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, serviceProgram, TcpRelay } from '@posthorn/testkit'
import { dispatcherBench } from './dispatcher.ts'

const bench = await dispatcherBench()
afterAll(async () => bench[Symbol.asyncDispose]())
beforeAll(() => bench.set({ webhooksEnabled: true, webhookEvents: ['*'] }))

/** Starts a webhook-dispatcher in a separate process that can be killed. */
function spawnDispatcher(env: Record<string, string>) {
  const child = spawn(process.execPath, serviceProgram('webhook-dispatcher'), {
    env: { PATH: process.env['PATH'], ...bench.env(env) },
    stdio: 'ignore',
  })
  return {
    async end(signal: NodeJS.Signals) {
      const exited = once(child, 'exit')
      child.kill(signal)
      return (await exited) as [code: number | null, signal: NodeJS.Signals | null]
    },
  }
}

test('sweepPublish: an event of a writer that died before publishing is delivered and published', async () => {
  await using _dispatcher = await bench.start()
  const receiver = await bench.receiver()
  await bench.account('unpublished', { webhooks: receiver.url })
  await bench.emitUnpublished({ account: 'unpublished' }, { account: 'unpublished' })
  await eventually(() => expect(receiver.requests).toHaveLength(2))
  await eventually(async () => {
    const waiting = await bench.db
      .selectFrom('events')
      .select('id')
      .where('account', '=', 'unpublished')
      .where('publishedAt', 'is', null)
      .execute()
    expect(waiting).toEqual([])
  })
  expect(receiver.requests).toHaveLength(2)
})

test('sweepFanOut: without the broker, events still reach their targets', async () => {
  // After the connection to RabbitMQ was cut, the dispatcher still connects to the port of the
  // relay, which no server of another test file gets.
  const link = await TcpRelay.to(new URL(bench.amqpUrl))
  const url = Object.assign(new URL(bench.amqpUrl), { host: link.address })
  await using dispatcher = await bench.start({ AMQP_URL: url.href })
  const receiver = await bench.receiver()
  await bench.account('no-broker', { webhooks: receiver.url })
  await bench.emit({ account: 'no-broker' })
  await eventually(() => expect(receiver.requests).toHaveLength(1))
  await link[Symbol.asyncDispose]()
  await bench.emitUnpublished({ account: 'no-broker' })
  await eventually(() => expect(receiver.requests).toHaveLength(2))
  const get = (path: string) => fetch(`http://127.0.0.1:${dispatcher.port}${path}`)
  expect((await get('/health/ready')).status).toBe(200)
  expect(await (await get('/metrics')).text()).toMatch(/^posthorn_bus_up\{.*\} 0$/m)
})

test('dispatch: lost broker connections cause no loss and no repeats', async () => {
  await using _dispatcher = await bench.start()
  const receiver = await bench.receiver()
  await bench.account('dropped', { webhooks: receiver.url })
  for (let n = 0; n < 5; n++) {
    await bench.emit(...Array.from({ length: 10 }, () => ({ account: 'dropped' })))
    await bench.closeConnections()
  }
  await eventually(() => expect(receiver.requests).toHaveLength(50))
  await eventually(async () =>
    expect(
      (await bench.deliveries('dropped')).filter(({ state }) => state === 'delivered'),
    ).toHaveLength(50),
  )
  expect(receiver.requests).toHaveLength(50)
})

test('dispatch: lost database connections cause repeats of deliveries in flight only', async () => {
  await using _dispatcher = await bench.start()
  const receiver = await bench.receiver()
  await bench.account('no-database', { webhooks: receiver.url })
  const ids = await bench.emit(...Array.from({ length: 300 }, () => ({ account: 'no-database' })))
  for (const reached of [20, 60, 100, 150]) {
    await eventually(() => expect(receiver.requests.length).toBeGreaterThan(reached))
    await bench.dropDatabaseConnections()
  }
  await eventually(async () => {
    const rows = await bench.deliveries('no-database')
    expect(rows.map(({ state }) => state)).toEqual(Array(300).fill('delivered'))
  })
  const arrived = new Set(receiver.requests.map(({ headers }) => headers['x-svc-wh-event-id']))
  expect(arrived).toEqual(new Set(ids))
  expect(receiver.requests.length).toBeLessThan(320)
})

test('dispatch: two dispatchers deliver each event once', async () => {
  await using _one = await bench.start()
  await using _two = await bench.start()
  const receiver = await bench.receiver()
  const accounts = Array.from({ length: 20 }, (_, n) => `side-${n}`)
  for (const account of accounts) await bench.account(account, { webhooks: receiver.url })
  receiver.replyWith((_request, index) => (index % 10 === 0 ? { status: 500 } : {}))
  const writes = accounts.map((account) =>
    bench.emit(...Array.from({ length: 20 }, () => ({ account }))),
  )
  const ids = (await Promise.all(writes)).flat()
  await eventually(async () => {
    const made = await bench.db
      .selectFrom('deliveries')
      .select('state')
      .where('account', 'in', accounts)
      .execute()
    expect(made.map(({ state }) => state)).toEqual(ids.map(() => 'delivered'))
  })
  const succeeded = receiver.requests.filter((_request, index) => index % 10 !== 0)
  expect(succeeded).toHaveLength(ids.length)
  expect(new Set(succeeded.map(({ headers }) => headers['x-svc-wh-event-id']))).toEqual(
    new Set(ids),
  )
})

test('dispatch: deliveries of a killed process are repeated after the lease with the same bytes', async () => {
  const env = { SVC_WEBHOOK_TARGET_CONCURRENCY: '1' }
  const receiver = await bench.receiver()
  receiver.script({ instead: 'hang' })
  await bench.account('killed', { webhooks: receiver.url })
  const victim = spawnDispatcher(env)
  const ids = await bench.emit({ account: 'killed' }, { account: 'killed' })
  await eventually(() => expect(receiver.requests).toHaveLength(1))
  await victim.end('SIGKILL')
  // The leases of the killed dispatcher's webhook deliveries end.
  await bench.db
    .updateTable('deliveries')
    .set({ nextAttemptAt: new Date(0) })
    .where('account', '=', 'killed')
    .execute()
  await using _heir = await bench.start(env)
  await eventually(() => expect(receiver.requests).toHaveLength(3))
  const seen = receiver.requests.map(({ headers, body }) => ({
    eventId: headers['x-svc-wh-event-id'],
    made: headers['x-svc-wh-attempts-made'],
    rest: [headers['x-svc-wh-id'], headers['x-svc-wh-signature'], body.toString()].join(' '),
  }))
  // The hanging webhook call was an attempt. The next delivery had no attempt.
  const [hung, ...repeated] = seen
  expect(hung).toMatchObject({ eventId: ids[0], made: '0' })
  expect(repeated).toContainEqual({ ...hung, made: '1' })
  expect(repeated).toContainEqual(expect.objectContaining({ eventId: ids[1], made: '0' }))
})

test('SIGTERM: running calls are finished, the rest is released uncounted', async () => {
  const receiver = await bench.receiver()
  receiver.replyWith(() => ({ delayMs: 500 }))
  await bench.account('stopped', { webhooks: receiver.url })
  // With this shutdown timeout, no webhook call is cut, however busy the machine is.
  const process = spawnDispatcher({ SVC_SHUTDOWN_TIMEOUT: '5m' })
  await bench.emit(...Array.from({ length: 20 }, () => ({ account: 'stopped' })))
  await eventually(() => expect(receiver.requests.length).toBeGreaterThanOrEqual(2))
  expect(await process.end('SIGTERM')).toEqual([0, null])
  const rows = await bench.db
    .selectFrom('deliveries')
    .select(['state', 'attempts', 'claim'])
    .where('account', '=', 'stopped')
    .orderBy('eventRow')
    .execute()
  const made = receiver.requests.length
  expect(rows.slice(0, made)).toEqual(
    Array(made).fill({ state: 'delivered', attempts: 1, claim: null }),
  )
  expect(rows.slice(made)).toEqual(
    Array(20 - made).fill({ state: 'due', attempts: 0, claim: null }),
  )
  receiver.replyWith(() => ({}))
  await using _heir = await bench.start()
  await eventually(() => expect(receiver.requests).toHaveLength(20))
  expect(receiver.requests.every(({ headers }) => headers['x-svc-wh-attempts-made'] === '0')).toBe(
    true,
  )
})

test('SIGTERM: a call that exceeds the shutdown timeout is released uncounted, exit status 1', async () => {
  const receiver = await bench.receiver()
  receiver.script({ instead: 'hang' })
  await bench.account('cut', { webhooks: receiver.url })
  const process = spawnDispatcher({ SVC_SHUTDOWN_TIMEOUT: '3s' })
  await bench.emit({ account: 'cut' })
  await eventually(() => expect(receiver.requests).toHaveLength(1))
  expect(await process.end('SIGTERM')).toEqual([1, null])
  await using _heir = await bench.start()
  await eventually(() => expect(receiver.requests).toHaveLength(2))
  expect(receiver.requests[1]?.headers['x-svc-wh-attempts-made']).toBe('0')
})

test('cacheSigningKeys: without keys, no attempt starts or is counted', async () => {
  await using mute = await dispatcherBench({ secret: false })
  await mute.set({ webhooksEnabled: true, webhookEvents: ['*'] })
  await using _dispatcher = await mute.start()
  const receiver = await mute.receiver()
  await mute.account('unsigned', { webhooks: receiver.url })
  await mute.emit({ account: 'unsigned' })
  await eventually(async () =>
    expect(await mute.deliveries('unsigned')).toMatchObject([{ state: 'due', attempts: 0 }]),
  )
  await mute.answerSecret()
  await eventually(() => expect(receiver.requests).toHaveLength(1))
  expect(receiver.requests[0]?.headers['x-svc-wh-attempts-made']).toBe('0')
})

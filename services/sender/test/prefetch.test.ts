import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, expect, test } from '@jest/globals'
import { createLogger } from '@posthorn/telemetry'
import { eventually, freePort, startSmtpScript } from '@posthorn/testkit'
import { LaneLimiter } from '../src/dispatch/lane-limiter.ts'
import { PrefetchedSubmissions } from '../src/dispatch/prefetched-submissions.ts'
import { claimDue } from '../src/store/claims.ts'
import { changeSubmission } from '../src/store/outbox-changes.ts'
import { senderFixture } from './fixture.ts'

const fixture = await senderFixture()
const { db, addAccount, submit, row } = fixture
const resources: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of resources.splice(0).reverse()) await part[Symbol.asyncDispose]()
})
afterAll(() => fixture[Symbol.asyncDispose]())

const log = createLogger('test', 'silent')
const limits = { concurrency: 20, perAccount: 1, perHost: 20, maxBytes: 1_000_000 }
const worker = randomUUID()

/**
 * Takes the lane's only permit, as a submission in flight does. Submits `count` messages, claims
 * their outbox rows and adds the submissions to the prefetched submissions.
 */
async function prefetch(count: number) {
  const account = await addAccount({ host: '127.0.0.1', port: 1 })
  const demand = { account, gateway: null, host: '127.0.0.1:1', bytes: 100, byApi: false }
  const lanes = new LaneLimiter(limits, 60_000)
  const inFlight = lanes.tryAcquire(demand)
  lanes.recover(demand, 1)
  const prefetched = new PrefetchedSubmissions({ db, lanes, log })
  const ids = await Promise.all(Array.from({ length: count }, () => submit({ account })))
  const rows = ids.map((queueId) => ({ queueId, account, byApi: false }))
  for (const submission of await claimDue(db, rows, { worker, dead: [], leaseMs: 60_000 })) {
    const permit = lanes.tryPrefetch(demand)
    if (!permit) throw new Error('no permit to prefetch')
    prefetched.add(submission, demand, permit)
  }
  const takeStartable = () => prefetched.takeStartable().map(({ submission }) => submission)
  return { demand, lanes, prefetched, takeStartable, ids, inFlight }
}
const free = { state: 'queued', attempts: 0, worker: null, leaseUntil: null }
const allFree = (ids: string[]) =>
  eventually(async () => {
    for (const id of ids) expect(await row(id)).toMatchObject(free)
  })

test('PrefetchedSubmissions.takeStartable: free capacity, returns the oldest submission', async () => {
  const { prefetched, takeStartable, inFlight } = await prefetch(3)
  const [first, ...rest] = prefetched.submissions
  expect(takeStartable()).toEqual([])
  inFlight?.[Symbol.dispose]()
  expect(takeStartable()).toEqual([first])
  expect(takeStartable()).toEqual([])
  expect(prefetched.submissions).toEqual(rest)
})

test('PrefetchedSubmissions.releaseSuspended: suspended lane, releases without an attempt', async () => {
  const { demand, lanes, prefetched, ids } = await prefetch(3)
  prefetched.releaseSuspended()
  expect(prefetched.submissions).toHaveLength(3)
  lanes.suspend('account', demand)
  prefetched.releaseSuspended()
  expect(prefetched.submissions).toEqual([])
  await allFree(ids)
  for (const id of ids) expect((await row(id)).nextAttemptAt).toEqual(new Date(0))
})

test('PrefetchedSubmissions: disposal, releases all rows except those with a lost lease', async () => {
  const { prefetched, ids } = await prefetch(3)
  const [lost = '', ...others] = ids
  const newLease = { worker: randomUUID(), attempts: 2 }
  await db.updateTable('outbox').set(newLease).where('queueId', '=', lost).execute()
  await prefetched[Symbol.asyncDispose]()
  await allFree(others)
  expect(await row(lost)).toMatchObject(newLease)
})

test('PrefetchedSubmissions.drop: lost lease, does not start the submission', async () => {
  const { prefetched, takeStartable, inFlight } = await prefetch(1)
  const [lost] = prefetched.submissions
  if (!lost) throw new Error('nothing is prefetched')
  prefetched.drop({ ...lost, attempt: lost.attempt + 1 })
  expect(prefetched.submissions).toHaveLength(1)
  prefetched.drop(lost)
  inFlight?.[Symbol.dispose]()
  expect(takeStartable()).toEqual([])
})

test('changeSubmission: hold of a prefetched submission, is busy until it is released', async () => {
  const { prefetched, ids } = await prefetch(1)
  const [queueId = ''] = ids
  expect(await changeSubmission(db, queueId, 'hold')).toBe('busy')
  prefetched.release()
  await allFree(ids)
  expect(await changeSubmission(db, queueId, 'hold')).toBe('done')
})

/** SMTP server that accepts `quick` messages immediately and delays replies to further messages. */
async function slowing(quick: number) {
  const started = await startSmtpScript()
  resources.push({ [Symbol.asyncDispose]: () => started.close() })
  const { promise, resolve } = Promise.withResolvers<void>()
  let dots = 0
  const pending = () => Math.max(0, dots - quick)
  started.on('dot', async ({ defaultReply }) => {
    dots += 1
    if (dots > quick) await promise
    return defaultReply()
  })
  return { server: started, pending, release: resolve }
}
const countRows = async (account: string) => {
  const rows = await db
    .selectFrom('outbox')
    .selectAll()
    .where('account', '=', account)
    .where('state', '=', 'queued')
    .execute()
  const leased = rows.filter(({ leaseUntil }) => leaseUntil !== null)
  const counted = rows.filter(({ attempts }) => attempts > 0)
  return { leased: leased.length, counted: counted.length, waiting: rows.length }
}

test('dispatcher: server that becomes slow, releases prefetched rows to other replicas', async () => {
  const { server, pending, release } = await slowing(20)
  const account = await addAccount(server)
  await Promise.all(Array.from({ length: 70 }, () => submit({ account })))
  const first = await fixture.startSender()
  resources.push(first)
  await eventually(() => expect(pending()).toBe(5))
  // Waits longer than the maximum prefetch time, after which the sender releases the prefetched
  // submissions.
  await eventually(async () =>
    expect(await countRows(account)).toEqual({ leased: 5, counted: 5, waiting: 50 }),
  )
  resources.push(await fixture.startSender())
  await eventually(() => expect(pending()).toBe(10))
  release()
  await eventually(async () => expect((await countRows(account)).waiting).toBe(0))
  expect(new Set(server.accepted.map(({ messageId }) => messageId)).size).toBe(70)
  expect(server.accepted).toHaveLength(70)
})

test('dispatcher: paused queue, releases prefetched rows', async () => {
  const { server, pending, release } = await slowing(20)
  const account = await addAccount(server)
  await Promise.all(Array.from({ length: 70 }, () => submit({ account })))
  const port = await freePort()
  resources.push(await fixture.startSender({ SVC_PORT: String(port) }))
  await eventually(() => expect(pending()).toBe(5))
  await db.insertInto('pausedQueues').values({ queue: 'submit' }).execute()
  // Prefetched submissions (claimed early) are also released without a pause of the queue, after
  // some time.
  await eventually(async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(metrics).toMatch(/^posthorn_outbox_paused\{.*\} 1$/m)
  })
  await eventually(async () =>
    expect(await countRows(account)).toEqual({ leased: 5, counted: 5, waiting: 50 }),
  )
  release()
  await eventually(async () =>
    expect(await countRows(account)).toEqual({ leased: 0, counted: 0, waiting: 45 }),
  )
  await db.deleteFrom('pausedQueues').execute()
  await eventually(async () => expect((await countRows(account)).waiting).toBe(0))
  expect(server.accepted).toHaveLength(70)
})

test('HandoverIntent: rejection at the end of data, removes the intent record', async () => {
  const server = await startSmtpScript()
  resources.push({ [Symbol.asyncDispose]: () => server.close() })
  const account = await addAccount(server)
  resources.push(
    await fixture.startSender({ SVC_SENDER_PER_ACCOUNT: '1', SVC_SENDER_RETRY_BASE: '1h' }),
  )
  const first = await submit({ account })
  await eventually(async () => expect((await row(first)).state).toBe('sent'))
  const seen = Promise.withResolvers<Date | null>()
  server.on('dot', async ({ message }) => {
    seen.resolve((await row(message?.messageId.slice(1, 37) ?? '')).dataSentAt)
    return ['450 4.2.0 later']
  })
  const second = await submit({ account })
  expect(await seen.promise).toBeInstanceOf(Date)
  await eventually(async () =>
    expect(await row(second)).toMatchObject({ lastError: { responseCode: 450 }, dataSentAt: null }),
  )
})

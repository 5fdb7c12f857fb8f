import { afterAll, afterEach, expect, test } from '@jest/globals'
import { eventually, smtpFaults, type SmtpScript, startSmtpScript } from '@posthorn/testkit'
import { sql } from 'kysely'
import { senderFixture } from './fixture.ts'

const fixture = await senderFixture()
const { db, addAccount, addGateway, submit, row } = fixture
await fixture.set({ ignoreMailCertErrors: true })
const resources: AsyncDisposable[] = []
afterEach(async () => {
  for (const part of resources.splice(0).reverse()) await part[Symbol.asyncDispose]()
})
afterAll(() => fixture[Symbol.asyncDispose]())

async function server(): Promise<SmtpScript> {
  const started = await startSmtpScript()
  resources.push({ [Symbol.asyncDispose]: () => started.close() })
  return started
}
/** SMTP server that never sends a greeting. */
async function hanging(): Promise<SmtpScript> {
  const started = await server()
  started.on('greeting', () => new Promise(() => undefined))
  return started
}
const sender = async (env: Record<string, string> = {}) =>
  void resources.push(await fixture.startSender({ SVC_SMTP_GREETING_TIMEOUT: '1h', ...env }))
const allSent = (ids: string[]) =>
  eventually(async () => {
    const { count } = await db
      .selectFrom('outbox')
      .select(sql<string>`count(*)`.as('count'))
      .where('queueId', 'in', ids)
      .where('state', '=', 'sent')
      .executeTakeFirstOrThrow()
    expect(Number(count)).toBe(ids.length)
  })
const submitMany = (count: number, submission: Parameters<typeof submit>[0]) =>
  Promise.all(Array.from({ length: count }, () => submit(submission)))
const leasedCount = async (account: string) =>
  (
    await db
      .selectFrom('outbox')
      .select('queueId')
      .where('account', '=', account)
      .where('leaseUntil', 'is not', null)
      .execute()
  ).length

test('dispatcher: hanging server, uses its share and does not delay other servers', async () => {
  const [stuck, fine] = [await hanging(), await server()]
  const slow = await Promise.all(Array.from({ length: 4 }, () => addAccount(stuck)))
  for (const account of slow) await submitMany(20, { account })
  await sender({ SVC_SENDER_CONCURRENCY: '12', SVC_SENDER_PER_HOST: '8' })
  await eventually(() => expect(stuck.connections).toBe(8))
  const account = await addAccount(fine)
  await allSent(await submitMany(60, { account }))
  expect(stuck.connections).toBe(8)
  const leased = await Promise.all(slow.map(leasedCount))
  expect(leased.reduce((sum, count) => sum + count)).toBe(8)
})

test('dispatcher: hanging gateway, does not delay own servers and other gateways', async () => {
  const [stuck, relay, own] = [await hanging(), await server(), await server()]
  const account = await addAccount(own)
  const [dead, alive] = [await addGateway(stuck), await addGateway(relay)]
  await submitMany(40, { account, gateway: dead })
  await sender()
  await eventually(() => expect(stuck.connections).toBe(5))
  await allSent([
    ...(await submitMany(20, { account, gateway: alive })),
    ...(await submitMany(20, { account })),
  ])
  expect([relay.accepted.length, own.accepted.length]).toEqual([20, 20])
  expect(stuck.connections).toBe(5)
})

test('dispatcher: throttling server, costs no attempts of waiting submissions', async () => {
  const throttled = await server()
  throttled.behaviour.onConnect = () => ({ code: 421, text: '4.7.0 too many connections' })
  const accounts = await Promise.all(Array.from({ length: 10 }, () => addAccount(throttled)))
  const ids = (await Promise.all(accounts.map((account) => submitMany(10, { account })))).flat()
  await sender({ SVC_SENDER_RETRY_BASE: '60s' })
  await eventually(async () => {
    const tried = await Promise.all(ids.map(row))
    expect(tried.filter(({ lastError }) => lastError !== null).length).toBeGreaterThan(0)
    expect(tried.filter(({ leaseUntil }) => leaseUntil !== null)).toEqual([])
    // At most the submissions that were in flight at the first reply of the throttling SMTP server
    // were attempted.
    expect(tried.filter(({ attempts }) => attempts > 0).length).toBeLessThanOrEqual(10)
  })
})

test('dispatcher: account with thousands of submissions, does not delay others', async () => {
  const [slow, fine] = [await server(), await server()]
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  slow.on('dot', async ({ defaultReply }) => {
    await released
    return defaultReply()
  })
  const [crowd, other] = [await addAccount(slow), await addAccount(fine)]
  // All submissions of the first account are older than the submissions of the other account.
  const first = await submitMany(1, { account: crowd, sendAt: new Date(1_000) })
  await sql`
    insert into outbox (queue_id, account, shard, source, message_id, envelope, mime, send_at, next_attempt_at, max_attempts)
    select queue_id || n, account, shard, source, message_id, envelope, mime, send_at, next_attempt_at, max_attempts
    from outbox, generate_series(1, 3000) as n where queue_id = ${first[0]}`.execute(db)
  const later = await submitMany(30, { account: other })
  await sender()
  await allSent(later)
  expect(await leasedCount(crowd)).toBe(5)
  release()
  // Submissions of the other account are also sent while the lane of the first account keeps
  // changing.
  await allSent(await submitMany(30, { account: other }))
  expect(slow.accepted.length).toBeLessThan(3_001)
})

test('dispatcher: locked row, does not delay other submissions', async () => {
  const fine = await server()
  const account = await addAccount(fine)
  const locked = await submit({ account, sendAt: new Date(1_000) })
  const released = Promise.withResolvers<void>()
  const isLocked = Promise.withResolvers<void>()
  const holding = db.transaction().execute(async (tx) => {
    await tx
      .selectFrom('outbox')
      .select('queueId')
      .where('queueId', '=', locked)
      .forUpdate()
      .execute()
    isLocked.resolve()
    await released.promise
  })
  await isLocked.promise
  // After one failure a lane (account, gateway or host) admits a single probe.
  fine.on('greeting', smtpFaults.times(1, smtpFaults.sendsRaw('421 4.3.2 not now\r\n', 'close')))
  const others = await submitMany(5, { account })
  await sender()
  try {
    await allSent(others)
  } finally {
    released.resolve()
    await holding
  }
  await allSent([locked])
})

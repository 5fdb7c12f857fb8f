import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { mint, testServers } from './gateway.ts'
import {
  addAccounts,
  addSubmissions,
  JobCalls,
  numbered,
  serveSender,
  serveWorker,
  versions,
} from './job-world.ts'

const servers = await testServers()
const { db } = servers
const [{ call }] = await Promise.all([servers.start(), servers.start()])
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})
const synced = await serveWorker(bus)
const results = { busy: 'busy', none: 'missing' } as const
/** Reply of the sender to commands for submissions whose ids start with `slow`. */
const slowReply = Promise.withResolvers<'done'>()
const commands = await serveSender(bus, ({ queueId }) =>
  queueId.startsWith('slow')
    ? slowReply.promise
    : (results[queueId as keyof typeof results] ?? 'done'),
)
const accounts = new JobCalls(call, 'accountJobs')
const outbox = new JobCalls(call, 'outboxJobs')

test('createAccountJob: reconnects the matching accounts once, and no other account', async () => {
  await addAccounts(db, numbered('failing', 40), 'connectError')
  await addAccounts(db, numbered('working', 3))
  const filter = { state: 'connectError', query: 'FAILING', backend: 'imap' }
  const answer = await call('POST', accounts.path, { body: { action: 'reconnect', filter } })
  expect(answer).toMatchObject({
    status: 200,
    body: { action: 'reconnect', filter, logs: null, state: 'queued', total: null, errors: [] },
  })
  const job = await accounts.finished(String(answer.body['id']))
  expect(job).toMatchObject({ total: 40, done: 40, failed: 0, skipped: 0, errors: [] })
  expect(job.finishedAt).not.toBeNull()
  const [failing, working] = [await versions(db, 'failing'), await versions(db, 'working')]
  expect([...new Set(failing.values())]).toEqual([2])
  expect([...new Set(working.values())]).toEqual([1])
})

test('createAccountJob: an account whose deletion takes too long fails, the next is deleted', async () => {
  await addAccounts(db, ['locked', 'unlocked'])
  await db.transaction().execute(async (tx) => {
    await sql`select 1 from accounts where account = 'locked' for update`.execute(tx)
    const request = { action: 'delete', ids: ['locked', 'unlocked'], confirm: true }
    const job = await accounts.finished(await accounts.create(request))
    expect(job).toMatchObject({ done: 1, failed: 1, errors: [{ id: 'locked' }] })
  })
  expect([...(await versions(db, 'locked')).keys()]).toEqual(['locked'])
  expect((await versions(db, 'unlocked')).size).toBe(0)
})

test('createAccountJob: acts on no account if the filter selects more than maxEntries', async () => {
  await addAccounts(db, numbered('bounded', 3))
  const start = (maxEntries: number) =>
    accounts.create({ action: 'reconnect', filter: { query: 'bounded' }, maxEntries })
  const refused = await accounts.until(await start(2), ({ state }) => state === 'cancelled')
  expect(refused).toMatchObject({ state: 'cancelled', maxEntries: 2, total: 3, done: 0 })
  expect([...new Set((await versions(db, 'bounded')).values())]).toEqual([1])
  expect(await accounts.finished(await start(3))).toMatchObject({ state: 'done', done: 3 })
  const body = { action: 'reconnect', ids: ['bounded-0001'], maxEntries: 1 }
  const answer = await call('POST', accounts.path, { body })
  expect(answer).toMatchObject({ status: 400, body: { fields: [{ key: 'maxEntries' }] } })
})

test('createAccountJob: filters by the error code of the account', async () => {
  await addAccounts(db, ['coded-a', 'coded-b'], 'authenticationError')
  await sql`update account_states set last_error = '{"serverResponseCode": "ECODE"}'
    where account = 'coded-a'`.execute(db)
  const filter = { errorCode: 'ECODE' }
  await accounts.finished(await accounts.create({ action: 'logs', filter, logs: true }))
  const logged = await db
    .selectFrom('accounts')
    .select('account')
    .where('logs', '=', true)
    .execute()
  expect(logged).toEqual([{ account: 'coded-a' }])
  await accounts.finished(await accounts.create({ action: 'logs', filter, logs: false }))
  await accounts.finished(await accounts.create({ action: 'logs', filter, logs: false }))
  expect((await versions(db, 'coded-a')).get('coded-a')).toBe(3)
})

test('createAccountJob: a paused and a missing account are failures with their reasons', async () => {
  await addAccounts(db, ['fine', 'is-paused'])
  await sql`update accounts set paused = true where account = 'is-paused'`.execute(db)
  const ids = ['is-paused', 'fine', 'unknown', 'fine']
  for (const action of ['sync', 'flush']) {
    const job = await accounts.finished(await accounts.create({ action, ids }))
    expect(job).toMatchObject({ total: 3, done: 1, failed: 2 })
    expect(job.errors).toEqual([
      {
        id: 'is-paused',
        code: 'NoAvailable',
        message: 'The account is paused, set paused to false to connect it',
      },
      { id: 'unknown', code: null, message: 'Account record was not found for requested ID' },
    ])
  }
  expect(synced).toEqual(['fine'])
  const { flushEpoch } = await db
    .selectFrom('accounts')
    .select('flushEpoch')
    .where('account', '=', 'fine')
    .executeTakeFirstOrThrow()
  expect(Number(flushEpoch)).toBe(1)
})

test('createAccountJob: lists the first 10 errors, in the order of the request', async () => {
  const ids = numbered('absent', 15)
  const job = await accounts.finished(await accounts.create({ action: 'reconnect', ids }))
  expect(job).toMatchObject({ total: 15, failed: 15 })
  expect(job.errors.map(({ id }) => id)).toEqual(ids.slice(0, 10))
})

test('createAccountJob: deletes accounts, whose submissions end with messageFailed', async () => {
  await addAccounts(db, ['leaves-a', 'leaves-b'])
  await addSubmissions(db, 'leaves-a', ['unsent'])
  const ids = ['leaves-a', 'leaves-b']
  expect(await call('POST', accounts.path, { body: { action: 'delete', ids } })).toMatchObject({
    status: 400,
    body: { fields: [{ path: 'confirm' }] },
  })
  await accounts.finished(await accounts.create({ action: 'delete', ids, confirm: true }))
  expect((await versions(db, 'leaves')).size).toBe(0)
  const events = await db
    .selectFrom('events')
    .select('event')
    .where('account', 'in', ids)
    .orderBy('id')
    .execute()
  expect(events.map(({ event }) => event)).toEqual([
    'messageFailed',
    'accountDeleted',
    'accountDeleted',
  ])
  // A bulk job may delete one account without a confirmation.
  await addAccounts(db, ['leaves-alone'])
  await accounts.finished(await accounts.create({ action: 'delete', ids: ['leaves-alone'] }))
  expect((await versions(db, 'leaves')).size).toBe(0)
})

test('createAccountJob: skips accounts that recover before it is their turn', async () => {
  await addAccounts(db, numbered('recovers', 80), 'connectError')
  const filter = { state: 'connectError', query: 'recovers' }
  const id = await accounts.create({ action: 'delete', filter, confirm: true })
  await accounts.until(id, ({ done }) => done > 0)
  await sql`update account_states set state = 'connected' where account like 'recovers%'`.execute(
    db,
  )
  const { total, done, skipped } = await accounts.finished(id)
  expect(skipped).toBeGreaterThan(0)
  expect(done + skipped).toBe(total)
  expect((await versions(db, 'recovers')).size).toBe(skipped)
})

test('cancelAccountJob: stops between two accounts, then the next job with the action runs', async () => {
  await addAccounts(db, numbered('cancelled', 300))
  const id = await accounts.create({ action: 'reconnect', filter: { query: 'cancelled' } })
  const next = await accounts.create({ action: 'reconnect', ids: ['fine'] })
  await accounts.until(id, ({ done }) => done > 3)
  expect(await accounts.get(next)).toMatchObject({ state: 'queued', done: 0 })
  const answer = await accounts.cancel(id)
  expect(answer).toMatchObject({ status: 200, body: { state: 'cancelled', total: 300 } })
  const changed = [...(await versions(db, 'cancelled')).values()].filter((version) => version > 1)
  expect(answer.body['done']).toBe(changed.length)
  await accounts.finished(next)
  expect(await accounts.get(id)).toEqual(answer.body)
  const later = [...(await versions(db, 'cancelled')).values()].filter((version) => version > 1)
  expect(later).toEqual(changed)
  expect((await accounts.cancel(id)).body).toEqual(answer.body)
  expect(await accounts.cancel(next)).toMatchObject({
    status: 400,
    body: { code: 'UnsupportedOperation' },
  })
})

test('cancelOutboxJob: commands in flight end by themselves and are counted', async () => {
  const id = await outbox.create({ action: 'hold', ids: numbered('slow', 20) })
  const sent = () => commands.filter(({ queueId }) => queueId.startsWith('slow'))
  await eventually(() => expect(sent()).toHaveLength(8))
  expect((await outbox.cancel(id)).body).toMatchObject({ state: 'cancelled', done: 0 })
  // The fake sender does not reply, so each command of the bulk job ends with its timeout. The
  // replica of api-gateway has detected the cancellation of the job by then.
  await outbox.until(id, ({ failed }) => failed === 8)
  slowReply.resolve('done')
  expect(sent()).toHaveLength(8)
})

test('createOutboxJob: sends one command per submission, and reports those that failed', async () => {
  await addSubmissions(db, 'fine', ['first', 'busy', 'none'])
  for (const action of ['hold', 'release', 'send', 'cancel']) {
    commands.length = 0
    const body = { action, ids: ['first', 'busy', 'none'], confirm: true }
    const job = await outbox.finished(await outbox.create(body))
    expect(job).toMatchObject({ done: 1, failed: 2, skipped: 0 })
    expect(job.errors).toEqual([
      {
        id: 'busy',
        code: 'UnsupportedOperation',
        message: 'The message is being sent, retry later',
      },
      { id: 'none', code: 'NotFound', message: 'Message not found in the outbox' },
    ])
    const command = action === 'cancel' ? 'delete' : action
    expect(commands.toSorted((a, b) => a.queueId.localeCompare(b.queueId))).toEqual(
      ['busy', 'first', 'none'].map((queueId) => ({ queueId, action: command })),
    )
  }
})

test.each([
  ['account', { account: 'filtered' }, ['held', 'new', 'old']],
  ['state', { account: 'filtered', state: 'held' }, ['held']],
  ['age', { account: 'filtered', createdBefore: '2020-06-01' }, ['old']],
  ['a time before the first year', { createdBefore: '0000-01-01T00:00:00Z' }, []],
])('createOutboxJob: filters by %s', async (_name, filter, expected) => {
  await sql`insert into accounts (account, shard, name) values ('filtered', 0, '')
    on conflict do nothing`.execute(db)
  await sql`delete from outbox where account = 'filtered'`.execute(db)
  await addSubmissions(db, 'filtered', ['old', 'new', 'held', 'sent'])
  await sql`update outbox set created_at = '2020-01-01' where queue_id = 'old'`.execute(db)
  await sql`update outbox set state = queue_id where queue_id in ('held', 'sent')`.execute(db)
  commands.length = 0
  const job = await outbox.finished(await outbox.create({ action: 'hold', filter }))
  expect(job).toMatchObject({ total: expected.length, done: expected.length })
  expect(commands.map(({ queueId }) => queueId).sort()).toEqual(expected)
})

test('jobs: lists are separate for accounts and the outbox, newest first', async () => {
  const older = await accounts.create({ action: 'sync', ids: ['fine'] })
  const newer = await accounts.create({ action: 'sync', ids: ['fine'] })
  await accounts.finished(newer)
  const { body } = await call('GET', `${accounts.path}?pageSize=2`)
  expect(body).toMatchObject({ page: 0, jobs: [{ id: newer }, { id: older }] })
  const listed = (await call('GET', `${outbox.path}?pageSize=1000`)).body
  expect(JSON.stringify(listed)).not.toContain(newer)
  expect((await call('GET', `${outbox.path}/${newer}`)).status).toBe(404)
  expect((await call('DELETE', `${outbox.path}/${newer}`)).status).toBe(404)
})

test('createAccountJob: 429 with 10 unfinished jobs', async () => {
  const ids = numbered('slow', 1_000)
  const create = () => call('POST', accounts.path, { body: { action: 'reconnect', ids } })
  const answers = await Promise.all(Array.from({ length: 12 }, create))
  const created = answers.filter(({ status }) => status === 200)
  expect(created).toHaveLength(10)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
  for (const { body } of created) await accounts.cancel(String(body['id']))
  const id = await accounts.create({ action: 'logs', ids: ['fine'], logs: false })
  await accounts.finished(id)
})

test('deleteEndedBulkJobs: keeps ended jobs for 7 days, and their errors only', async () => {
  const body = { action: 'logs', ids: ['fine', 'absent'], logs: false }
  const [expired, recent] = [await accounts.create(body), await accounts.create(body)]
  await accounts.finished(recent)
  const age = (id: string, days: number) =>
    sql`update bulk_jobs set finished_at = now() - make_interval(days => ${days})
      where id = ${id}::uuid`.execute(db)
  await Promise.all([age(expired, 8), age(recent, 6)])
  // Expired rows of bulk jobs are deleted at the start of a replica of api-gateway, then
  // periodically.
  await using _replica = await servers.start()
  await eventually(async () => {
    expect((await call('GET', `${accounts.path}/${expired}`)).status).toBe(404)
    const rows = await db
      .selectFrom('bulkJobRows')
      .select('state')
      .where('job', '=', recent)
      .execute()
    expect(rows).toEqual([{ state: 'failed' }])
  })
  expect(await accounts.get(recent)).toMatchObject({ done: 1, errors: [{ id: 'absent' }] })
})

test('jobs: need a token with the scope *', async () => {
  const token = await mint(call, { scopes: ['api'] })
  const one = `/${crypto.randomUUID()}`
  for (const path of [accounts.path, outbox.path])
    for (const [method, where] of [
      ['POST', path],
      ['GET', path],
      ['GET', path + one],
      ['DELETE', path + one],
    ] as const) {
      const body = method === 'POST' ? { body: {} } : {}
      expect((await call(method, where, { token, ...body })).status).toBe(403)
      expect((await call(method, where, { token: null, ...body })).status).toBe(401)
    }
})

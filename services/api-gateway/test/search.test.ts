import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Tx } from '@posthorn/db'
import { sql } from 'kysely'
import { listAccounts } from '../src/store/accounts/account-records.ts'
import { listOutboxRows } from '../src/store/messages/outbox.ts'
import { testServers } from './gateway.ts'
import { JobCalls } from './job-world.ts'

const servers = await testServers()
const { db } = servers
const { call } = await servers.start()
afterAll(servers.stop)

const worker = '00000000-0000-4000-8000-000000000001'

/** 100,000 accounts and submissions, of which few match the searches of the tests. */
beforeAll(async () => {
  await sql`
    insert into oauth2_apps (id, name, provider, config) values ('app', 'App', 'outlook', '{}')
  `.execute(db)
  for (let first = 1; first <= 100_000; first += 20_000) {
    const numbers = sql`generate_series(${first}::int, ${first + 19_999}::int) n`
    await sql`
      insert into accounts (account, shard, name, email, oauth2)
      select 'account' || n, n % 8, 'Person ' || md5(n::text), 'p' || n || '@mail.example',
        case when n % 20000 = 0 then '{"provider": "app", "auth": {"user": "u"}}'::jsonb end
      from ${numbers}`.execute(db)
    await sql`
      insert into outbox (queue_id, account, shard, source, state, message_id, envelope, subject, send_at, next_attempt_at)
      select 'q' || n, 'account1', 0, 'api', 'queued', '<m' || n || '@mail.example>',
        jsonb_build_object('from', 'a@x.example', 'to', jsonb_build_array('to' || n || '@Customer.example')),
        'Invoice ' || md5(n::text), now(), now()
      from ${numbers}`.execute(db)
  }
  await sql`update outbox set original_message_id = '<submitted-9@mail.example>'
    where queue_id = 'q9'`.execute(db)
  await sql`
    insert into account_states (account, state, last_error)
    select account, 'authenticationError', '{"response": "no", "serverResponseCode": "RARE"}'
    from accounts where account in ('account7', 'account77777')`.execute(db)
  await sql`insert into workers (id) values (${worker}::uuid)`.execute(db)
  await sql`update shards set owner = ${worker}::uuid, epoch = epoch + 1 where shard = 3`.execute(
    db,
  )
  await sql`analyze accounts, outbox`.execute(db)
}, 180_000)

const total = async (query: string) => {
  const { status, body } = await call('GET', `/v1/${query}`)
  return status === 200 ? body['total'] : status
}

test.each([
  ['accounts?query=P77777@MAIL', 1],
  ['accounts?query=account7777', 11],
  ['accounts?query=%25', 0],
  ['accounts?query=_', 0],
  ['accounts?query=%5C', 0],
  // The index has id, name and address on separate lines, so no match spans two of these texts.
  ['accounts?query=account7%20person', 0],
  ['accounts?errorCode=RARE', 2],
  ['accounts?errorCode=rare', 0],
  ['accounts?errorCode=RARE&query=account77777', 1],
  ['accounts?provider=outlook', 5],
  ['accounts?provider=mailRu', 0],
  ['accounts?backend=imap', 100_000],
  [`accounts?worker=${worker}`, 12_500],
  [`accounts?worker=${worker.replace('1', '2')}`, 0],
  ['accounts?worker=7', 400],
  ['accounts?provider=unknown', 400],
  ['outbox?query=to77777@customer', 1],
  ['outbox?query=%3Cm77777@mail.example%3E', 1],
  ['outbox?query=m77777@mail.example', 1],
  ['outbox?query=M77777@mail.example', 0],
  ['outbox?query=submitted-9@mail.example', 1],
  ['outbox?query=invoice&account=account2', 0],
  ['outbox?query=to77777@&state=queued', 1],
  ['outbox?query=to77777@&state=held', 0],
  ['outbox?query=', 400],
])('lists: %s has the total, or the error status, %s', async (query, expected) => {
  expect(await total(query)).toBe(expected)
})

async function readsOf(run: (tx: Tx) => Promise<unknown>): Promise<number> {
  const countReads = async (tx: Tx) => {
    const { rows } = await sql<{ read: string }>`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as read from pg_stat_xact_user_tables
      where relname in ('accounts', 'outbox')`.execute(tx)
    return Number(rows[0]?.read)
  }
  return db.transaction().execute(async (tx) => {
    const before = await countReads(tx)
    await run(tx)
    return (await countReads(tx)) - before
  })
}

test.each(['p77777@mail', 'account77777', '77777@'])(
  'listAccounts: the search for %s among 100,000 accounts reads fewer than 1,000 rows',
  async (query) => {
    const page = { pageSize: 50 }
    expect(await readsOf((tx) => listAccounts(tx, { query }, page))).toBeLessThan(1_000)
  },
)

test.each(['to77777@customer', '<m77777@mail.example>', '77777@'])(
  'listOutbox: the search for %s among 100,000 submissions reads fewer than 1,000 rows',
  async (query) => {
    expect(await readsOf((tx) => listOutboxRows(tx, { query }))).toBeLessThan(1_000)
  },
)

test('createOutboxJob: selects the submissions whose texts contain the query', async () => {
  const body = { action: 'hold', filter: { query: 'TO7777@' } }
  const { status, body: job } = await call('POST', '/admin/api/outboxJobs', { body })
  expect([status, job]).toMatchObject([200, { filter: { query: 'TO7777@' } }])
  const jobs = new JobCalls(call, 'outboxJobs')
  const { total } = await jobs.until(String(job['id']), (shown) => shown.total !== null)
  expect(total).toBe(1)
})

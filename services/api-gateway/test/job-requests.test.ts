import { afterAll, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { testServers } from './gateway.ts'
import { addAccounts, JobCalls, serveSender, versions } from './job-world.ts'

const servers = await testServers()
const { db } = servers
const { call } = await servers.start()
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})
const commands = await serveSender(bus, () => 'missing')
const accounts = new JobCalls(call, 'accountJobs')
const outbox = new JobCalls(call, 'outboxJobs')

const hostile = [
  "'; drop table accounts; --",
  '%',
  '_',
  '../../etc',
  '{a,"b"}',
  '\\',
  '"',
  'NULL',
  '<script>alert(1)</script>',
  '\u202Egpj.exe',
  '𝕏'.repeat(128),
  'a\r\nb',
]

test('createAccountJob: ids are values, whatever they contain', async () => {
  await addAccounts(db, [...hostile, 'bystander'])
  const job = await accounts.finished(await accounts.create({ action: 'reconnect', ids: hostile }))
  expect(job).toMatchObject({ total: hostile.length, done: hostile.length, failed: 0 })
  const all = await versions(db, '')
  expect(hostile.map((id) => all.get(id))).toEqual(hostile.map(() => 2))
  expect(all.get('bystander')).toBe(1)
})

test.each(['%', '_', '\\', "'; drop"])(
  'createAccountJob: the text %s of a filter is no pattern',
  async (query) => {
    const { total } = await accounts.finished(
      await accounts.create({ action: 'logs', filter: { query }, logs: false }),
    )
    expect(total).toBe(hostile.filter((id) => id.includes(query)).length)
  },
)

test('createOutboxJob: ids are values, and errors show them unchanged', async () => {
  const ids = hostile.slice(0, 10)
  const job = await outbox.finished(await outbox.create({ action: 'hold', ids }))
  expect(job).toMatchObject({ total: 10, failed: 10 })
  expect(job.errors.map(({ id }) => id)).toEqual(ids)
  expect(commands.map(({ queueId }) => queueId).sort()).toEqual(ids.toSorted())
})

const many = Array.from({ length: 1_001 }, (_, n) => `id-${n}`)
test.each<[string, unknown]>([
  ['no action', { ids: ['a'] }],
  ['an unknown action', { action: 'drop', ids: ['a'] }],
  ['an action of the outbox', { action: 'hold', ids: ['a'] }],
  ['neither filter nor ids', { action: 'sync' }],
  ['filter and ids', { action: 'sync', ids: ['a'], filter: {} }],
  ['no id', { action: 'sync', ids: [] }],
  ['an empty id', { action: 'sync', ids: [''] }],
  ['a long id', { action: 'sync', ids: ['a'.repeat(257)] }],
  ['1,001 ids', { action: 'sync', ids: many }],
  ['an id with the character NUL', { action: 'sync', ids: ['a\0'] }],
  ['an id with half a character', '{"action":"sync","ids":["\\ud800"]}'],
  ['an id that is no text', { action: 'sync', ids: [{ a: 1 }] }],
  ['a query with the character NUL', { action: 'sync', filter: { query: '\0' } }],
  ['an unknown member of the filter', { action: 'sync', filter: { name: 'a' } }],
  ['an unknown state', { action: 'sync', filter: { state: 'lost' } }],
  ['a deletion by filter without confirmation', { action: 'delete', filter: { query: 'a' } }],
  ['logs without a value', { action: 'logs', ids: ['a'] }],
  ['a value of logs for another action', { action: 'sync', ids: ['a'], logs: true }],
])('createAccountJob: 400 for %s', async (_name, body) => {
  expect((await call('POST', accounts.path, { body })).status).toBe(400)
})

test.each<[string, unknown]>([
  ['an action on accounts', { action: 'delete', ids: ['a'] }],
  ['a state that has ended', { action: 'hold', filter: { state: 'sent' } }],
  ['a time that is no time', { action: 'hold', filter: { createdBefore: 'yesterday' } }],
  ['logs', { action: 'hold', ids: ['a'], logs: true }],
  ['a cancellation without confirmation', { action: 'cancel', ids: ['a', 'b'] }],
])('createOutboxJob: 400 for %s', async (_name, body) => {
  expect((await call('POST', outbox.path, { body })).status).toBe(400)
})

test.each(['x', '00000000-0000-0000-0000-00000000000g', "' or true --"])(
  'getAccountJob, cancelAccountJob: 400 for the id %s',
  async (id) => {
    const path = `${accounts.path}/${encodeURIComponent(id)}`
    expect((await call('GET', path)).status).toBe(400)
    expect((await call('DELETE', path)).status).toBe(400)
  },
)

test('rejected requests: stored no job', async () => {
  const { rows } = await sql`
    select action, count(*)::int as jobs from bulk_jobs group by action order by action`.execute(db)
  // Earlier tests of this file have created these bulk jobs by requests that were accepted.
  expect(rows).toEqual([
    { action: 'hold', jobs: 1 },
    { action: 'logs', jobs: 4 },
    { action: 'reconnect', jobs: 1 },
  ])
})

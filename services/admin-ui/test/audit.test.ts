import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { createAuditLog } from '../src/audit/audit-log.ts'
import { startAuditRetention } from '../src/audit/retention.ts'
import {
  countMissingAuditPartitions,
  dropAuditPartitions,
  ensureAuditPartitions,
} from '../src/store/audit.ts'
import { type CallWorld, startCallWorld } from './call-world.ts'

let world: CallWorld
let auditor: string

beforeAll(async () => {
  world = await startCallWorld()
  auditor = await world.signIn('auditor')
})
afterAll(() => world[Symbol.asyncDispose]())

const log = createLogger('test', 'silent')
const entry = { address: '192.0.2.7', operation: 'deleteAccount', method: 'DELETE', path: '/v1/x' }

async function list(query = '', session = auditor) {
  const { status, body } = await world.call(session, `/admin/audit${query}`)
  return { status, ...JSON.parse(String(body)) }
}

test.each([
  ['owner', 200],
  ['auditor', 200],
  ['operator', 403],
  ['support', 403],
] as const)('GET /admin/audit: role %s, %i', async (role, status) => {
  const session = await world.signIn(role)
  const reply = await list('', session)
  expect(reply.status).toBe(status)
  if (status === 403) expect(reply.requiredRole).toBe('auditor')
  expect(await world.call(session, '/admin/audit/download')).toMatchObject({ status })
})

test('GET /admin/audit: 401 without a session, 400 for unknown and wrong parameters', async () => {
  expect((await list('', 'none')).status).toBe(401)
  for (const query of [
    '?x=1',
    '?pageSize=0',
    '?pageSize=201',
    '?from=x',
    '?cursor=1',
    '?person=a&person=b',
  ])
    expect(await list(query)).toMatchObject({ status: 400 })
})

test('AuditLog.change: records done, or the code of the error, and throws the error', async () => {
  const account = randomUUID()
  const recorded = { ...entry, account, email: 'a@example.com', reason: 'line\nbreak\u202E' }
  expect(await world.audit.change(recorded, async () => 7)).toBe(7)
  const failing = world.audit.change(recorded, () =>
    Promise.reject(new Error('secret of a server')),
  )
  await expect(failing).rejects.toThrow('secret')
  const { entries } = await list(`?account=${account}`)
  expect(entries).toMatchObject([
    { outcome: 'Internal Server Error', status: 500 },
    { outcome: 'done', status: 200, email: 'a@example.com', reason: 'linebreak', keys: [] },
  ])
  expect(JSON.stringify(entries)).not.toContain('secret')
})

test('AuditLog.attempt: an action that never ends has no outcome in the list', async () => {
  const account = randomUUID()
  await world.audit.attempt({ ...entry, account })
  const { entries } = await list(`?account=${account}`)
  expect(entries).toHaveLength(1)
  expect(entries[0]).not.toHaveProperty('outcome')
})

test('GET /admin/audit: filters by person, operation, account and time', async () => {
  const now = Date.parse('2031-05-10T12:00:00Z')
  await ensureAuditPartitions(world.service, new Date(now))
  await using audit = createAuditLog(world.service, { log, clock: () => now })
  const operation = 'signIn'
  await audit.result({ ...entry, operation, email: 'kim@example.com' }, 'Unauthorized')
  const matching = [
    '?person=kim%40example.com',
    '?operation=signIn',
    '?from=2031-05-10T12:00:00Z&to=2031-05-10T12:00:01Z',
  ]
  for (const query of matching)
    expect((await list(query)).entries).toMatchObject([{ operation, outcome: 'Unauthorized' }])
  for (const query of ['?person=x', '?from=2031-05-10T12:00:01Z', `?account=${randomUUID()}`])
    expect((await list(query)).entries).toEqual([])
})

test('GET /admin/audit: pages and download have every entry once, newest first', async () => {
  const account = randomUUID()
  await using audit = createAuditLog(world.service, { log, clock: () => Date.now() })
  // The audit log gets more entries than one page of the download, many of them in the same
  // millisecond.
  for (let round = 0; round < 60; round += 1)
    await Promise.all(Array.from({ length: 10 }, () => audit.result({ ...entry, account }, 'done')))
  const ids: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined;) {
    const next = cursor === '' ? '' : `&cursor=${cursor}`
    const page = await list(`?account=${account}&pageSize=170${next}`)
    ids.push(...page.entries.map(({ id }: { id: string }) => id))
    cursor = page.nextCursor
  }
  expect(ids).toHaveLength(600)
  expect(ids).toEqual([...new Set(ids)].toSorted().toReversed())
  const download = await world.call(auditor, `/admin/audit/download?account=${account}`)
  expect(download.headers).toMatchObject({
    'content-type': 'application/x-ndjson; charset=utf-8',
    'content-disposition': 'attachment; filename="audit-log.ndjson"',
  })
  const lines = String(download.body).trimEnd().split('\n')
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(ids)
})

async function partitions() {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class join pg_inherits on oid = inhrelid
    where inhparent = 'admin_audit'::regclass order by relname`.execute(world.db)
  return rows.map(({ name }) => name.slice('admin_audit_'.length))
}

test('ensureAuditPartitions: concurrent replicas create each partition once', async () => {
  const at = new Date('2033-12-31T23:59:59Z')
  expect(await countMissingAuditPartitions(world.service, at)).toBe(2)
  // After this query, each database connection has cached that the table partition of the audit log
  // does not exist.
  const findPartition = sql`select to_regclass('public.admin_audit_203312')`
  await Promise.all(Array.from({ length: 8 }, () => findPartition.execute(world.service)))
  await Promise.all(Array.from({ length: 8 }, () => ensureAuditPartitions(world.service, at)))
  expect(await countMissingAuditPartitions(world.service, at)).toBe(0)
  const nextMonth = new Date('2034-01-01T00:00:00Z')
  expect(await countMissingAuditPartitions(world.service, nextMonth)).toBe(1)
  expect((await partitions()).filter((name) => name >= '2033')).toEqual(['203312', '203401'])
})

test('startAuditRetention: entries before and after a change of the month are stored', async () => {
  let now = Date.parse('2035-01-31T23:59:59.999Z')
  const clock = () => now
  const metrics = createMetrics('test')
  const options = { log, metrics, keepDays: 400, clock }
  await using task = startAuditRetention(world.service, options)
  await using audit = createAuditLog(world.service, { log, clock })
  await eventually(async () => expect(await partitions()).toContain('203502'))
  const account = randomUUID()
  const attempt = await audit.attempt({ ...entry, account })
  now += 1
  await attempt.finish({ status: 200, outcome: 'done' })
  const { entries } = await list(`?account=${account}`)
  expect(entries).toMatchObject([
    { at: '2035-01-31T23:59:59.999Z', outcome: 'done', endedAt: '2035-02-01T00:00:00.000Z' },
  ])
  const missing = (count: number) =>
    eventually(async () =>
      expect(await metrics.text()).toMatch(
        new RegExp(`^posthorn_admin_audit_missing_partitions{[^}]*} ${count}$`, 'm'),
      ),
    )
  await missing(1)
  task.wake()
  await eventually(async () => expect(await partitions()).toContain('203503'))
  await missing(0)
})

test('AuditLog.attempt: without a partition for its time, rejects', async () => {
  const clock = () => Date.parse('2049-01-01T00:00:00Z')
  await using audit = createAuditLog(world.service, { log, clock })
  await expect(audit.attempt(entry)).rejects.toMatchObject({ kind: 'unavailable' })
})

test('dropAuditPartitions: drops only months that ended before the retention', async () => {
  await ensureAuditPartitions(world.service, new Date('2020-03-15T00:00:00Z'))
  expect(await partitions()).toEqual(expect.arrayContaining(['202003', '202004']))
  const others = (await partitions()).filter((name) => name > '202004')
  expect(await dropAuditPartitions(world.service, 400)).toBe(2)
  expect(await partitions()).toEqual(others)
  // A retention of the audit log below 31 days has no effect.
  expect(await dropAuditPartitions(world.service, 0)).toBe(0)
})

test.each([
  'update admin_audit set outcome = null',
  'delete from admin_audit',
  'truncate admin_audit',
])('posthorn_admin_ui: may not %s', async (statement) => {
  await expect(sql.raw(statement).execute(world.service)).rejects.toThrow(/permission denied/)
  const [name] = await partitions()
  const direct = sql.raw(statement.replace('admin_audit', `admin_audit_${name}`))
  await expect(direct.execute(world.service)).rejects.toThrow(/permission denied/)
})

test('AuditLog: a lost outcome is logged and counted after the last attempt', async () => {
  const lost: unknown[] = []
  const watched = { warn: () => undefined, error: (fields: object) => lost.push(fields) }
  const metrics = createMetrics('test')
  const options = { log: watched as never, metrics, delayMs: 0 }
  await using audit = createAuditLog(world.service, options)
  const attempt = await audit.attempt({ ...entry, account: 'a' })
  world.cutPostgres()
  await attempt.finish({ status: 200, outcome: 'done' })
  await eventually(() => expect(lost).toMatchObject([{ outcome: 'done' }]))
  expect(await metrics.text()).toMatch(/^posthorn_admin_audit_lost_total{[^}]*} 1$/m)
  world.connectPostgres()
})

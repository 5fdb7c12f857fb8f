import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { listTargets } from '../src/store/webhooks/webhook-targets.ts'
import { mint, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()
beforeEach(async () => {
  await db.deleteFrom('deliveries').execute()
  await call('POST', '/v1/settings', { body: { webhooks: null, webhookTargets: null } })
})

const path = '/admin/api/webhookTargets'
interface Listed {
  address: string
  [member: string]: unknown
}
async function list(query = '') {
  const { status, body } = await call('GET', `${path}?${query}`)
  expect(status).toBe(200)
  return body as unknown as { targets: Listed[]; nextCursor: string | null }
}

interface NewRows {
  lane: string
  state?: 'due' | 'delivered' | 'failed'
  count?: number
  /**
   * Minutes since the last attempt of the webhook deliveries ended. Absent: no attempt was made.
   */
  ended?: number
  durationMs?: number
  /** Minutes until the next attempt of the webhook deliveries. */
  next?: number
  replayed?: boolean
}

async function insert(...all: NewRows[]): Promise<void> {
  for (const { lane, state = 'due', count = 1, ended, durationMs = 10, next = 0, replayed } of all)
    await sql`
      insert into deliveries (id, event_id, event_row, event_date, event, account, target, lane, state,
        next_attempt_at, finished_at, replayed_at, last_ended_at, last_duration_ms, last_outcome, last_status,
        last_response)
      select gen_random_uuid(), gen_random_uuid(), 1, now(), 'x', 'a', 'default', ${lane}, ${state},
        now() + make_interval(mins => ${next}), case when ${state} <> 'due' then now() end,
        case when ${replayed === true} then now() end,
        now() - make_interval(mins => ${ended ?? null}::integer),
        case when ${ended ?? null}::integer is not null then ${durationMs}::integer * n end,
        'http-5xx', 500, 'answer ' || n
      from generate_series(1, ${count}) as n
    `.execute(db)
}

test('listWebhookTargets: counts due, failed and recent deliveries of each address', async () => {
  await insert(
    { lane: 'https://a.example/', count: 100, state: 'delivered', ended: 5, durationMs: 2 },
    { lane: 'https://a.example/', state: 'delivered', ended: 90, durationMs: 9_000 },
    { lane: 'https://a.example/', count: 2, state: 'failed', ended: 20 },
    { lane: 'https://a.example/', state: 'failed', ended: 80, replayed: true },
    { lane: 'https://a.example/', ended: 6, next: 10 },
    { lane: 'https://b.example/', count: 3, next: -5 },
    { lane: 'https://c.example/', state: 'failed' },
  )
  const { targets, nextCursor } = await list()
  expect(nextCursor).toBeNull()
  expect(targets).toMatchObject([
    {
      address: 'https://a.example/',
      isDefault: false,
      paused: false,
      due: 1,
      oldestDueAt: null,
      failed: 2,
      lastHour: { delivered: 100, failed: 2, retried: 1, p95Ms: 190 },
      lastResponse: {
        outcome: 'http-5xx',
        status: 500,
        response: expect.stringMatching(/^answer/),
      },
    },
    {
      address: 'https://b.example/',
      due: 3,
      failed: 0,
      lastHour: { delivered: 0, failed: 0, retried: 0, p95Ms: null },
      lastResponse: null,
    },
    { address: 'https://c.example/', due: 0, oldestDueAt: null, failed: 1, lastResponse: null },
  ])
  const oldest = Date.parse(String(targets[1]?.['oldestDueAt']))
  expect(Date.now() - oldest).toBeGreaterThanOrEqual(299_000)
})

test('listWebhookTargets: lists the default target and targets with options without deliveries', async () => {
  await call('POST', '/v1/settings', {
    body: {
      webhooks: 'https://user:secret@default.example/in?key=hush',
      webhookTargets: [
        { target: 'https://paused.example', paused: true },
        { target: 'https://slow.example/x', concurrency: 1 },
      ],
    },
  })
  const page = await list()
  expect(page.targets).toMatchObject([
    { address: 'https://default.example/in', isDefault: true, paused: false, due: 0 },
    { address: 'https://paused.example/', isDefault: false, paused: true },
    { address: 'https://slow.example/x', isDefault: false, paused: false },
  ])
  expect(JSON.stringify(page)).not.toMatch(/secret|hush|sealed/)
  expect((await list('address=https://slow.example/x')).targets).toHaveLength(1)
  expect((await list('address=https://other.example/')).targets).toEqual([])
  expect((await list('address=HTTPS://paused.EXAMPLE')).targets).toMatchObject([{ paused: true }])
  expect((await list('address=paused.example')).targets).toEqual([])
})

test('listWebhookTargets: pages without gaps or duplicates', async () => {
  const lanes = Array.from({ length: 25 }, (_, n) => `https://t${n}.example/`)
  await insert(
    ...lanes.slice(0, 10).map((lane) => ({ lane, count: 2 })),
    ...lanes.slice(8, 18).map((lane) => ({ lane, state: 'delivered' as const, ended: 1 })),
    ...lanes.slice(16).map((lane) => ({ lane, state: 'failed' as const })),
  )
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page = await list(`pageSize=7&cursor=${encodeURIComponent(cursor)}`)
    seen.push(...page.targets.map(({ address }) => address))
    cursor = page.nextCursor
  }
  expect(seen).toHaveLength(25)
  expect(new Set(seen)).toEqual(new Set(lanes))
})

test('listTargets: reads few rows of a table with many deliveries', async () => {
  const ended = { state: 'delivered', ended: 120 } as const
  await insert(
    { lane: 'https://a.example/', count: 20_000, ...ended },
    { lane: 'https://b.example/', count: 20_000, ...ended },
    { lane: 'https://c.example/', count: 5, next: -1 },
  )
  await sql`analyze deliveries`.execute(db)
  await db.transaction().execute(async (tx) => {
    const read = async () => {
      const { rows } = await sql<{ scans: string; read: string }>`
        select seq_scan as scans, idx_tup_fetch as read from pg_stat_xact_user_tables
        where relname = 'deliveries'
      `.execute(tx)
      return { scans: Number(rows[0]?.scans), read: Number(rows[0]?.read) }
    }
    const before = await read()
    const { targets } = await listTargets(tx, { configured: [], pageSize: 20 })
    expect(targets).toHaveLength(3)
    const after = await read()
    expect(after.scans).toBe(before.scans)
    expect(after.read - before.read).toBeLessThan(100)
  })
})

test('listWebhookTargets: 403 for a token with the scope api, 400 for a wrong page size', async () => {
  const token = await mint(call, { scopes: ['api'] })
  const refused = await call('GET', path, { token })
  expect([refused.status, refused.body]).toMatchObject([403, { requestedScope: '*' }])
  expect((await call('GET', `${path}?pageSize=51`)).status).toBe(400)
})

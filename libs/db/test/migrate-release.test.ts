import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, testDatabase } from '@posthorn/testkit'
import { Client } from 'pg'
import { migrate } from '../src/migrate/migrate.ts'
import { readMigrations } from '../src/migrate/migration-files.ts'
import { lastUnchecked } from '../src/migration-rules/check-migrations.ts'
import { MigrationDatabase } from './migration-database.ts'

// Tests that migrate the schema of the previous release to this release, while services of the
// previous release send statements and a reader holds all tables. Each migration process but the
// last is killed.

const released = (await readMigrations()).filter(({ name }) => name <= lastUnchecked)
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const database = stack.use(await MigrationDatabase.create())
const clients: ServiceClient[] = []

beforeAll(async () => {
  await database.reset()
  await migrate(database.url, { migrations: released })
  await database.client.query(`
    insert into accounts (account, shard, name, email, webhooks_custom_headers)
      select 'a' || n, n % 256, 'Account ' || n, 'a' || n || '@mail.example',
        case when n > 300 then '[{"key": "X-Key", "value": "1"}]'::jsonb end
      from generate_series(1, 2500) n;
    insert into tokens (id, account, scopes) select 't' || n, 'a' || n, '{api}' from generate_series(1, 1500) n;
    insert into events (event_id, event, account, shard, date, body)
      select gen_random_uuid(), 'messageNew', 'a1', 0, now(), '{}' from generate_series(1, 5000);`)
  for (const [role, statement] of statements) clients.push(await startClient(role, statement))
  // Each client stops its SQL statements before its connection ends.
  for (const client of clients) stack.defer(() => client.stop())
})

/** SQL statements that services of the previous release send all the time. */
const statements = [
  ['posthorn_api_gateway', 'select account, name, email from accounts order by account limit 20'],
  ['posthorn_api_gateway', 'update accounts set name = name || 1 where account = $1'],
  [
    'posthorn_api_gateway',
    `insert into outbox (queue_id, account, shard, source, message_id, envelope)
     values (gen_random_uuid(), $1, 0, 'api', '<a@b.example>', '{}')`,
  ],
  [
    'posthorn_sync_worker',
    `insert into events (event_id, event, account, shard, date, body)
     values (gen_random_uuid(), 'messageNew', $1, 0, now(), '{}')`,
  ],
  ['posthorn_sender', `select queue_id from outbox where state = 'queued' limit 20`],
] as const

interface ServiceClient {
  readonly done: () => number
  readonly failures: string[]
  stop(): Promise<void>
}

/** Repeats an SQL statement as a service, whose role has a statement timeout. */
async function startClient(role: `posthorn_${string}`, statement: string): Promise<ServiceClient> {
  const client = await database.connect(role, role)
  const state = { done: 0, isStopped: false, failures: [] as string[] }
  const running = (async () => {
    while (!state.isStopped) {
      await runOnce(client, statement).catch((error: Error) => state.failures.push(error.message))
      state.done += 1
    }
  })()
  return {
    done: () => state.done,
    failures: state.failures,
    async stop() {
      state.isStopped = true
      await running
    },
  }
}

async function runOnce(client: Client, statement: string): Promise<void> {
  await client.query('select pg_sleep(0.02)') // delay between SQL statements of the load
  await client.query(statement, statement.includes('$1') ? ['a1'] : [])
}

interface MigrateProcess {
  readonly lines: string[]
  /** Exit status of the migrate process, or the signal that ended the process. */
  readonly exit: Promise<number | string>
  readonly process: ChildProcess
}

/** Starts a `migrate` process, which is killed when it has started `killAfter` migrations. */
function startProcess(killAfter = Number.POSITIVE_INFINITY): MigrateProcess {
  const main = join(import.meta.dirname, '../src/migrate-main.ts')
  const env = { DATABASE_OWNER_URL: database.url, SVC_MIGRATE_LOCK_TIMEOUT: '1s' }
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  stack.defer(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    if (lines.filter(isStart).length >= killAfter) child.kill('SIGKILL')
  })
  const exit = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  return { lines, exit, process: child }
}

/** Waits until all SQL clients of the test have repeated their statements. */
async function untilWorked(): Promise<void> {
  const before = clients.map((client) => client.done())
  await eventually(() => {
    for (const [at, client] of clients.entries())
      expect(client.done()).toBeGreaterThan((before[at] ?? 0) + 2)
  })
}

test('migrate, while a reader holds all tables: retries, and no statement fails', async () => {
  const tables = await database.list(`select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`)
  const reader = await database.openReader(tables.map(String))
  const first = startProcess()
  await eventually(() => expect(first.lines.join('\n')).toContain('attempt 2 failed'))
  expect(first.lines.join('\n')).toMatch(/waits for a lock of pid \d+, application pg_dump, role/)
  first.process.kill('SIGKILL')
  expect(await first.exit).toBe('SIGKILL')
  await untilWorked()
  await reader.query('commit')
  expect(clients.flatMap(({ failures }) => failures)).toEqual([])
})

test('migrate, killed at different points: each run continues', async () => {
  const before = (await database.recorded()).length
  // A fast migrate process may apply further migrations before the kill arrives, even the last
  // migration.
  for (const started of [1, 2, 4, 7])
    expect(['SIGKILL', 0]).toContain(await startProcess(started).exit)
  expect((await database.recorded()).length).toBeGreaterThan(before)
  const last = startProcess()
  expect(await last.exit).toBe(0)
  await untilWorked()
  expect(clients.flatMap(({ failures }) => failures)).toEqual([])
})

const isStart = (line: string) => line.includes(': started')

test('the schema is that of a new database, and existing rows were changed', async () => {
  const fresh = stack.adopt(await testDatabase(), (each) => each.drop())
  const schemaOf = async (url: string) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<{ line: string }>(schemaLines)
    await client.end()
    return rows.map(({ line }) => line)
  }
  expect(await schemaOf(database.url)).toEqual(await schemaOf(fresh.ownerUrl))
  const changed = "select count(*)::integer from accounts where tenant_set <> '{}'"
  expect(await database.list(changed)).toEqual([1500])
  const unknown =
    "select count(*)::integer from accounts where tenant_set @> '{webhooks,unknownHeaders}'"
  expect(await database.list(unknown)).toEqual([1200])
})

/**
 * Columns, constraints and indexes of all tables except table partitions, whose names have dates.
 */
const schemaLines = `
  select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || ' ' || a.attnotnull || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '')
      || ' ' || coalesce(a.attacl::text, '') as line
    from pg_attribute a join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
    where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
      and c.relkind in ('r', 'p') and not c.relispartition
  union all
  select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(t.oid)
    from pg_constraint t join pg_class c on c.oid = t.conrelid
    where c.relnamespace = 'public'::regnamespace and not c.relispartition
  union all
  select pg_get_indexdef(indexrelid) || ' ' || indisvalid
    from pg_index join pg_class c on c.oid = indexrelid
    where c.relnamespace = 'public'::regnamespace and not c.relispartition
  order by 1`

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { checkout } from '@posthorn/local/paths'
import { withClient } from '@posthorn/local/postgres/client'
import { serviceEnv } from '@posthorn/local/system/service-env'
import { eventually, testDatabase } from '@posthorn/testkit'
import { systemConfig } from '../world.ts'

/** Key of the Postgres advisory lock that the job `migrate` takes. */
const migrationLock = '3853314791062309107'
/**
 * Command that starts a job as process 1, as in a container. A process 1 ignores a signal that it
 * does not handle. Other processes end.
 */
const asProcess1 = canIsolate() ? ['unshare', '--pid', '--fork'] : []

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const { ownerUrl } = stack.adopt(await testDatabase(), (database) => database.drop())
const { shared } = systemConfig({ ownerUrl, amqpUrl: 'amqp://127.0.0.1:1' })
const config = { ...shared, amqpUsers: false, settings: {}, env: {} }
const silentApi = createServer(() => undefined).listen(0, '127.0.0.1')
stack.defer(() => void silentApi.close())
beforeAll(() => once(silentApi, 'listening'))

let job: ChildProcess | undefined
afterEach(() => void job?.kill('SIGKILL'))

/** Starts a one-time job of the image, such as `migrate`. */
function startJob(name: string, env: Record<string, string>): ChildProcess {
  const command = [process.execPath, join(checkout, 'deploy/image/src/posthorn.ts'), name]
  const [program = '', ...args] = [...asProcess1, ...command]
  job = spawn(program, args, { env: { PATH: process.env['PATH'], ...env } })
  return job
}

/**
 * Sends a signal to a one-time job, such as `migrate`. Resolves to the job's exit status and the
 * end of its output.
 */
async function interrupt(started: ChildProcess, signal: NodeJS.Signals) {
  const { pid = 0, stderr } = started
  if (!stderr) throw new Error('no output')
  const output = text(stderr)
  const exit = once(started, 'exit')
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  process.kill(asProcess1.length > 0 ? Number(children) : pid, signal)
  const [code] = (await exit) as [number | null]
  return { code, output: await output }
}

/** Number of Postgres sessions of the database that match a condition. */
async function countSessions(condition: string): Promise<number> {
  const { rows } = await withClient(ownerUrl, (client) =>
    client.query<{ count: number }>(
      `select count(*)::integer from pg_stat_activity
       where datname = current_database() and ${condition}`,
    ),
  )
  return rows[0]?.count ?? 0
}

const isWaiting = "wait_event_type = 'Lock'"
const isMigrate = "application_name = 'migrate'"

const interrupted = 'job interrupted by a signal, run it again\n'

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)(
  'migrate: %s while it waits for another migrate ends it with %i and its sessions in Postgres',
  async (signal, code) => {
    await withClient(ownerUrl, async (client) => {
      await client.query(`select pg_advisory_lock(${migrationLock})`)
      const started = startJob('migrate', { DATABASE_OWNER_URL: ownerUrl })
      await eventually(async () => expect(await countSessions(isMigrate)).toBeGreaterThan(0))
      expect(await interrupt(started, signal)).toEqual({ code, output: interrupted })
      // The migration lock is still held, so the signal ended the Postgres sessions of migrate.
      await eventually(async () => expect(await countSessions(isMigrate)).toBe(0))
    })
  },
)

/** Makes a migration pending again and locks the migrated table, like pg_dump. */
async function lockPending(client: { query(text: string): Promise<unknown> }): Promise<void> {
  await client.query("delete from kysely_migration where name = '0056-handed-over'")
  await client.query('alter table outbox drop column if exists handed_over')
  await client.query('begin; select count(*) from outbox')
}

test('migrate: SIGTERM while it waits for the lock of a table ends its sessions in Postgres', async () => {
  await withClient(ownerUrl, async (client) => {
    await lockPending(client)
    const env = { DATABASE_OWNER_URL: ownerUrl, SVC_MIGRATE_LOCK_TIMEOUT: '10m' }
    const started = startJob('migrate', env)
    await eventually(async () => expect(await countSessions(isWaiting)).toBe(1))
    expect(await interrupt(started, 'SIGTERM')).toEqual({ code: 143, output: interrupted })
    await eventually(async () => expect(await countSessions(isMigrate)).toBe(0))
    await client.query('rollback')
  })
})

test('migrate: a table that stays locked ends it with 75 and names the holder of the lock', async () => {
  await withClient(ownerUrl, async (client) => {
    await lockPending(client)
    const started = startJob('migrate', {
      DATABASE_OWNER_URL: ownerUrl,
      SVC_MIGRATE_LOCK_TIMEOUT: '500ms',
      SVC_MIGRATE_MAX_WAIT: '1s',
    })
    const { stdout, stderr } = started
    if (!stdout || !stderr) throw new Error('no output')
    const output = Promise.all([text(stdout), text(stderr)])
    const [code] = (await once(started, 'exit')) as [number | null]
    const [progress, error] = await output
    expect(code).toBe(75)
    expect(progress).toMatch(/^0056-handed-over: waits for a lock of pid \d+, application unnamed/m)
    expect(progress).toMatch(/^0056-handed-over: attempt 1 failed \(.*lock timeout\), next one in/m)
    expect(error).toMatch(
      /^migration failed: 0056-handed-over got no lock in time, last held by pid/,
    )
    await client.query('rollback')
  })
})

test.each([
  ['reseal', 'accounts', serviceEnv('auth-bridge', 0, config)],
  ['rotate-link-secret', 'sealed_settings', serviceEnv('api-gateway', 0, config)],
] as const)('%s: SIGTERM in a statement ends it with 143', async (name, table, env) => {
  await withClient(ownerUrl, async (client) => {
    await client.query(`begin; lock table ${table} in access exclusive mode`)
    const started = startJob(name, env)
    await eventually(async () => expect(await countSessions(isWaiting)).toBe(1))
    expect(await interrupt(started, 'SIGTERM')).toEqual({ code: 143, output: interrupted })
    await client.query('rollback')
  })
})

test('broker-users: SIGTERM in a request ends it with 143', async () => {
  const { port } = silentApi.address() as AddressInfo
  const connected = once(silentApi, 'connection')
  const started = startJob('broker-users', { AMQP_ADMIN_URL: `http://a:b@127.0.0.1:${port}` })
  await connected
  expect(await interrupt(started, 'SIGTERM')).toEqual({ code: 143, output: interrupted })
})

/** True if this user may start a process in a process namespace of its own. */
function canIsolate(): boolean {
  try {
    execFileSync('unshare', ['--pid', '--fork', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

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

/** Lock of kysely's migrator. */
const migrationLock = '3853314791062309107'
/** A process 1 ignores a signal that it does not handle. Other processes end. */
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

/** Starts a job of the image. */
function startJob(name: string, env: Record<string, string>): ChildProcess {
  const command = [process.execPath, join(checkout, 'deploy/image/src/posthorn.ts'), name]
  const [program = '', ...args] = [...asProcess1, ...command]
  job = spawn(program, args, { env: { PATH: process.env['PATH'], ...env } })
  return job
}

/** Sends a signal to a job and resolves to its exit status and the end of its output. */
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

/** Number of sessions of the database that wait for a lock. */
async function countWaiting(): Promise<number> {
  const { rows } = await withClient(ownerUrl, (client) =>
    client.query<{ count: number }>(
      `select count(*)::integer from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    ),
  )
  return rows[0]?.count ?? 0
}

const interrupted = 'job interrupted by a signal, run it again\n'

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)(
  'migrate: %s while it waits for the lock ends it with %i and its session in Postgres',
  async (signal, code) => {
    await withClient(ownerUrl, async (client) => {
      await client.query(`select pg_advisory_lock(${migrationLock})`)
      const started = startJob('migrate', { DATABASE_OWNER_URL: ownerUrl })
      await eventually(async () => expect(await countWaiting()).toBe(1))
      expect(await interrupt(started, signal)).toEqual({ code, output: interrupted })
      // The lock is still held, so the session did not end by itself.
      await eventually(async () => expect(await countWaiting()).toBe(0))
    })
  },
)

test.each([
  ['reseal', 'accounts', serviceEnv('auth-bridge', 0, config)],
  ['rotate-link-secret', 'sealed_settings', serviceEnv('api-gateway', 0, config)],
] as const)('%s: SIGTERM in a statement ends it with 143', async (name, table, env) => {
  await withClient(ownerUrl, async (client) => {
    await client.query(`begin; lock table ${table} in access exclusive mode`)
    const started = startJob(name, env)
    await eventually(async () => expect(await countWaiting()).toBe(1))
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

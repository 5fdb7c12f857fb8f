import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { imapBackend, type ImapBackend } from '@posthorn/backends'
import { eventually, faultSize, freePort } from '@posthorn/testkit'
import { sql } from 'kysely'
import { allShards, testWorld, type World } from './world.ts'

// Transfers of shards between replicas with the intervals of production. The times are printed.

const accountCount = faultSize({ small: 40, full: 120 })
/** Number of accounts that two replicas share before a replica ends. */
const remaining = faultSize({ small: 20, full: 50 })
const perSecond = 50
const timing = { claimMs: 1_000, logins: { perHost: 50, perSecond, concurrent: 200 } }
const intervals = { SVC_WORKER_CLAIM_INTERVAL: '1s', SVC_LOGINS_PER_HOST: '50' }

let world: World
beforeAll(async () => (world = await testWorld({ ...allShards, heartbeatMs: 5_000 })))
afterEach(() => world.reset())
afterAll(() => world.close())

/** Login of a mail user at a worker, with the time at which its session was closed. */
interface RecordedLogin {
  at: number
  user: string
  closedAt?: number
}

/** Creates an IMAP backend that records the logins of mail users. */
function recordLogins() {
  const logins: RecordedLogin[] = []
  const backend: ImapBackend = {
    ...imapBackend,
    async connect(options) {
      const session = await imapBackend.connect(options)
      const login: RecordedLogin = { at: performance.now(), user: session.user }
      logins.push(login)
      void session.closed.then(() => (login.closedAt = performance.now()))
      return session
    },
  }
  /**
   * Mail users with an open IMAP session. During a transfer of shards, some users have a second
   * session for a moment.
   */
  const open = () =>
    new Set(logins.filter(({ closedAt }) => closedAt === undefined).map(({ user }) => user))
  return { backend, logins, open }
}

async function registerUsers(count: number): Promise<void> {
  const users = Array.from({ length: count }, () => world.dovecot.freshUser())
  for (const user of users) await world.register(user)
}

async function shardsOf(worker: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from shards where owner = ${worker}::uuid
  `.execute(world.db)
  return rows[0]?.n ?? 0
}

const print = (text: string) => void process.stdout.write(`${text}\n`)
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
const slow = { timeoutMs: 120_000 }

test('a new replica takes its share at the pace of its logins, then hands it back', async () => {
  const [old, young] = [recordLogins(), recordLogins()]
  const first = await world.startWorker(timing, { backend: old.backend })
  await registerUsers(accountCount)
  await eventually(() => expect(old.open().size).toBe(accountCount), slow)

  const joinedAt = performance.now()
  const second = await world.startWorker(
    { ...timing, handoffMs: 20_000 },
    { backend: young.backend },
  )
  await eventually(async () => {
    expect([await shardsOf(first.id), await shardsOf(second.id)]).toEqual([128, 128])
    expect(new Set([...old.open(), ...young.open()]).size).toBe(accountCount)
  }, slow)
  const moved = young.open().size
  print(`${moved} of ${accountCount} accounts moved in ${seconds(performance.now() - joinedAt)}`)
  const gapMs = longestGapMs(old.logins, young.logins)
  print(`longest time without a session: ${seconds(gapMs)}`)
  // The new replica has half of the logins per second of the host. Load can only make the replica
  // slower.
  const logInMs = (young.logins.at(-1)?.at ?? 0) - (young.logins[0]?.at ?? 0)
  expect(logInMs).toBeGreaterThan((moved / (perSecond / 2)) * 1_000 * 0.5)

  const stoppedAt = performance.now()
  const before = old.logins.length
  await world.stopWorker(second)
  await eventually(() => expect(old.open().size).toBe(accountCount), slow)
  print(`${moved} accounts handed off in ${seconds(performance.now() - stoppedAt)}`)
  const returned = old.logins.slice(before)
  print(`longest time without a session: ${seconds(longestGapMs(young.logins, returned))}`)
})

/**
 * Longest time without a session of a user: from the end of the last session before the transfer to
 * the start of the first session after.
 */
function longestGapMs(before: RecordedLogin[], after: RecordedLogin[]): number {
  const closedAt = new Map<string, number>()
  for (const { user, closedAt: at = 0 } of before)
    closedAt.set(user, Math.max(at, closedAt.get(user) ?? 0))
  const first = new Map(after.toReversed().map(({ user, at }) => [user, at]))
  return Math.max(...Array.from(first, ([user, at]) => at - (closedAt.get(user) ?? at)))
}

test.each(['SIGTERM', 'SIGKILL'] as const)('%s: another replica takes over', async (signal) => {
  const { backend, open } = recordLogins()
  const survivor = await world.startWorker(timing, { backend })
  const child = world.spawnWorker(intervals)
  await eventually(async () => expect(await shardsOf(survivor.id)).toBe(128), slow)
  await registerUsers(remaining)
  const states = () => world.db.selectFrom('accountStates').select('state').execute()
  await eventually(async () => {
    const connected = (await states()).filter(({ state }) => state === 'connected')
    expect(connected).toHaveLength(remaining)
  }, slow)
  const heldBefore = open().size
  const signalledAt = performance.now()
  child.kill(signal)
  await eventually(async () => expect(await shardsOf(survivor.id)).toBe(256), slow)
  print(`${signal}: all shards taken over in ${seconds(performance.now() - signalledAt)}`)
  await eventually(() => expect(open().size).toBe(remaining), slow)
  const taken = remaining - heldBefore
  print(`${signal}: ${taken} accounts logged in after ${seconds(performance.now() - signalledAt)}`)
})

test('a worker at its memory limit refuses shards and reports accounts that no worker holds', async () => {
  const port = await freePort()
  // A worker process without accounts uses more than this heap, so the process has no memory for
  // accounts.
  const options = '--max-old-space-size=96 --max-semi-space-size=2'
  const child = world.spawnWorker({ NODE_OPTIONS: options, SVC_PORT: String(port) })
  await registerUsers(1)
  const metrics = async () => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const value = (name: string) =>
      new RegExp(`^posthorn_${name}\\{.*\\} (.+)$`, 'm').exec(text)?.[1]
    return ['sync_worker_refusing_shards', 'sync_worker_accounts', 'accounts_unclaimed'].map(value)
  }
  await eventually(async () => expect(await metrics()).toEqual(['1', '0', '1']))
  const other = await world.startWorker()
  await eventually(async () => expect(await shardsOf(other.id)).toBe(256))
  await eventually(async () => expect(await metrics()).toEqual(['1', '0', '0']))
  child.kill('SIGTERM')
  await once(child, 'exit')
})

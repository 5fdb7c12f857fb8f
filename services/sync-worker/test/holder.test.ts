import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { connect, type Db } from '@posthorn/db'
import { createLogger } from '@posthorn/telemetry'
import { eventually, testDatabase, type TestDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'
import { LoginRate } from '../src/shards/login-rate.ts'
import { holdShards } from '../src/shards/holder.ts'
import type { ShardHolderOptions } from '../src/shards/leased-shards.ts'
import type { ShardAccounts } from '../src/shards/shard-accounts.ts'

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await testDatabase()
  db = connect(database.roleUrl('posthorn_sync_worker'), { name: 'test' })
})
afterEach(async () => {
  await database.db.deleteFrom('workers').execute()
  await database.db.deleteFrom('accounts').execute()
})
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

const heartbeatMs = 200
/** Clock that only the test advances, so that no heartbeat is late because the machine is busy. */
function stoppedClock() {
  let time = 0
  return { now: () => time, pass: (ms: number) => void (time += ms) }
}

const config = {
  heartbeatMs,
  claimMs: 50,
  handoffMs: 20_000,
  logins: { perHost: 10, perSecond: 40, concurrent: 1_000 },
}

/**
 * Configuration of shard leases whose heartbeats stay valid while the clock of the test stands
 * still.
 */
const slow = { ...config, heartbeatMs: 60_000 }

const noAccounts = { accounts: 0, loggedIn: 0, waiting: 0, starting: 0 }
const claimable = (capacity: number) => ({ capacity, step: capacity, excess: 0 })
const noSessions: ShardAccounts = {
  listed: true,
  moving: 0,
  load: () => noAccounts,
  logins: () => new Map(),
  loggedInShards: () => new Set(),
  attemptedShards: () => new Set(),
}

/**
 * Starts a shard holder without account sessions. Disposal of the holder does not wait for other
 * workers.
 */
function hold(clock: () => number, change: Partial<ShardHolderOptions> = {}) {
  const id = randomUUID()
  const options: ShardHolderOptions = {
    db,
    worker: { id },
    config,
    whenConnected: async () => undefined,
    log: createLogger('test', 'silent'),
    metrics: { shardsHeld: () => undefined },
    observer: { claimed: async () => undefined, released: async () => undefined },
    accounts: noSessions,
    limits: {
      memory: { refusing: false, check: () => claimable(1_000_000) },
      loginRate: new LoginRate(config.logins.perSecond),
    },
    ...change,
  }
  const holder = holdShards(options, clock)
  return {
    leases: () => holder.leases(),
    checkTakeover: () => holder.checkTakeover(),
    handOff: () => holder[Symbol.asyncDispose](),
    async [Symbol.asyncDispose]() {
      await database.db.deleteFrom('workers').where('id', '<>', id).execute()
      await holder[Symbol.asyncDispose]()
    },
  }
}

/**
 * Adds a live worker that holds nothing. The worker is ready to log accounts in after `readyIn`
 * seconds. Needs one statement: the holder may read the row as soon as the row exists.
 */
async function addWorker({ refusing = false, readyIn = 0 } = {}): Promise<string> {
  const id = randomUUID()
  await sql`
    insert into workers (id, refusing, heartbeat_at, logging_in_until)
    values (${id}, ${refusing}, now() + interval '1 hour', now() + make_interval(secs => ${readyIn}))
  `.execute(database.db)
  return id
}

async function freeShards(): Promise<number> {
  const { rows } = await sql<{ free: number }>`
    select count(*)::int as free from shards where owner is null
  `.execute(database.db)
  return rows[0]?.free ?? 0
}

test('holdShards: claims expired shards again only after all work on them stopped', async () => {
  const seen: string[] = []
  const { promise: mayStop, resolve: stopped } = Promise.withResolvers<void>()
  let shards = 0
  const clock = stoppedClock()
  await using holder = hold(clock.now, {
    metrics: { shardsHeld: (count) => (shards = count) },
    observer: {
      async claimed(leases) {
        seen.push(`claimed ${leases.length}`)
      },
      async released(input) {
        if (seen.includes('stopped')) return
        seen.push(`release ${input.length}`)
        await mayStop
        seen.push('stopped')
      },
    },
  })
  await eventually(() => expect(seen).toEqual(['claimed 256']))
  await database.db.transaction().execute(async (tx) => {
    await sql`lock table workers in access exclusive mode`.execute(tx)
    clock.pass(2 * heartbeatMs)
    await eventually(() => expect(seen).toEqual(['claimed 256', 'release 256']))
  })
  // Heartbeats of the worker succeed again while its earlier work on the lost shards still runs.
  const notified = new Set<number>()
  await eventually(async () => {
    const worker = await database.db
      .selectFrom('workers')
      .select('heartbeatAt')
      .executeTakeFirstOrThrow()
    clock.pass(heartbeatMs)
    return notified.add(worker.heartbeatAt.getTime()).size >= 4
  })
  expect([shards, holder.leases().size]).toEqual([0, 0])
  stopped()
  await eventually(() =>
    expect(seen).toEqual(['claimed 256', 'release 256', 'stopped', 'claimed 256']),
  )
  // If claiming shards took longer than heartbeats are valid, the claim counts in the table
  // `shards` only, and the worker claims again.
  expect([...holder.leases().values()].every(({ epoch }) => Number(epoch) > 1)).toBe(true)
})

test('holdShards: claims no more than its fair share after losing shards', async () => {
  const clock = stoppedClock()
  await using holder = hold(clock.now)
  await eventually(() => expect(holder.leases().size).toBe(256))
  await database.db.transaction().execute(async (tx) => {
    await sql`lock table workers in access exclusive mode`.execute(tx)
    clock.pass(2 * heartbeatMs)
    await eventually(() => expect(holder.leases().size).toBe(0))
    // Inserts another live worker, which cannot claim the shards of this worker.
    await sql`insert into workers (id) values (${randomUUID()})`.execute(tx)
    await sql`update workers set heartbeat_at = now() + interval '1 hour'`.execute(tx)
  })
  await eventually(() => expect(holder.leases().size).toBe(128))
  expect(await freeShards()).toBe(128)
})

test('holdShards: before RabbitMQ is connected, no heartbeat, no shard, and not ready', async () => {
  const clock = stoppedClock()
  const { promise: connected, resolve: connect } = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<void>()
  const whenConnected = () => {
    waiting.resolve()
    return connected
  }
  await using other = hold(clock.now, { config: slow })
  await eventually(() => expect(other.leases().size).toBe(256))
  await using holder = hold(clock.now, { config: slow, whenConnected })
  await waiting.promise
  expect(await database.db.selectFrom('workers').select('id').execute()).toHaveLength(1)
  expect(holder.checkTakeover).toThrow('fewer shards than its share')
  expect([holder.leases().size, other.leases().size]).toEqual([0, 256])
  connect()
  await eventually(() => {
    clock.pass(slow.claimMs)
    expect([holder.leases().size, other.leases().size]).toEqual([128, 128])
  })
  expect(holder.checkTakeover).not.toThrow()
})

describe('holdShards: with one account of one host per shard', () => {
  const logins = new Map(Array.from({ length: 256 }, (_, shard) => [shard, new Map([['h', 1]])]))
  const accounts = {
    listed: true,
    moving: 0,
    load: () => ({ ...noAccounts, accounts: 256, loggedIn: 256 }),
    logins: () => logins,
    loggedInShards: () => new Set(logins.keys()),
    attemptedShards: () => new Set(logins.keys()),
  }
  /**
   * Configuration with which a login takes an hour, so that only the test makes another worker
   * ready for logins.
   */
  const hourly = { ...slow, logins: { ...config.logins, perSecond: 1 / 1_800 } }
  const makeReady = (id: string) =>
    sql`update workers set logging_in_until = now() where id = ${id}`.execute(database.db)

  test('releases a surplus shard whenever another worker is ready to log its account in', async () => {
    const loginRate = new LoginRate(1)
    const limits = { memory: { refusing: false, check: () => claimable(1_000_000) }, loginRate }
    await using holder = hold(stoppedClock().now, { accounts, limits, config: hourly })
    await eventually(() => expect(holder.leases().size).toBe(256))
    const other = await addWorker()
    for (let free = 1; free <= 3; free += 1) {
      await eventually(async () => expect(await freeShards()).toBe(free))
      await makeReady(other)
    }
    expect(loginRate.perSecond).toBe(0.5)
    expect(holder.leases().size).toBeGreaterThan(250)
  })

  test('releases surplus shards without a logged-in account together, whatever the pace', async () => {
    const someLoggedIn = { ...accounts, loggedInShards: () => new Set([0, 200]) }
    await using holder = hold(stoppedClock().now, { accounts: someLoggedIn, config: hourly })
    await eventually(() => expect(holder.leases().size).toBe(256))
    const other = await addWorker()
    await eventually(async () => expect(await freeShards()).toBe(127))
    expect([...holder.leases().keys()]).toContain(200)
    // The other worker is ready for further shards only after the logins of the accounts in the
    // released shards.
    await makeReady(other)
    await eventually(async () => expect(await freeShards()).toBe(128))
    expect([...holder.leases().keys()]).not.toContain(200)
  })

  test('hands off at the pace of another worker, and at the latest within handoffMs', async () => {
    const clock = stoppedClock()
    await using holder = hold(clock.now, { accounts, config: hourly })
    await eventually(() => expect(holder.leases().size).toBe(256))
    const other = await addWorker({ readyIn: 3_600 })
    const handedOff = holder.handOff()
    await eventually(async () => {
      const { rows } = await sql`select from workers where stopping`.execute(database.db)
      expect(rows).toHaveLength(1)
    })
    expect(await freeShards()).toBe(0)
    await makeReady(other)
    await eventually(async () => expect(await freeShards()).toBe(1))
    clock.pass(config.handoffMs / 2)
    await eventually(async () => expect(await freeShards()).toBe(128))
    clock.pass(config.handoffMs / 2)
    await handedOff
    expect(await freeShards()).toBe(256)
  })

  test('hands off immediately without another worker', async () => {
    await using holder = hold(stoppedClock().now, { accounts, config: hourly })
    await eventually(() => expect(holder.leases().size).toBe(256))
    await holder.handOff()
    expect(await freeShards()).toBe(256)
  })

  test('keeps surplus shards while the other worker refuses them', async () => {
    let reconciled = 0
    const memory = { refusing: false, check: () => claimable(1_000_000 + ++reconciled) }
    const limits = { memory, loginRate: new LoginRate(1) }
    await using holder = hold(stoppedClock().now, { accounts, limits, config: hourly })
    await eventually(() => expect(holder.leases().size).toBe(256))
    const other = await addWorker({ refusing: true })
    const before = reconciled
    await eventually(() => expect(reconciled).toBeGreaterThan(before + 2))
    expect(holder.leases().size).toBe(256)
    await sql`update workers set refusing = false where id = ${other}`.execute(database.db)
    await eventually(async () => expect(await freeShards()).toBe(1))
  })
})

test('holdShards: a worker that joins others waits until they count it', async () => {
  await addWorker()
  const clock = stoppedClock()
  let reconciled = 0
  const memory = { refusing: false, check: () => claimable(1_000 * ++reconciled) }
  const limits = { memory, loginRate: new LoginRate(1) }
  await using holder = hold(clock.now, { config: slow, limits })
  await eventually(() => expect(reconciled).toBeGreaterThan(3))
  expect(holder.leases().size).toBe(0)
  clock.pass(2 * config.claimMs)
  await eventually(() => expect(holder.leases().size).toBe(128))
})

test('holdShards: the worker with the smallest part of all shards takes no more', async () => {
  const others = [await addWorker(), await addWorker()]
  await sql`
    update shards set owner = case when shard < 86 then ${others[0]}::uuid else ${others[1]}::uuid end,
      epoch = epoch + 1
    where shard < 172
  `.execute(database.db)
  const clock = stoppedClock()
  await using holder = hold(clock.now, { config: slow })
  expect(holder.checkTakeover).toThrow()
  await eventually(() => {
    clock.pass(config.claimMs)
    expect(holder.leases().size).toBe(84)
    expect(holder.checkTakeover).not.toThrow()
  })
})

describe('holdShards: at the memory limit', () => {
  test('claims shards only for the accounts there is memory for', async () => {
    await sql`
      insert into accounts (account, shard, name)
      select 'a' || n, n % 256, 'Test' from generate_series(0, 511) as n
    `.execute(database.db)
    const claims: number[] = []
    const observer = {
      claimed: async (leases: readonly unknown[]) => void claims.push(leases.length),
      released: async () => undefined,
    }
    const loginRate = new LoginRate(1)
    const memory = { refusing: false, check: () => claimable(claims.length === 0 ? 9 : 0) }
    await using holder = hold(stoppedClock().now, { observer, limits: { memory, loginRate } })
    await eventually(() => expect(claims).toEqual([4]))
    expect([...holder.leases().keys()].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3])
  })

  test('gives back shards whose accounts never tried to log in', async () => {
    const logins = new Map(Array.from({ length: 256 }, (_, shard) => [shard, new Map([['h', 2]])]))
    const attempted = new Set([255])
    const accounts = { ...noSessions, logins: () => logins, attemptedShards: () => attempted }
    const limits = claimable(1_000)
    const memory = { refusing: false, check: () => ({ ...limits }) }
    await using holder = hold(stoppedClock().now, {
      accounts,
      limits: { memory, loginRate: new LoginRate(1) },
    })
    await eventually(() => expect(holder.leases().size).toBe(256))
    Object.assign(limits, { capacity: 0, step: 0, excess: 5 })
    const held = await eventually(() => holder.leases().size < 256 && [...holder.leases().keys()])
    limits.excess = 0
    expect(held).toContain(255)
    expect(held).not.toEqual(expect.arrayContaining([252, 253, 254]))
  })

  test('of another worker: claims the shards that one refuses', async () => {
    await addWorker({ refusing: true })
    const clock = stoppedClock()
    await using holder = hold(clock.now, { config: slow })
    await eventually(() => {
      clock.pass(config.claimMs)
      expect(holder.leases().size).toBe(256)
    })
  })

  test('stores that it refuses, for the others', async () => {
    const memory = { refusing: true, check: () => claimable(0) }
    const limits = { memory, loginRate: new LoginRate(1) }
    await using holder = hold(stoppedClock().now, { limits })
    const stored = () => database.db.selectFrom('workers').select('refusing').execute()
    await eventually(async () => expect(await stored()).toEqual([{ refusing: true }]))
    memory.refusing = false
    await eventually(async () => expect(await stored()).toEqual([{ refusing: false }]))
    expect(holder.leases().size).toBe(0)
  })
})

import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { ImapClient, mail } from './imap-client.ts'
import { Relay } from './relay.ts'
import { allShards, testWorld, type World } from './world.ts'

let world: World
beforeAll(async () => (world = await testWorld({ ...allShards, heartbeatMs: 600 })))
afterAll(() => world.close())

async function owners(): Promise<Map<string | null, number>> {
  const { rows } = await sql<{
    owner: string | null
    n: number
  }>`select owner, count(*)::int as n from shards group by owner`.execute(world.db)
  return new Map(rows.map(({ owner, n }) => [owner, n]))
}

const holds = (id: string, count: number) =>
  eventually(async () => {
    expect((await owners()).get(id)).toBe(count)
  })

test('holdShards: two workers share; a stopping one hands off first', async () => {
  const first = await world.startWorker()
  await holds(first.id, 256)
  const account = await world.register(world.dovecot.freshUser())
  await world.connected(account)
  const second = await world.startWorker()
  await holds(second.id, 128)
  await holds(first.id, 128)
  await world.stopWorker(first)
  expect((await owners()).has(first.id)).toBe(false)
  await holds(second.id, 256)
  expect(await world.db.selectFrom('workers').select('id').execute()).toEqual([{ id: second.id }])
  await world.stopWorker(second)
  expect(await owners()).toEqual(new Map([[null, 256]]))
})

test('holdShards: a released worker hands off and resumes only without other workers', async () => {
  const first = await world.startWorker()
  await holds(first.id, 256)
  await sql`update workers set stopping = true where id = ${first.id}::uuid`.execute(world.db)
  const second = await world.startWorker()
  await holds(second.id, 256)
  expect((await owners()).has(first.id)).toBe(false)
  await world.stopWorker(second)
  await holds(first.id, 256)
  await world.stopWorker(first)
})

test('holdShards: accounts of a killed worker continue without repeated events', async () => {
  const child = world.spawnWorker()
  const users = Array.from({ length: 4 }, () => world.dovecot.freshUser())
  const accounts = await Promise.all(users.map((user) => world.register(user)))
  await Promise.all(accounts.map(world.connected))
  const survivor = await world.startWorker()
  await holds(survivor.id, 128)
  for (const { user } of users) await world.dovecot.deliver(user, mail({ subject: 'one' }))
  await Promise.all(accounts.map((account) => world.expectEvents(account, ['messageNew'], 1)))
  child.kill('SIGKILL')
  await once(child, 'exit')
  for (const { user } of users) await world.dovecot.deliver(user, mail({ subject: 'two' }))
  for (const account of accounts) {
    const events = await world.expectEvents(account, ['messageNew'], 2)
    expect(events.map(({ data }) => data['subject'])).toEqual(['one', 'two'])
  }
  await holds(survivor.id, 256)
  const received = await Promise.all(accounts.map((account) => world.events(account)))
  const once_ = received
    .flat()
    .filter(({ event }) => event === 'authenticationSuccess' || event === 'accountInitialized')
  expect(once_).toHaveLength(8)
  await world.stopWorker(survivor)
})

test('SIGTERM: the process exits and releases its shards', async () => {
  const child = world.spawnWorker()
  await eventually(async () => {
    expect((await owners()).get(null)).toBeUndefined()
  })
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number | null]
  expect(code).toBe(0)
  expect(await owners()).toEqual(new Map([[null, 256]]))
})

test('restart: no repeated events, messages of the downtime are announced', async () => {
  const first = await world.startWorker()
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  await world.dovecot.deliver(user.user, mail({ subject: 'before' }))
  await world.expectEvents(account, ['messageNew'], 1)
  const before = await world.events(account)
  await world.stopWorker(first)
  await using client = await ImapClient.login(user)
  await client.append('INBOX', mail({ subject: 'meanwhile' }))
  const second = await world.startWorker()
  const events = await world.expectEvents(account, ['messageNew'], 2)
  expect(events[1]?.data).toMatchObject({ subject: 'meanwhile' })
  expect((await world.events(account)).map(({ eventId }) => eventId)).toEqual([
    ...before.map(({ eventId }) => eventId),
    events[1]?.eventId,
  ])
  await world.stopWorker(second)
})

test('lost shards: nothing is stored, connections are closed', async () => {
  const worker = await world.startWorker()
  const user = world.dovecot.freshUser()
  await using relay = await Relay.to({ host: user.host, port: user.imapPort })
  const account = await world.register(user, { port: relay.port })
  await world.connected(account)
  // A worker whose heartbeat lies a year in the future.
  const thief = randomUUID()
  await sql`insert into workers (id, heartbeat_at) values (${thief}, now() + interval '1 year')`.execute(
    world.db,
  )
  await sql`update shards set owner = ${thief}, epoch = epoch + 1`.execute(world.db)
  // Some events of the account may not be published, so the test compares the stored events.
  const ids = async () => (await world.events(account)).map(({ eventId }) => eventId)
  const before = await ids()
  await world.dovecot.deliver(user.user, mail({ subject: 'not yours' }))
  await eventually(() => relay.open === 0)
  expect(await ids()).toEqual(before)
  await sql`delete from workers where id = ${thief}`.execute(world.db)
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(event?.data).toMatchObject({ subject: 'not yours' })
  await world.stopWorker(worker)
})

test('Postgres outage: sessions stop and start again', async () => {
  const worker = await world.startWorker()
  const user = world.dovecot.freshUser()
  await using relay = await Relay.to({ host: user.host, port: user.imapPort })
  const account = await world.register(user, { port: relay.port })
  await world.connected(account)
  // Heartbeats of the worker wait while another transaction locks the table `workers`.
  const blocked = world.db.transaction().execute(async (tx) => {
    await sql`lock table workers in access exclusive mode`.execute(tx)
    await eventually(() => relay.open === 0)
    await world.dovecot.deliver(user.user, mail({ subject: 'while blocked' }))
  })
  await blocked
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(event?.data).toMatchObject({ subject: 'while blocked' })
  const shard = world.db.selectFrom('shards').select('owner').where('shard', '=', shardOf(account))
  // A worker that lost its shard by missing heartbeats claims the shard again afterwards.
  await eventually(async () => expect(await shard.execute()).toEqual([{ owner: worker.id }]))
  await world.stopWorker(worker)
})

test('without RabbitMQ, a new worker takes no shards and is not ready', async () => {
  const holder = await world.startWorker()
  await holds(holder.id, 256)
  const worker = await world.startWorker({ amqpUrl: 'amqp://nobody@127.0.0.1:1' })
  const get = (path: string) => fetch(`http://127.0.0.1:${worker.port}${path}`)
  await eventually(async () => {
    const ready = await get('/health/ready')
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('accounts')])
  })
  expect(await (await get('/metrics')).text()).toMatch(/^posthorn_bus_up\{.*\} 0$/m)
  // A worker takes shards only after its first heartbeat, which inserts the row of the worker.
  const workers = await world.db.selectFrom('workers').select('id').execute()
  expect(workers.map(({ id }) => id)).not.toContain(worker.id)
  await holds(holder.id, 256)
  await world.stopWorker(worker)
  await world.stopWorker(holder)
})

import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { accountCommands } from '@posthorn/contracts/commands'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually, faultSize, type ImapScript, startImapScript } from '@posthorn/testkit'
import { sql } from 'kysely'
import { mail } from './imap-client.ts'
import { allShards, testWorld, type World } from './world.ts'

// Reads of accounts of one host while the login limits delay most logins.

const { listMessages, getMessage } = accountCommands
const firstPage = { path: 'INBOX', page: 0, pageSize: 20 }
/** Accounts that cannot all log in within the deadline of a read, 30 s. */
const count = 50
/** Number of accounts at a server that replies to no login of most of the accounts. */
const many = faultSize({ small: 2_000, full: 10_000 })
const fastLogins = { perHost: 50, perSecond: 10_000, concurrent: 200 }
const slowLogins = { perHost: 10, perSecond: 1, concurrent: 200 }

let world: World
let server: ImapScript
beforeAll(async () => {
  world = await testWorld(allShards)
})
afterEach(async () => {
  await world.reset()
  await server[Symbol.asyncDispose]()
})
afterAll(() => world.close())

/**
 * Registers accounts at a server with one message, which is announced, and waits until all have
 * synced.
 */
async function syncedAccounts(accounts: number): Promise<string[]> {
  server = await startImapScript()
  server.mailbox('INBOX').append(mail({ subject: 'old' }))
  const worker = await world.startWorker({ logins: fastLogins })
  const registered = await Promise.all(
    Array.from({ length: accounts }, (_, n) =>
      world.register(
        { host: server.host, imapPort: server.port, user: `user-${n}`, pass: 'secret' },
        { imap: { resyncDelay: 900 }, notifyFrom: new Date(0) },
      ),
    ),
  )
  await Promise.all(registered.map((account) => world.connected(account)))
  await world.stopWorker(worker)
  return registered
}

/**
 * Registers accounts that have synced before, with one statement. Each account belongs to the user
 * of the same name.
 */
async function insertSyncedAccounts(accounts: number): Promise<void> {
  const names = Array.from({ length: accounts }, (_, n) => `many-${n}`)
  for (const account of names) world.credentials.set(account, { user: account, pass: 'secret' })
  const { host, port } = server
  const imap = JSON.stringify({ host, port, tls: { requireStartTls: false }, resyncDelay: 900 })
  const rows = JSON.stringify(names.map((account) => ({ account, shard: shardOf(account) })))
  await sql`
    insert into accounts (account, shard, name, imap)
    select account, shard, 'Test', ${imap}::jsonb
    from jsonb_to_recordset(${rows}::jsonb) as r (account text, shard smallint)
  `.execute(world.db)
  await sql`
    insert into account_states (account, state, account_version, initialized_at)
    select account, 'connected', version, now() from accounts
  `.execute(world.db)
}

async function announced(account: string, subjects: string[]): Promise<void> {
  const events = await world.expectEvents(account, ['messageNew'], subjects.length)
  expect(events.map(({ data }) => data['subject'])).toEqual(subjects)
}

const logins = () => server.received.filter((line) => line.startsWith('AUTHENTICATE')).length

test('restart: reads of accounts at the end of the queue need only their own logins', async () => {
  const accounts = await syncedAccounts(count)
  const before = logins()
  // With one login per second, the logins of all account sessions take longer than the deadline of
  // a read.
  await world.startWorker({ logins: slowLogins })
  const last = accounts.slice(-4)
  const pages = await Promise.all(
    last.map((account) => eventually(() => world.ask(listMessages, account, firstPage))),
  )
  expect(pages.map(({ total }) => total)).toEqual([1, 1, 1, 1])
  expect(logins() - before).toBeLessThan(count / 2)
  // The sessions of accounts that were read log in before the sessions of other accounts.
  const watching = () => server.sessions.filter(({ idling }) => idling).map(({ user }) => user)
  const users = last.map((_, n) => `user-${count - 4 + n}`)
  await eventually(() => expect(watching()).toEqual(expect.arrayContaining(users)))
  expect(logins() - before).toBeLessThan(count / 2)
})

test('cold start of two workers: the second one has its share before the logins end', async () => {
  // With 20 accounts, at least one account is in a shard that stays at the first worker.
  const accounts = await syncedAccounts(20)
  // Login limits with which the second login of a worker is due 1 h after the first.
  const logins = { ...slowLogins, perSecond: 1 / 3_600 }
  const held = async (id: string) => {
    const shards = world.db.selectFrom('shards').select('shard').where('owner', '=', id)
    return (await shards.execute()).length
  }
  const first = await world.startWorker({ logins })
  await eventually(async () => expect(await held(first.id)).toBe(256))
  await eventually(() => expect(server.sessions.some(({ idling }) => idling)).toBe(true))
  const second = await world.startWorker({ logins })
  await eventually(async () => expect(await held(second.id)).toBe(128))
  // Accounts in shards with low numbers log in first, because shards with high numbers move to the
  // second worker.
  const shardOfUser = new Map(accounts.map((account, n) => [`user-${n}`, shardOf(account)]))
  const loggedIn = server.sessions.map(({ user = '' }) => shardOfUser.get(user))
  expect(loggedIn).toContain(Math.min(...shardOfUser.values()))
})

describe('without a login permit', () => {
  test('a read uses the connection that syncs, which then reports new messages', async () => {
    const [account = ''] = await syncedAccounts(1)
    await world.startWorker({ logins: { ...slowLogins, perSecond: 1 / 3_600 } })
    await eventually(() => expect(server.sessions.some(({ idling }) => idling)).toBe(true))
    const connections = server.connections
    // Commands reach the worker when RabbitMQ has bound the worker's queue.
    const list = () => world.ask(listMessages, account, firstPage)
    const { messages } = await eventually(list)
    expect(messages).toMatchObject([{ subject: 'old' }])
    const id = messages[0]?.id ?? ''
    const reads = Array.from({ length: 5 }, () => world.ask(getMessage, account, { message: id }))
    server.mailbox('INBOX').append(mail({ subject: 'meanwhile' }))
    expect(await Promise.all(reads)).toHaveLength(5)
    await announced(account, ['old', 'meanwhile'])
    server.mailbox('INBOX').append(mail({ subject: 'later' }))
    await announced(account, ['old', 'meanwhile', 'later'])
    expect(server.connections).toBe(connections)
  })
})

test('readiness: a worker is ready when the accounts moved to it are logged in', async () => {
  await syncedAccounts(3)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  server.on('AUTHENTICATE', async (command) => {
    await released
    return await command.defaultReply()
  })
  const worker = await world.startWorker({ logins: fastLogins })
  const ready = async () =>
    (await fetch(`http://127.0.0.1:${worker.port}/health/ready`)).json() as Promise<object>
  await eventually(() => expect(server.sessions.length).toBe(3))
  expect(await ready()).toMatchObject({ success: false, failed: ['accounts'] })
  release()
  await eventually(async () => expect(await ready()).toMatchObject({ success: true }))
})

test(`${many} accounts: a read needs its own login only, whatever the logins of the others`, async () => {
  server = await startImapScript()
  server.mailbox('INBOX').append(mail({ subject: 'old' }))
  const read = new Set<string>()
  // The server replies to no login of an account that is not read.
  server.on('AUTHENTICATE', async ({ session, defaultReply }) => {
    const lines = await defaultReply()
    return read.has(session.user ?? '') ? lines : await new Promise<never>(() => undefined)
  })
  await insertSyncedAccounts(many)
  const accounts = [many - 1, many / 2, 17, 1, many - 111, many / 4].map((n) => `many-${n}`)
  for (const account of accounts) read.add(account)
  // The worker runs in a separate process: memory of the tests would reduce the accounts of a
  // worker in the same process.
  const worker = world.spawnWorker({ NODE_OPTIONS: '--max-old-space-size=4096' })
  const pages = await Promise.all(
    accounts.map((account) => eventually(() => world.ask(listMessages, account, firstPage))),
  )
  expect(pages.map(({ total }) => total)).toEqual(accounts.map(() => 1))
  worker.kill('SIGTERM')
  await once(worker, 'exit')
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { getQuota, syncAccount } from '@posthorn/contracts/commands/maintenance'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { ImapClient, mail } from './imap-client.ts'
import { Relay } from './relay.ts'
import { testWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await testWorld()
  // The account states `connecting` and `syncing` are not stored, even if they last long on a busy
  // machine.
  await world.startWorker({ transientStateMs: 3_600_000 })
})
afterAll(() => world.close())

/** Requests a flush (deletion) of the account's mailbox indexes, like api-gateway does. */
async function flush(account: string, notifyFrom = new Date(), imapIndexer?: string) {
  await sql`
    update accounts set flush_epoch = flush_epoch + 1, version = version + 1, notify_from = ${notifyFrom},
      imap_indexer = coalesce(${imapIndexer ?? null}::text, imap_indexer) where account = ${account}
  `.execute(world.db)
  await world.bus.invalidate({ topic: 'accounts', id: account })
}

/** Waits until a flush of the account's indexes is completed and all mailboxes are synced again. */
const flushed = (account: string, epoch: string) =>
  eventually(async () => {
    expect((await world.state(account))?.flushedEpoch).toBe(epoch)
    const rows = await mailboxes(account)
    expect(rows.filter(({ syncedAt }) => syncedAt === null)).toEqual([])
  })

const mailboxes = (account: string) =>
  world.db
    .selectFrom('mailboxes')
    .select(['path', 'number', 'messages', 'indexer', 'syncedAt'])
    .where('account', '=', account)
    .orderBy('path')
    .execute()

const minuteAgo = () => new Date(Date.now() - 60_000)

test('flush: rebuilds the index, keeps message ids, has no events', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  const account = await world.register(user)
  await world.connected(account)
  // INTERNALDATE has whole seconds: a message of the same second as the flush may be newer.
  await client.append('INBOX', mail({ subject: 'before' }), { date: minuteAgo() })
  const [first] = await world.expectEvents(account, ['messageNew'], 1)
  const stored = (await world.events(account)).length
  const before = await mailboxes(account)
  await flush(account)
  await flushed(account, '1')
  const after = await mailboxes(account)
  const names = (rows: typeof after) => rows.map(({ path, number }) => [path, number])
  expect(names(after)).toEqual(names(before))
  expect(after.find(({ path }) => path === 'INBOX')?.messages).toBe(1)
  expect(await world.events(account)).toHaveLength(stored)
  await world.dovecot.deliver(user.user, mail({ subject: 'after' }))
  const events = await world.expectEvents(account, ['messageNew'], 2)
  expect(events.map(({ data }) => data['subject'])).toEqual(['before', 'after'])
  expect(events[0]?.data['id']).toBe(first?.data['id'])
  expect((await world.events(account)).slice(stored).map(({ event }) => event)).toEqual([
    'messageNew',
  ])
})

test('flush: an older notifyFrom announces messages since then again', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  await world.dovecot.deliver(user.user, mail({ subject: 'again' }))
  await world.expectEvents(account, ['messageNew'], 1)
  await flush(account, new Date(Date.now() - 3_600_000))
  const events = await world.expectEvents(account, ['messageNew'], 2)
  const [once, twice] = events
  expect(twice?.data['id']).toBe(once?.data['id'])
  expect(twice?.eventId).not.toBe(once?.eventId)
  expect(await world.events(account, 'mailboxReset')).toEqual([])
  const folders = await world.events(account, 'mailboxNew')
  expect(new Set(folders.map(({ path }) => path)).size).toBe(folders.length)
})

test('flush: messages that arrive meanwhile are announced', async () => {
  const user = world.dovecot.freshUser()
  const account = await world.register(user)
  await world.connected(account)
  await flush(account)
  await world.dovecot.deliver(user.user, mail({ subject: 'meanwhile' }))
  const [event] = await world.expectEvents(account, ['messageNew'], 1)
  expect(event?.data).toMatchObject({ subject: 'meanwhile' })
})

test('flush: changes the indexer of mailboxes', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  const account = await world.register(user)
  await world.connected(account)
  await client.append('INBOX', mail(), { date: minuteAgo() })
  await world.expectEvents(account, ['messageNew'], 1)
  await flush(account, new Date(), 'fast')
  await flushed(account, '1')
  expect((await mailboxes(account)).map(({ indexer }) => indexer)).toEqual(
    (await mailboxes(account)).map(() => 'fast'),
  )
  await world.dovecot.deliver(user.user, mail({ subject: 'fast' }))
  const events = await world.expectEvents(account, ['messageNew'], 2)
  expect(events[1]?.data).toMatchObject({ subject: 'fast' })
})

test('syncAccount: starts a sync pass immediately', async () => {
  const user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  await client.run('CREATE Aside')
  const account = await world.register(user, { imap: { resyncDelay: 3_600 }, path: ['Aside'] })
  await world.connected(account)
  const before = (await world.state(account))?.syncTime
  expect(await eventually(() => world.ask(syncAccount, account, {}))).toEqual({ sync: true })
  await eventually(async () => {
    expect((await world.state(account))?.syncTime).not.toEqual(before)
  })
})

test('syncAccount: fails for an account that is not synced', async () => {
  const account = await world.register(world.dovecot.freshUser(), { imap: null })
  await eventually(async () => {
    await expect(world.ask(syncAccount, account, {})).rejects.toMatchObject({
      code: 'NotSyncing',
      extras: { state: 'unset' },
    })
  })
})

test('getQuota: empty without QUOTA', async () => {
  const account = await world.register(world.dovecot.freshUser())
  await world.connected(account)
  expect(await world.ask(getQuota, account, {})).toEqual({ quota: false })
})

test('AccountSession: repeatedly lost connections show disconnected without an event', async () => {
  const user = world.dovecot.freshUser()
  await using relay = await Relay.to({ host: user.host, port: user.imapPort })
  const account = await world.register(user, { port: relay.port })
  await world.connected(account)
  relay.cut()
  await eventually(async () => {
    const { rows } = await sql<{ key: string }>`
      select key from account_changes where account = ${account} order by xid, id
    `.execute(world.db)
    expect(rows.map(({ key }) => key).slice(-2)).toEqual(['disconnected', 'connected'])
  })
  expect(await world.events(account, 'connectError', 'authenticationError')).toEqual([])
})

test('ConnectionCounts: stores the number of connections', async () => {
  const account = await world.register(world.dovecot.freshUser())
  await world.connected(account)
  await eventually(async () =>
    expect((await world.state(account))?.connections).toBeGreaterThanOrEqual(1),
  )
})

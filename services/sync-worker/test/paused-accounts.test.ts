import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { once } from 'node:events'
import { imapBackend, type ImapBackend } from '@posthorn/backends'
import { listMailboxes } from '@posthorn/contracts/commands/mailboxes'
import { getQuota, syncAccount } from '@posthorn/contracts/commands/maintenance'
import { deleteMessage } from '@posthorn/contracts/commands/message-changes'
import { getMessage, listMessages, searchMessages } from '@posthorn/contracts/commands/messages'
import { eventually } from '@posthorn/testkit'
import { type ApiWorld, apiWorld } from './api-world.ts'
import { Relay } from './relay.ts'
import { allShards } from './world.ts'

let world: ApiWorld
// Shards of a killed worker are free after three heartbeats.
beforeAll(async () => (world = await apiWorld({ ...allShards, heartbeatMs: 1_500 })))
afterEach(() => world.reset())
afterAll(() => world.close())

/** Pauses or resumes accounts, as a gateway does that is killed before its broadcast. */
async function setPaused(accounts: readonly string[], paused: boolean): Promise<void> {
  await world.db
    .updateTable('accounts')
    .set((row) => ({ paused, version: row('version', '+', '1') }))
    .where('account', 'in', accounts)
    .execute()
}

const stateIs = (account: string, state: string) =>
  eventually(async () => expect((await world.state(account))?.state).toBe(state))

const page = { path: 'INBOX', page: 0, pageSize: 1 }
const message = { message: 'AAAAAQAAAAE' }

/** Sends commands for a paused account, which must all be rejected. */
async function expectRejections(account: string): Promise<void> {
  const rejected = {
    kind: 'unavailable',
    code: 'NoAvailable',
    extras: { state: 'other' },
    message: 'The account is paused, set paused to false to connect it',
  }
  const commands = [
    () => world.ask(listMailboxes, account, { counters: false }),
    () => world.ask(listMessages, account, page),
    () => world.ask(searchMessages, account, { ...page, search: { unseen: true } }),
    () => world.ask(getMessage, account, message),
    () => world.ask(deleteMessage, account, { ...message, force: false }),
    () => world.ask(getQuota, account, {}),
    () => world.ask(syncAccount, account, {}),
  ]
  // The worker rejects commands for the paused account shortly after the state was stored.
  for (const command of commands)
    await eventually(() => expect(command()).rejects.toMatchObject(rejected))
}

/** IMAP account behind a relay that counts connections. */
async function imapAccount() {
  const user = world.dovecot.freshUser()
  const relay = await Relay.to({ host: user.host, port: user.imapPort })
  const account = await world.register(user, { port: relay.port })
  return { account, relay }
}

test('paused IMAP account: no login, also after restarts, a kill and at another worker', async () => {
  const { account, relay } = await imapAccount()
  await using _relay = relay
  await setPaused([account], true)
  const requests = world.credentialRequests.length
  const child = world.spawnWorker()
  await stateIs(account, 'paused')
  await expectRejections(account)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const restarted = await world.startWorker()
  await expectRejections(account)
  const other = await world.startWorker()
  await world.stopWorker(restarted)
  await expectRejections(account)
  await world.stopWorker(other)
  expect(relay.connections).toBe(0)
  expect(world.credentialRequests).toHaveLength(requests)
})

test('pause and resume without a broadcast: take effect, also if the worker is killed before', async () => {
  const { account, relay } = await imapAccount()
  await using _relay = relay
  const worker = await world.startWorker()
  await world.connected(account)
  await setPaused([account], true)
  await stateIs(account, 'paused')
  await eventually(() => expect(relay.open).toBe(0))
  await world.stopWorker(worker)
  const { connections } = relay

  const child = world.spawnWorker()
  await expectRejections(account)
  child.kill('SIGKILL')
  await once(child, 'exit')
  await setPaused([account], false)
  expect(relay.connections).toBe(connections)
  await world.startWorker()
  await world.connected(account)
  expect(await world.state(account)).toMatchObject({ state: 'connected', lastError: null })
})

test.each(['labels', 'folder'] as const)(
  'paused account of a mail API (%s): no request, no subscription; polls continue when resumed',
  async (placement) => {
    const { account, model } = await world.registerApi(placement)
    const other = await world.registerApi(placement)
    await world.startApiWorker()
    await world.connected(account)
    await world.connected(other.account)
    await setPaused([account], true)
    await stateIs(account, 'paused')
    await expectRejections(account)
    const before = new Map(model.api.calls)
    const requests = world.credentialRequests.filter((request) => request.account === account)
    const polls = () => [...other.model.api.calls.values()].reduce((sum, count) => sum + count, 0)
    const start = polls()
    await eventually(() => expect(polls()).toBeGreaterThan(start + 5))
    expect(new Map(model.api.calls)).toEqual(before)
    expect(world.credentialRequests.filter((request) => request.account === account)).toEqual(
      requests,
    )
    await setPaused([account], false)
    await world.connected(account)
    await eventually(() => expect(new Map(model.api.calls)).not.toEqual(before))
  },
)

test('many accounts resumed at the same time: logins stay within the limits', async () => {
  const count = 30
  const accounts = await Promise.all(
    Array.from({ length: count }, () => world.register(world.dovecot.freshUser())),
  )
  await setPaused(accounts, true)
  const logins = { running: 0, max: 0, total: 0 }
  const backend: ImapBackend = {
    async connect(options) {
      logins.total += 1
      logins.running += 1
      logins.max = Math.max(logins.max, logins.running)
      try {
        return await imapBackend.connect(options)
      } finally {
        logins.running -= 1
      }
    },
  }
  const limits = { perHost: 3, perSecond: 1_000, concurrent: 200 }
  await world.startWorker({ logins: limits }, { backend })
  for (const account of accounts) await stateIs(account, 'paused')
  expect(logins.total).toBe(0)
  await setPaused(accounts, false)
  for (const account of accounts) await stateIs(account, 'connected')
  expect(logins.total).toBeGreaterThanOrEqual(count)
  expect(logins.max).toBeLessThanOrEqual(limits.perHost)
})

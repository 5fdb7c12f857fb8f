import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { listMailboxes } from '@posthorn/contracts/commands/mailboxes'
import { shardOf } from '@posthorn/contracts/shards'
import { type Backend, cacheSettings, connect } from '@posthorn/db'
import { createLogger } from '@posthorn/telemetry'
import { eventually } from '@posthorn/testkit'
import type { AccountDriver, CreateDriver } from '../src/drivers/account-driver.ts'
import { Registry } from '../src/sessions/registry.ts'
import { transition } from '../src/sessions/status-transition.ts'
import { createAccountReader } from '../src/store/accounts.ts'
import { testWorld, type World } from './world.ts'

let world: World
beforeAll(async () => (world = await testWorld()))
afterAll(() => world.close())

const setBackend = (account: string, backend: Backend) =>
  world.db.updateTable('accounts').set({ backend }).where('account', '=', account).execute()

test('Registry: each account gets the driver of its backend', async () => {
  const db = connect(world.roleUrl('posthorn_sync_worker'), { name: 'test' })
  const follows: [Backend, string | undefined][] = []
  const driverOf = (backend: Backend): [Backend, CreateDriver] => [
    backend,
    (context) =>
      ({
        loginKey: undefined,
        async follow(signal: AbortSignal) {
          follows.push([backend, context.account?.account])
          await context.reportLogin('jane')
          await new Promise((_resolve, reject) => signal.addEventListener('abort', reject))
        },
        [Symbol.asyncDispose]: async () => {},
      }) as unknown as AccountDriver,
  ]
  const registry = new Registry({
    drivers: [driverOf('imap'), driverOf('gmail')],
    store: { db, settings: cacheSettings(db), accounts: createAccountReader(db) },
    async applyStatusUpdate({ from, trigger }) {
      if (!from) throw new Error('unknown status')
      const { status } = transition(from, trigger, { now: new Date(), maxAuthFailureMs: 60_000 })
      return { status, changed: true }
    },
    changes: { broadcast: () => {} },
    metrics: { accountState: () => {} },
    config: {
      accountsSweepMs: 100,
      reconnectMinMs: 50,
      reconnectMaxMs: 300,
      transientStateMs: 5_000,
    },
    log: createLogger('test', 'silent'),
  })
  const user = world.dovecot.freshUser()
  const atServer = await world.register(user)
  const atGmail = await world.register(user, { imap: null })
  const sendOnly = await world.register(user, { imap: null })
  const atGraph = await world.register(user, { imap: null })
  await setBackend(atGmail, 'gmail')
  await setBackend(atGraph, 'graph')
  const owner = randomUUID()
  await registry.claimed(
    [atServer, atGmail, sendOnly, atGraph].map((account) => ({
      shard: shardOf(account),
      owner,
      epoch: '1',
    })),
  )
  await eventually(() => {
    expect(new Set(follows)).toEqual(
      new Set([
        ['imap', atServer],
        ['gmail', atGmail],
      ]),
    )
    expect(registry.find(sendOnly)?.state).toBe('unset')
    expect(registry.find(atGmail)?.state).toBe('syncing')
  })
  expect(registry.find(atGraph)).toBeUndefined()
  expect(registry.logins().size).toBe(0)
  await registry[Symbol.asyncDispose]()
  await db.destroy()
})

test('startApp: accounts of an API without a client get no session, even with a server', async () => {
  const atGmail = await world.register(world.dovecot.freshUser())
  await setBackend(atGmail, 'gmail')
  const atServer = await world.register(world.dovecot.freshUser())
  // The worker starts the sessions of both accounts together: once one account is connected, the
  // account without a mail API client would have a session, too.
  await world.startWorker({}, { createMailApis: () => ({}) })
  await world.connected(atServer)
  await expect(world.ask(listMailboxes, atGmail, { counters: false })).rejects.toMatchObject({
    code: 'WorkerNotAvailable',
  })
})

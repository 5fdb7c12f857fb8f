import { afterAll, afterEach, expect, test } from '@jest/globals'
import { imapBackend, type ImapBackend } from '@posthorn/backends'
import { listMessages } from '@posthorn/contracts/commands/messages'
import { AppError } from '@posthorn/errors'
import { eventually } from '@posthorn/testkit'
import { altered } from './altered.ts'
import { Relay } from './relay.ts'
import { testWorld } from './world.ts'

const world = await testWorld()
const { db } = world
afterEach(() => world.reset())
afterAll(() => world.close())

/** States that were stored for an account, in the order in which they were stored. */
async function states(account: string): Promise<string[]> {
  const rows = await db
    .selectFrom('accountChanges')
    .select('key')
    .where('account', '=', account)
    .orderBy('xid')
    .orderBy('id')
    .execute()
  return rows.map(({ key }) => key)
}

const statesAre = (account: string, expected: string[]) =>
  eventually(async () => {
    expect(await states(account)).toEqual(expected)
  })

/**
 * IMAP backend whose connections wait at a step, `connect` or `list`, until the gate opens. The
 * gate is open at first.
 */
function gated(step: 'connect' | 'list') {
  let gate = Promise.withResolvers<void>()
  gate.resolve()
  const listing = altered((session) => ({
    async listMailboxes(options) {
      await gate.promise
      return session.listMailboxes(options)
    },
  }))
  const connecting: ImapBackend = {
    async connect(options) {
      await gate.promise
      return imapBackend.connect(options)
    },
  }
  return {
    backend: step === 'list' ? listing : connecting,
    close: () => void (gate = Promise.withResolvers()),
    open: () => gate.resolve(),
    [Symbol.dispose]: () => gate.resolve(),
  }
}

const first = ['init', 'connecting', 'syncing', 'connected']

test.each(['connect', 'list'] as const)(
  'StatusRecorder: before the first sync, each state is stored immediately: %s',
  async (step) => {
    using gate = gated(step)
    gate.close()
    await world.startWorker({ transientStateMs: 3_600_000 }, { backend: gate.backend })
    const account = await world.register(world.dovecot.freshUser())
    await statesAre(account, first.slice(0, step === 'connect' ? 2 : 3))
    gate.open()
    await statesAre(account, first)
  },
)

test.each([
  ['connecting', 'connect'],
  ['syncing', 'list'],
] as const)('StatusRecorder: after the first sync, %s is stored if it lasts', async (...args) => {
  const [state, step] = args
  using gate = gated(step)
  const config = { transientStateMs: 100 }
  const worker = await world.startWorker(config, { backend: gate.backend })
  const account = await world.register(world.dovecot.freshUser())
  await statesAre(account, first)
  await world.stopWorker(worker)
  gate.close()
  await world.startWorker(config, { backend: gate.backend })
  // The login of the account may take time before the expected state is stored.
  await eventually(async () => expect((await states(account)).at(-1)).toBe(state))
  gate.open()
  await eventually(async () => expect((await states(account)).at(-1)).toBe('connected'))
})

test('StatusRecorder: a restart of the worker without a delay stores no state', async () => {
  const accounts = await Promise.all(
    Array.from({ length: 5 }, () => world.register(world.dovecot.freshUser())),
  )
  const worker = await world.startWorker()
  for (const account of accounts) await statesAre(account, first)
  await world.stopWorker(worker)
  const { now } = await db
    .selectNoFrom(({ fn }) => fn<Date>('now', []).as('now'))
    .executeTakeFirstOrThrow()
  await world.startWorker({ transientStateMs: 3_600_000 })
  for (const account of accounts) {
    // A later sync time shows that the next sync pass of the account has ended.
    await eventually(async () => {
      expect((await world.state(account))?.syncTime?.getTime()).toBeGreaterThan(now.getTime())
    })
    expect(await states(account)).toEqual(first)
  }
})

test('AccountSession: a paused account is not connected, and connects when it is resumed', async () => {
  // `connecting` and `syncing` are not stored, even if these states last long on a busy machine.
  await world.startWorker({ transientStateMs: 3_600_000 })
  const user = world.dovecot.freshUser()
  await using relay = await Relay.to({ host: user.host, port: user.imapPort })
  const account = await world.register(user, { port: relay.port })
  await world.connected(account)
  const set = async (paused: boolean) => {
    await db.updateTable('accounts').set({ paused }).where('account', '=', account).execute()
    await world.touch(account)
  }
  await set(true)
  await statesAre(account, [...first, 'paused'])
  await eventually(() => expect(relay.open).toBe(0))
  // The worker applies the new account state to commands shortly after the state was stored.
  await eventually(() =>
    expect(
      world.ask(listMessages, account, { path: 'INBOX', page: 0, pageSize: 1 }),
    ).rejects.toMatchObject({ code: 'NoAvailable', extras: { state: 'other' } }),
  )
  await set(false)
  await world.connected(account)
  expect(await states(account)).toEqual([...first, 'paused', 'init', 'connected'])
  // Only the first login has an `authenticationSuccess`: resuming the account is neither a
  // registration nor a repaired login.
  expect(await world.events(account, 'authenticationSuccess')).toHaveLength(1)
})

test.each(['AppNotFound', 'InvalidBaseScopes'])(
  'a command of a connected account that needs a login: %s of its OAuth2 application, internal',
  async (code) => {
    await world.startWorker()
    const account = await world.register(world.dovecot.freshUser())
    await world.connected(account)
    world.credentials.set(account, new AppError('internal', 'The application is gone', { code }))
    const page = { path: 'INBOX', page: 0, pageSize: 1 }
    await expect(world.ask(listMessages, account, page)).rejects.toMatchObject({
      kind: 'internal',
      code,
    })
  },
)

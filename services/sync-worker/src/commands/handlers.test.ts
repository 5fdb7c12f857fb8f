import { expect, test } from '@jest/globals'
import { accountCommands } from '@posthorn/contracts/commands'
import type { Db } from '@posthorn/db'
import type { AccountDriver } from '../drivers/account-driver.ts'
import type { AccountSession } from '../sessions/account-session.ts'
import { createHandlers } from './handlers.ts'

const { fileSent } = accountCommands
const { signal } = new AbortController()

/**
 * Creates functions that call account commands of account `a`, whose driver the test may replace.
 */
function commandsOf(drivers: { a: Partial<AccountDriver> }, { isStopped = false } = {}) {
  const findPrepared = async (account: string) =>
    account === 'a' ? ({ driver: drivers.a, isStopped } as AccountSession) : undefined
  const sessions = { findPrepared }
  const handlers = createHandlers({ db: undefined as unknown as Db, sessions })
  const call = async (name: string, request: object) => {
    const handler = handlers.find(({ command }) => command.name === name)
    return handler?.handle(request as never, { signal, deadline: Infinity, requestId: '1' })
  }
  return { handlers, call }
}

test('createHandlers: the driver of the account runs each account command', async () => {
  const { call } = commandsOf({ a: { run: async (name) => name as never } })
  for (const { name } of Object.values(accountCommands))
    expect(await call(name, { account: 'a', queueId: '1' })).toBe(name)
})

test('createHandlers: without a session of the account, WorkerNotAvailable', async () => {
  await expect(commandsOf({ a: {} }).call('getQuota', { account: 'b' })).rejects.toMatchObject({
    kind: 'unavailable',
    code: 'WorkerNotAvailable',
  })
})

test.each([
  {
    title: 'is aborted by the end of the session',
    isStopped: true,
    error: AbortSignal.abort().reason as Error,
    code: 'WorkerNotAvailable',
  },
  {
    title: 'is aborted otherwise',
    isStopped: false,
    error: AbortSignal.abort().reason as Error,
    code: 20,
  },
  {
    title: 'fails at the end of the session',
    isStopped: true,
    error: new Error('broken'),
    code: undefined,
  },
])(
  'createHandlers: a command that $title has the code $code',
  async ({ isStopped, error, code }) => {
    const driver = { run: () => Promise.reject(error) }
    const { call } = commandsOf({ a: driver }, { isStopped })
    const failure = await call('getQuota', { account: 'a' }).catch((reason: unknown) => reason)
    expect((failure as { code?: unknown }).code).toBe(code)
  },
)

test('fileSent: a second request for a message waits, then calls the current driver', async () => {
  const calls: string[] = []
  const { promise: filed, resolve: file } = Promise.withResolvers<void>()
  const driver = (name: string, work?: Promise<void>): Partial<AccountDriver> => ({
    async run() {
      calls.push(name)
      await work
      return { skipped: [] } as never
    },
  })
  const drivers = { a: driver('first', filed) }
  const { call } = commandsOf(drivers)
  const filing = call(fileSent.name, { account: 'a', queueId: '1' })
  const repeated = call(fileSent.name, { account: 'a', queueId: '1' })
  drivers.a = driver('second')
  await call(fileSent.name, { account: 'a', queueId: '2' })
  expect(calls).toEqual(['first', 'second'])
  file()
  await Promise.all([filing, repeated])
  expect(calls).toEqual(['first', 'second', 'second'])
})

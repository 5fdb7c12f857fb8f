import { afterAll, expect, test } from '@jest/globals'
import { type Bus, on, UnroutedError } from '@posthorn/bus'
import { accountCommands } from '@posthorn/contracts/commands'
import type { Command } from '@posthorn/contracts/define'
import { shardOf } from '@posthorn/contracts/shards'
import { connect } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { callWorker, type WorkerCall } from '../src/http/call-worker.ts'
import { cuttable } from './cuttable.ts'
import { registration, testServers } from './gateway.ts'

const { listMailboxes, moveMessages } = accountCommands
const servers = await testServers()
afterAll(servers.stop)
const { call } = await servers.start({})
await call('POST', '/v1/account', { body: registration('moved') })
await servers.db
  .insertInto('accountStates')
  .values({ account: 'moved', state: 'connected' })
  .execute()

test('transfer of an account: a request waits for the worker that takes the account over', async () => {
  await using bus = await servers.connectBus()
  const waiting = call('GET', '/v1/account/moved/mailboxes')
  await bus.serve({
    queue: 'private',
    keys: [`shard.${shardOf('moved')}`],
    handlers: [on(listMailboxes, async () => ({ mailboxes: [] }))],
  })
  expect(await waiting).toMatchObject({ status: 200, body: { mailboxes: [] } })
})

const workerDied = new AppError('unavailable', 'It ended', { code: 'WorkerNotAvailable' })
const otherError = new AppError('unavailable', 'No connection', { code: 'IMAPUnavailable' })

interface Case {
  title: string
  command: Command
  error: Error
  up?: boolean
  isRepeated?: boolean
}

test.each<Case>([
  {
    title: 'command that no worker received',
    command: moveMessages,
    error: new UnroutedError(),
    isRepeated: true,
  },
  {
    title: 'repeatable command of a worker that ended',
    command: listMailboxes,
    error: workerDied,
    isRepeated: true,
  },
  {
    title: 'other command of a worker that ended',
    command: moveMessages,
    error: workerDied,
  },
  {
    title: 'broker unavailable',
    command: listMailboxes,
    error: workerDied,
    up: false,
  },
  { title: 'error of the worker', command: listMailboxes, error: otherError },
])('callWorker: $title', async ({ command, error, up = true, isRepeated = false }) => {
  let made = 0
  const permanent = new AppError('rejected', 'No')
  const request = async () => {
    made += 1
    throw made < 3 ? error : permanent
  }
  const deps = { db: servers.db, bus: { up, request } as unknown as Bus, timeoutMs: 60_000 }
  await expect(callWorker(deps, workerCall, [command, {}])).rejects.toBe(
    isRepeated ? permanent : error,
  )
  expect(made).toBe(isRepeated ? 3 : 1)
})

/** Command to the worker of an account whose worker process has ended. */
const workerCall = {
  params: { account: 'moved' },
  headers: {},
  signal: new AbortController().signal,
} as unknown as WorkerCall

test('callWorker: without the broker and Postgres, fails before Postgres counts as unavailable', async () => {
  const postgres = await cuttable(servers.env.DATABASE_URL)
  postgres.silence(true)
  await using db = connect(postgres.url, { name: 'test' })
  const request = () => Promise.reject(workerDied)
  const deps = { db, bus: { up: false, request } as unknown as Bus, timeoutMs: 60_000 }
  await expect(
    callWorker(deps, workerCall, [listMailboxes, { account: 'moved', counters: false }]),
  ).rejects.toBe(workerDied)
  postgres.close()
})

test('callWorker: waits for the next holder until the timeout, with the rest of it per attempt', async () => {
  const timeouts: number[] = []
  const request = async (_command: Command, _request: object, options: { timeoutMs: number }) => {
    timeouts.push(options.timeoutMs)
    throw workerDied
  }
  // The timeout of the worker command leaves time for a second attempt after a slow query of
  // Postgres.
  const deps = { db: servers.db, bus: { up: true, request } as unknown as Bus, timeoutMs: 3_000 }
  await expect(
    callWorker(deps, workerCall, [listMailboxes, { account: 'moved', counters: false }]),
  ).rejects.toBe(workerDied)
  expect(timeouts.length).toBeGreaterThan(1)
  expect(timeouts.every((timeoutMs) => timeoutMs <= 3_000)).toBe(true)
  expect(timeouts).toEqual(timeouts.toSorted((a, b) => b - a))
  // The last two attempts may be less than 1 ms apart, so their timeouts may be equal.
  expect(timeouts.at(-1)).toBeLessThan(3_000)
})

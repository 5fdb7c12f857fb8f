import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { defaultProviderLimits } from '@posthorn/backends/provider-limits'
import type { LoanResult } from '@posthorn/backends/provider-metrics'
import { reserveOf } from '@posthorn/backends/quota-shares'
import { type CommandHandler, connectBus, on } from '@posthorn/bus'
import { fileSent } from '@posthorn/contracts/commands/filing'
import { lendUnits } from '@posthorn/contracts/commands/quota'
import { shardOf } from '@posthorn/contracts/shards'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { testBus, testDatabase } from '@posthorn/testkit'
import { deleteUnusedReserves, takeReserve } from '../src/store/sending-reserves.ts'
import { BorrowedUnits } from '../src/transports/mail-api/borrowed-units.ts'

const database = await testDatabase()
const broker = await testBus({ reuse: true })
const { db } = database
const log = createLogger('test', 'silent')
const connect = () =>
  connectBus({ url: broker.url, name: 'test', log, metrics: createMetrics('test') })
const bus = await connect()
await bus.whenUp()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await broker.drop()
  await database.drop()
})

let account = ''
beforeEach(async () => {
  account = `a-${randomUUID()}`
  const row = { account, shard: shardOf(account), name: 'Jane', backend: 'gmail' as const }
  await db.insertInto('accounts').values(row).execute()
})

/**
 * Serves the shard (group of accounts) of the account over RabbitMQ, as a sync-worker with these
 * commands.
 */
async function serve(handlers: CommandHandler[]): Promise<AsyncDisposable> {
  const worker = await connect()
  await worker.whenUp()
  await worker.serve({ queue: 'private', keys: [`shard.${shardOf(account)}`], handlers })
  return worker
}

/** Handler of a sync-worker command that never replies, and ends only at the abort. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}

/** Takes quota units for a mail API as a sender. Returns the results of the requests for a loan. */
async function take(units: number, signal?: AbortSignal): Promise<LoanResult[]> {
  const results: LoanResult[] = []
  const source = new BorrowedUnits({
    bus,
    log,
    limits: defaultProviderLimits,
    reserve: (request) => takeReserve(db, request),
    loans: { requested: ({ result }) => void results.push(result) },
  })
  const mailbox = { provider: 'gmail', application: 'app', account } as const
  await source.take(mailbox, { units, signal })
  return results
}

const reserves = async () =>
  (
    await db.selectFrom('sendingReserves').select('units').where('account', '=', account).execute()
  ).map(({ units }) => Math.round(units))

test('lendUnits: the units that a sync-worker lends are not taken from the reserve', async () => {
  const requests: object[] = []
  await using _worker = await serve([
    on(lendUnits, async (request) => {
      requests.push(request)
      return { granted: request.units, delayMs: 0 }
    }),
  ])
  // On a busy machine, the sync-worker's reply with lent quota units may be late.
  for (let results: LoanResult[] = []; !results.includes('granted');) results = await take(10)
  expect(requests.at(-1)).toEqual({ provider: 'gmail', application: 'app', account, units: 10 })
})

test.each<[string, CommandHandler[] | undefined]>([
  ['without a sync-worker', undefined],
  ['of a release without the command', [on(fileSent, async () => ({ skipped: [] }))]],
  ['that does not reply', [on(lendUnits, async (_request, { signal }) => untilAborted(signal))]],
])('lendUnits: %s, a sender uses the reserve', async (_name, handlers) => {
  await using stack = new AsyncDisposableStack()
  if (handlers) stack.use(await serve(handlers))
  expect(await take(100)).toEqual(['unanswered'])
  expect(await reserves()).toEqual([0])
})

test('lendUnits: while the mailbox is paused, a sender uses nothing', async () => {
  const pausedUntil = Date.now() + 3_600_000
  await using _worker = await serve([
    on(lendUnits, async () => ({ granted: 0, delayMs: 3_600_000, pausedUntil })),
  ])
  const stop = new AbortController()
  const isPaused = async () => {
    // After a late reply, the sender takes quota units of the reserve, which lasts for few
    // attempts.
    const error = await take(1, stop.signal).catch((reason: unknown) => reason)
    return error instanceof Error && error.message === 'the rate limit is exhausted'
  }
  for (let paused = false; !paused;) paused = await isPaused()
})

test('takeReserve: senders together take no more than the burst, then wait for the pace', async () => {
  const rate = reserveOf(defaultProviderLimits.gmail)
  const takes = Array.from({ length: 20 }, () => takeReserve(db, { account, units: 20, rate }))
  const waits = await Promise.all(takes)
  // 100 quota units of the reserve are available, and 3.3 units per second follow.
  expect(waits.filter((ms) => ms === 0).length).toBeGreaterThanOrEqual(5)
  expect(waits.filter((ms) => ms === 0).length).toBeLessThanOrEqual(8)
  expect(Math.max(...waits)).toBeLessThan(7_000)
  await db
    .updateTable('sendingReserves')
    .set({ updatedAt: new Date(Date.now() - 60_000) })
    .where('account', '=', account)
    .execute()
  expect(await takeReserve(db, { account, units: 100, rate })).toBe(0)
})

test('deleteUnusedReserves: deletes reserves after an hour without use', async () => {
  const rate = reserveOf(defaultProviderLimits.gmail)
  await takeReserve(db, { account, units: 20, rate })
  await deleteUnusedReserves(db)
  expect(await reserves()).toHaveLength(1)
  await db
    .updateTable('sendingReserves')
    .set({ updatedAt: new Date(Date.now() - 3_700_000) })
    .where('account', '=', account)
    .execute()
  await deleteUnusedReserves(db)
  expect(await reserves()).toEqual([])
})

import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { RateLimitedError } from '@posthorn/flow'
import {
  type ProviderAccount,
  type ProviderCall,
  ProviderLimiter,
  type UnitSource,
  type WorkerLimiterOptions,
} from './provider-limiter.ts'
import { defaultProviderLimits } from './provider-limits.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const common = { limits: defaultProviderLimits, replicas: () => 1 }
const create = (options: Partial<WorkerLimiterOptions> = {}) =>
  new ProviderLimiter({ ...common, service: 'sync-worker', ...options })
/** Source of quota units that lends all requested units of a mailbox immediately. */
const lendsAlways: UnitSource = { take: async () => undefined, reportPause: () => undefined }
const createSender = (source = lendsAlways) =>
  new ProviderLimiter({ ...common, service: 'sender', source })
const mailbox = (account: string, more: Partial<ProviderAccount> = {}): ProviderAccount => ({
  provider: 'gmail',
  application: 'app',
  account,
  ...more,
})
const get: ProviderCall = { operation: 'messages.get', priority: 'sync' }

async function run(limiter: ProviderLimiter, account: ProviderAccount, call: ProviderCall) {
  const permit = await limiter.acquire(account, call)
  permit[Symbol.dispose]()
}

/** Counts the requests to a mail provider that all limiters together admit within `ms`. */
async function countWithin(
  ms: number,
  limiters: readonly ProviderLimiter[],
  { call, provider = 'gmail' }: { call: ProviderCall; provider?: ProviderAccount['provider'] },
) {
  let count = 0
  const stop = new AbortController()
  for (const limiter of limiters)
    for (let n = 0; n < 990; n++)
      run(limiter, mailbox('a', { provider }), { ...call, signal: stop.signal }).then(
        () => (count += 1),
        () => undefined,
      )
  await jest.advanceTimersByTimeAsync(ms)
  stop.abort()
  await jest.advanceTimersByTimeAsync(0)
  return count
}

test.each(['since2026', 'before2026'] as const)(
  'ProviderLimiter: a worker leaves the reserve of the senders in each minute (%s)',
  async (quota) => {
    const { gmail } = defaultProviderLimits
    const units = { since2026: 6_000, before2026: 15_000 }[quota]
    const limits = { ...defaultProviderLimits, gmail: { ...gmail, accountUnits: units } }
    const count = await countWithin(59_999, [create({ limits })], { call: get })
    expect(count * 20).toBeLessThanOrEqual(units * 0.95)
    expect(count * 20).toBeGreaterThan(units * 0.92)
  },
)

test('ProviderLimiter: beside senders of an earlier release, leaves their part of the units', async () => {
  let lendsAll = false
  const limiter = create({ lendsAll: () => lendsAll })
  const count = await countWithin(59_999, [limiter], { call: get })
  expect(count * 20).toBeLessThanOrEqual(6_000 * 0.7)
  expect(count * 20).toBeGreaterThan(6_000 * 0.67)
  lendsAll = true
  await jest.advanceTimersByTimeAsync(60_000)
  expect((await countWithin(59_999, [limiter], { call: get })) * 20).toBeGreaterThan(6_000 * 0.92)
})

test('ProviderLimiter: a worker that takes over a mailbox starts without a burst', async () => {
  const heldSince = performance.now()
  const limiter = create({ heldSince: (account) => (account === 'a' ? heldSince : undefined) })
  const startedAt: Record<string, number> = {}
  for (const account of ['a', 'b'])
    void run(limiter, mailbox(account), get).then(() => (startedAt[account] = performance.now()))
  await jest.advanceTimersByTimeAsync(10_000)
  expect(startedAt['b']).toBe(heldSince)
  // The new sync-worker's limiter waits for the debt of a loan of 100 quota units and for 20 units,
  // at 82 units per second.
  expect((startedAt['a'] ?? 0) - heldSince).toBeGreaterThan(1_400)
})

test('ProviderLimiter.lend: goes before waiting requests, up to a debt of one request', async () => {
  const limiter = create()
  const stop = new AbortController()
  const call = { ...get, priority: 'initial-sync' as const, signal: stop.signal }
  const waiting = Array.from({ length: 100 }, () => run(limiter, mailbox('a'), call))
  await jest.advanceTimersByTimeAsync(1_000)
  const first = limiter.lend(mailbox('a'), 100)
  expect(first).toMatchObject({ isGranted: true, pauseMs: 0 })
  expect(first.delayMs).toBeGreaterThan(900)
  expect(first.delayMs).toBeLessThan(1_300)
  const second = limiter.lend(mailbox('a'), 100)
  expect(second).toMatchObject({ isGranted: false, pauseMs: 0 })
  await jest.advanceTimersByTimeAsync(Math.ceil(second.delayMs))
  expect(limiter.lend(mailbox('a'), 100).isGranted).toBe(true)
  stop.abort(new Error('stop'))
  await Promise.allSettled(waiting)
})

test('ProviderLimiter.lend: API callers that wait get as many units as loans, syncs a fifth', async () => {
  for (const [priority, part] of [
    ['caller', 0.5],
    ['initial-sync', 0.2],
  ] as const) {
    const limiter = create()
    const stop = new AbortController()
    const call = { ...get, priority, signal: stop.signal }
    const used = { own: 0, lent: 0 }
    const waiting = Array.from({ length: 900 }, () =>
      run(limiter, mailbox('a'), call).then(() => (used.own += 20)),
    )
    for (let n = 0; n < 1_200; n++) {
      if (limiter.lend(mailbox('a'), 100).isGranted) used.lent += 100
      await jest.advanceTimersByTimeAsync(50)
    }
    expect(used.own / (used.own + used.lent)).toBeGreaterThan(part - 0.05)
    expect(used.lent / (used.own + used.lent)).toBeGreaterThan(1 - part - 0.15)
    stop.abort(new Error('stop'))
    await Promise.allSettled(waiting)
  }
})

test('ProviderLimiter.lend: while the mailbox is paused, refuses with the pause', () => {
  const limiter = create()
  limiter.pause(mailbox('a'), 9_000)
  const loan = { isGranted: false, delayMs: 9_000, pauseMs: 9_000 }
  expect(limiter.lend(mailbox('a'), 100)).toEqual(loan)
  expect(limiter.lend(mailbox('b'), 100)).toEqual({ isGranted: true, delayMs: 0, pauseMs: 0 })
})

test('ProviderLimiter: a sender whose source refuses returns the permit of the request', async () => {
  const take = jest.fn<UnitSource['take']>().mockRejectedValueOnce(new RateLimitedError(2_000))
  const reportPause = jest.fn()
  const limiter = createSender({ take, reportPause })
  const call = { operation: 'messages.send', priority: 'caller' } as const
  await expect(limiter.acquire(mailbox('a'), call)).rejects.toMatchObject({
    kind: 'rate-limited',
    extras: { ttl: 2 },
  })
  await run(limiter, mailbox('a'), call)
  expect(take.mock.lastCall).toMatchObject([mailbox('a'), { units: 100 }])
  limiter.pause(mailbox('a'), 5_000)
  expect(reportPause).toHaveBeenCalledWith(mailbox('a'), 5_000)
})

test('ProviderLimiter: Graph, a worker leaves the reserve of the senders in 10 min', async () => {
  const call = { operation: 'GET', count: 10, priority: 'sync' } as const
  const count = await countWithin(599_999, [create()], { call, provider: 'graph' })
  expect(count * 10).toBeLessThanOrEqual(8_550)
  expect(count * 10).toBeGreaterThan(8_300)
})

test('ProviderLimiter: Graph, worker and sender together stay below uploads of 150 MB in 5 min', async () => {
  const limiters = [create(), createSender()]
  const call = { operation: 'PUT', bytes: 1_000_000, priority: 'sync' } as const
  const count = await countWithin(299_999, limiters, { call, provider: 'graph' })
  expect(count).toBeLessThanOrEqual(140)
  expect(count).toBeGreaterThan(130)
})

test('ProviderLimiter: a change does not wait behind uploads, nor do the uploads of other mailboxes', async () => {
  const limiter = createSender()
  const stop = new AbortController()
  const call = { operation: 'PUT', bytes: 4_000_000, priority: 'caller' as const }
  const upload = { ...call, signal: stop.signal }
  const uploads = Array.from({ length: 50 }, () =>
    run(limiter, mailbox('a', { provider: 'graph' }), upload),
  )
  const change = { ...call, bytes: 200, timeoutMs: 1_001 }
  await run(limiter, mailbox('a', { provider: 'graph' }), change)
  await run(limiter, mailbox('b', { provider: 'graph' }), { ...call, timeoutMs: 1_001 })
  await expect(
    run(limiter, mailbox('a', { provider: 'graph' }), { ...call, timeoutMs: 10_000 }),
  ).rejects.toMatchObject({ kind: 'rate-limited' })
  stop.abort(new Error('stop'))
  await Promise.allSettled(uploads)
})

test('ProviderLimiter: Graph, 3 concurrent requests in the worker and 1 in the sender', async () => {
  const account = mailbox('a', { provider: 'graph' })
  for (const [service, concurrent] of [
    ['sync-worker', 3],
    ['sender', 1],
  ] as const) {
    const limiter = service === 'sender' ? createSender() : create()
    let admitted = 0
    for (let n = 0; n < 5; n++)
      void limiter.acquire(account, { operation: '', priority: 'sync' }).then(() => (admitted += 1))
    await jest.advanceTimersByTimeAsync(60_000)
    expect(admitted).toBe(concurrent)
  }
})

test('ProviderLimiter: live processes share the units of an application equally', async () => {
  const { gmail } = defaultProviderLimits
  const limits = { ...defaultProviderLimits, gmail: { ...gmail, applicationUnits: 4_000 } }
  const two = [create({ limits, replicas: () => 2 }), create({ limits, replicas: () => 2 })]
  // Sync-workers share 75 % of an application's quota units.
  const count = await countWithin(59_999, two, { call: get })
  expect(count * 20).toBeLessThanOrEqual(3_000)
  expect(count * 20).toBeGreaterThan(2_800)
})

test('ProviderLimiter: a request of a caller starts before those of an initial sync', async () => {
  const limiter = create()
  const started: string[] = []
  const start = (name: string, call: Partial<ProviderCall>) =>
    void run(limiter, mailbox('a'), { ...get, ...call }).then(() => started.push(name))
  for (let n = 0; n < 500; n++) start('initial', { priority: 'initial-sync' })
  await jest.advanceTimersByTimeAsync(1_000)
  const before = started.length
  start('sync', { priority: 'sync' })
  start('caller', { priority: 'caller', timeoutMs: 10_000 })
  await jest.advanceTimersByTimeAsync(1_000)
  expect(started.slice(before, before + 3)).toEqual(['caller', 'sync', 'initial'])
})

test('ProviderLimiter: a caller that would wait too long gets rate-limited with ttl', async () => {
  const limiter = create()
  limiter.pause(mailbox('a'), 9_001)
  await expect(
    limiter.acquire(mailbox('a'), { ...get, priority: 'caller', timeoutMs: 10_000 }),
  ).rejects.toMatchObject({ kind: 'rate-limited', extras: { ttl: 10 } })
  const waiting = run(limiter, mailbox('a'), { ...get, priority: 'caller', timeoutMs: 10_002 })
  await jest.advanceTimersByTimeAsync(9_001)
  await waiting
})

test('ProviderLimiter: a caller behind other callers waits until 1 s before its timeout', async () => {
  const limiter = createSender()
  const running = await limiter.acquire(mailbox('a'), get)
  const waiting = limiter.acquire(mailbox('a'), { ...get, priority: 'caller', timeoutMs: 10_000 })
  const settled = waiting.catch((error: unknown) => ({ error, at: performance.now() }))
  const startedAt = performance.now()
  await jest.advanceTimersByTimeAsync(20_000)
  const { error, at } = (await settled) as { error: unknown; at: number }
  expect(at - startedAt).toBe(9_000)
  expect(error).toMatchObject({ kind: 'rate-limited', extras: { ttl: 1 } })
  running[Symbol.dispose]()
})

test('ProviderLimiter: too many waiting requests get rate-limited', async () => {
  const limiter = create()
  limiter.pause(mailbox('a'), 1_000)
  const stop = new AbortController()
  const call = { ...get, signal: stop.signal }
  const waiting = Array.from({ length: 1_000 }, () => limiter.acquire(mailbox('a'), call))
  await expect(limiter.acquire(mailbox('a'), get)).rejects.toMatchObject({ kind: 'rate-limited' })
  stop.abort(new Error('stop'))
  const results = await Promise.allSettled(waiting)
  expect(results.every(({ status }) => status === 'rejected')).toBe(true)
})

test('ProviderLimiter: pauseApplication pauses its accounts, not those of others', async () => {
  const limiter = create()
  limiter.pauseApplication({ provider: 'gmail', application: 'app' }, 60_000)
  const caller = { ...get, priority: 'caller', timeoutMs: 10_000 } as const
  await expect(limiter.acquire(mailbox('a'), caller)).rejects.toMatchObject({
    extras: { ttl: 60 },
  })
  await run(limiter, mailbox('a', { application: 'other' }), caller)
  await run(limiter, mailbox('a', { provider: 'graph' }), caller)
})

test('ProviderLimiter: count multiplies the units, as for the parts of a batch', async () => {
  const limiter = create()
  await run(limiter, mailbox('a'), { ...get, count: 25 })
  const caller = { ...get, priority: 'caller', count: 25, timeoutMs: 1_000 } as const
  await expect(limiter.acquire(mailbox('a'), caller)).rejects.toMatchObject({
    kind: 'rate-limited',
  })
})

test('ProviderLimiter: accounts without requests take no memory', async () => {
  const limiter = create()
  for (let n = 0; n < 1_000; n++) await run(limiter, mailbox(`a${n}`), get)
  expect(limiter.size).toBeGreaterThan(0)
  await jest.advanceTimersByTimeAsync(60_000)
  expect(limiter.size).toBe(0)
  expect(jest.getTimerCount()).toBe(0)
})

import { describe, expect, test } from '@jest/globals'
import { shardCount, shardOf } from '@posthorn/contracts/shards'
import { RateLimiter } from '@posthorn/flow'
import type { LiveWorker } from '../store/workers.ts'
import { fairShare, listReceivers } from './fair-share.ts'
import { loginSeconds } from './login-rate.ts'

const limits = { perSecond: 50, concurrent: 200 }
const host = '192.0.2.1'
const stepMs = 10
const claimMs = 1_000

/** Number of accounts per shard. */
function spread(accounts: number): number[] {
  const counts = Array<number>(shardCount).fill(0)
  for (let n = 0; n < accounts; n += 1) {
    const shard = shardOf(`account-${n}`)
    counts[shard] = (counts[shard] ?? 0) + 1
  }
  return counts
}

/** Simulated worker whose clock the simulation advances. */
interface SimulatedWorker extends LiveWorker {
  held: number[]
  /** Times at which accounts were released that still wait for their login at this worker. */
  waiting: number[]
  loggingInUntil: number
  logins: RateLimiter
}

/**
 * Simulates that a worker joins other workers, which hold all accounts of one host. Returns the
 * duration until all moved accounts are logged in, the number of moved accounts, and the longest
 * time of an account without a session.
 */
function simulateJoin(before: number, accounts: number) {
  const counts = spread(accounts)
  const loginsOf = (shard: number) => new Map([[host, counts[shard] ?? 0]])
  let now = 0
  const perSecond = limits.perSecond / (before + 1)
  const workers = Array.from({ length: before + 1 }, (_, n): SimulatedWorker => ({
    id: String(n),
    stopping: false,
    refusing: false,
    lends: true,
    held: Array.from({ length: shardCount }, (_, shard) => shard).filter((s) => s % before === n),
    get shards() {
      return this.held.length
    },
    waiting: [],
    loggingInUntil: 0,
    logins: new RateLimiter({ perSecond, toleranceMs: 50, clock: () => now }),
  }))
  const free: { shard: number; at: number }[] = []
  const reserve = (seconds: number) => {
    const receivers = listReceivers(workers)
    const ready = workers.find(
      ({ id, loggingInUntil }) => receivers.includes(id) && loggingInUntil <= now + claimMs,
    )
    if (ready) ready.loggingInUntil = Math.max(ready.loggingInUntil, now) + seconds * 1_000
    return ready !== undefined
  }
  const reconcile = (worker: SimulatedWorker) => {
    while (worker.shards > fairShare(worker, workers)) {
      const shard = worker.held.at(-1) ?? 0
      if (!reserve(loginSeconds(loginsOf(shard), workers.length, limits))) break
      worker.held.pop()
      free.push({ shard, at: now })
    }
    const missing = Math.max(0, fairShare(worker, workers) - worker.shards)
    for (const { shard, at } of free.splice(0, missing)) {
      worker.held.push(shard)
      worker.waiting.push(...Array<number>(counts[shard] ?? 0).fill(at))
    }
  }
  let [moved, gapMs] = [0, 0]
  const isDone = () =>
    free.length === 0 &&
    workers.every((each) => each.shards <= fairShare(each, workers) && each.waiting.length === 0)
  for (; now === 0 || !isDone(); now += stepMs) {
    if (now % claimMs === 0) for (const worker of workers) reconcile(worker)
    for (const { waiting, logins } of workers)
      while (waiting.length > 0 && logins.tryAcquire()) {
        gapMs = Math.max(gapMs, now - (waiting.shift() ?? now))
        moved += 1
      }
    if (now > 600_000) throw new Error(`${moved} accounts moved in 10 min`)
  }
  return { durationMs: now, moved, gapMs, largest: Math.max(...counts) }
}

describe('a new worker among others with 10,000 accounts of one host', () => {
  test.each([1, 2, 3, 9])('%i others: has its share within 5 minutes', (before) => {
    const { durationMs, moved, gapMs, largest } = simulateJoin(before, 10_000)
    process.stdout.write(
      `${moved} accounts moved to worker ${before + 1} in ${durationMs / 1_000} s, ` +
        `longest time without a session ${gapMs / 1_000} s\n`,
    )
    expect(durationMs).toBeLessThan(300_000)
    // The longest time without a session is at most one claim interval for the claim, one interval
    // of due logins, and the logins of the shard.
    const shardMs = (largest * 1_000 * (before + 1)) / limits.perSecond
    expect(gapMs).toBeLessThanOrEqual(2 * claimMs + shardMs)
  })

  test('few accounts: moves hundreds of shards within seconds', () => {
    expect(simulateJoin(1, 100).durationMs).toBeLessThan(10_000)
  })
})

const worker = (id: string, shards: number, change: Partial<LiveWorker> = {}): LiveWorker => ({
  id,
  stopping: false,
  refusing: false,
  lends: true,
  shards,
  ...change,
})

test('listReceivers: workers below their fair share that neither stop nor refuse', () => {
  expect(listReceivers([worker('a', 128), worker('b', 128), worker('c', 0)])).toEqual(['c'])
  const stopping = worker('a', 86, { stopping: true })
  expect(listReceivers([stopping, worker('b', 85), worker('c', 85)])).toEqual(['b', 'c'])
  expect(listReceivers([stopping, worker('b', 85, { refusing: true })])).toEqual([])
  expect(listReceivers([])).toEqual([])
})

test('loginSeconds: time of the largest host, or of all accounts', () => {
  const slow = { perSecond: 10, concurrent: 100 }
  expect(loginSeconds(new Map([['a', 5]]), 1, slow)).toBe(0.5)
  expect(
    loginSeconds(
      new Map([
        ['a', 5],
        ['b', 2],
      ]),
      3,
      slow,
    ),
  ).toBe(1.5)
  const hosts = new Map(Array.from({ length: 50 }, (_, n) => [`host-${n}`, 1]))
  expect(loginSeconds(hosts, 1, slow)).toBe(0.5)
  expect(loginSeconds(new Map(), 1, slow)).toBe(0)
})

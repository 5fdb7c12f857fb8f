import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { QuotaLimiter } from './quota-limiter.ts'
import type { Permit } from './semaphore.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Generator of pseudo-random numbers that are the same in each run (Mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

interface Call {
  key: string
  units: number
  priority: number
  queuedAt: number
  admittedAt?: number
  order?: number
}

const perKey = { units: 60, windowMs: 3_000, burst: 20, concurrent: 3 }
const total = { units: 110, windowMs: 2_000, burst: 25 }
const now = () => performance.now()

/**
 * Test scenario of the quota limiter: random calls of three keys, with random durations, aborts and
 * pauses.
 */
class Scenario {
  readonly limiter = new QuotaLimiter({ perKey, total, priorities: 3, maxWaiting: 1_000 })
  readonly calls = new Set<Call>()
  readonly admitted: Call[] = []
  readonly pauses: { key: string; from: number; until: number }[] = []
  readonly #random: (below: number) => number
  readonly #running = new Map<string, number>()

  constructor(seed: number) {
    this.#random = randomFrom(seed)
  }

  async run(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      const kind = this.#random(20)
      if (kind < 14) this.#call()
      else if (kind === 14) this.#pause()
      await jest.advanceTimersByTimeAsync(kind < 8 ? 0 : this.#random(120))
    }
    await jest.advanceTimersByTimeAsync(600_000)
  }

  #call(): void {
    const random = this.#random
    const call: Call = {
      key: 'abc'.charAt(random(3)),
      units: 1 + random(12),
      priority: random(3),
      queuedAt: now(),
    }
    const stop = new AbortController()
    const holdMs = random(400)
    this.calls.add(call)
    if (random(8) === 0)
      setTimeout(() => {
        if (call.admittedAt === undefined) this.calls.delete(call)
        stop.abort(new Error('stop'))
      }, random(500))
    this.limiter.acquire(call.key, { ...call, signal: stop.signal }).then(
      (permit) => this.#onAdmitted(call, permit, holdMs),
      () => undefined,
    )
  }

  #onAdmitted(call: Call, permit: Permit, holdMs: number): void {
    const { key, priority } = call
    // In the quota limiter, a call of the key with a higher priority must not wait while another
    // call of the key starts.
    const passed = [...this.calls].filter(
      (other) => other.key === key && other.priority < priority && other.admittedAt === undefined,
    )
    expect(passed).toEqual([])
    const running = (this.#running.get(key) ?? 0) + 1
    expect(running).toBeLessThanOrEqual(perKey.concurrent)
    this.#running.set(key, running)
    call.admittedAt = now()
    this.admitted.push(call)
    setTimeout(() => {
      this.#running.set(key, (this.#running.get(key) ?? 0) - 1)
      permit[Symbol.dispose]()
    }, holdMs)
  }

  #pause(): void {
    const pause = {
      key: 'abc'.charAt(this.#random(3)),
      from: now(),
      until: now() + this.#random(900),
    }
    this.pauses.push(pause)
    this.limiter.pause(pause.key, pause.until - pause.from)
  }
}

/** Largest sum of quota units in any time window that ends with an admission of a call. */
function largestWindow(calls: readonly Call[], windowMs: number): number {
  return Math.max(
    0,
    ...calls.map(({ admittedAt: end = 0 }) =>
      calls
        .filter(({ admittedAt: at = 0 }) => at <= end && at > end - windowMs)
        .reduce((sum, { units }) => sum + units, 0),
    ),
  )
}

test.each(Array.from({ length: 40 }, (_, seed) => seed))(
  'QuotaLimiter: random calls, no window exceeds the units and no call is passed (seed %d)',
  async (seed) => {
    const scenario = new Scenario(seed)
    await scenario.run(250)
    const { admitted, calls, pauses, limiter } = scenario
    expect(largestWindow(admitted, total.windowMs)).toBeLessThanOrEqual(total.units)
    for (const key of 'abc') {
      const own = admitted.filter((call) => call.key === key)
      expect(largestWindow(own, perKey.windowMs)).toBeLessThanOrEqual(perKey.units)
      const startsInPauses = own.filter(({ admittedAt: at = 0 }) =>
        pauses.some(({ key: paused, from, until }) => paused === key && from < at && at < until),
      )
      expect(startsInPauses).toEqual([])
      // The quota limiter admits calls FIFO within a key and priority.
      for (const priority of [0, 1, 2]) {
        const queued = own.filter((call) => call.priority === priority).map((call) => call.queuedAt)
        expect(queued).toEqual(queued.toSorted((a, b) => a - b))
      }
    }
    // The quota limiter has run every call that was not aborted, and nothing is left in memory.
    expect(new Set(admitted)).toEqual(calls)
    expect(limiter.size).toBe(0)
    expect(jest.getTimerCount()).toBe(0)
  },
)

test('QuotaLimiter: under overload by lower priorities, calls wait for their own kind only', async () => {
  const limiter = new QuotaLimiter({ perKey, total, priorities: 2, maxWaiting: 1_000 })
  const run = async (key: string, priority: number) => {
    using _permit = await limiter.acquire(key, { units: 5, priority })
    return now()
  }
  // 600 quota units of five keys wait, which take 14 s of the total quota.
  for (let n = 0; n < 120; n++) void run('abcde'.charAt(n % 5), 1)
  await jest.advanceTimersByTimeAsync(1_000)
  const startedAt = now()
  const caller = Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => run(key, 0)))
  await jest.advanceTimersByTimeAsync(20_000)
  // The quota limiter admits 30 units at 42.5 units per second.
  expect(Math.max(...(await caller)) - startedAt).toBeLessThanOrEqual(710)
})

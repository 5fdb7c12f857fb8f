import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { ProviderLimiter } from '@posthorn/backends/provider-limiter'
import { defaultProviderLimits } from '@posthorn/backends/provider-limits'
import type { LoanResult } from '@posthorn/backends/provider-metrics'
import type { CommandRequest } from '@posthorn/contracts/define'
import type { lendUnits } from '@posthorn/contracts/commands/quota'
import { type Clock, monotonicClock, RateLimitedError, sleep, UnitBucket } from '@posthorn/flow'
import { SeededRandom } from '@posthorn/testkit/mail-api-model'
import type { ReserveRequest } from '../../store/sending-reserves.ts'
import { BorrowedUnits, type BorrowedUnitsDeps } from './borrowed-units.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const [provider] = Object.keys(defaultProviderLimits) as (keyof typeof defaultProviderLimits)[]
const mailbox = { provider: provider ?? 'graph', application: 'app', account: 'a' }
const limits = defaultProviderLimits
const { accountUnits, accountWindowMs } = limits[mailbox.provider]
const common = { limits, replicas: () => 1 }
const log = { debug: () => undefined }
type Request = CommandRequest<typeof lendUnits>
type Reply = (request: Request, signal: AbortSignal) => Promise<unknown>

function createUnits(
  reply: Reply,
  reserve: (request: ReserveRequest) => Promise<number>,
  clock: Clock = monotonicClock,
) {
  const results: LoanResult[] = []
  const bus = {
    request: (_command: unknown, request: Request, { signal }: { signal: AbortSignal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
        reply(request, signal).then(resolve, reject)
      }),
  } as unknown as BorrowedUnitsDeps['bus']
  const loans = { requested: ({ result }: { result: LoanResult }) => void results.push(result) }
  return { units: new BorrowedUnits({ bus, reserve, limits, loans, log, clock }), results }
}

/** Quota reserve of a mailbox in memory, with the semantics of `takeReserve`. */
function createReserve() {
  let bucket: UnitBucket | undefined
  return async ({ units, rate }: ReserveRequest) => {
    bucket ??= new UnitBucket(() => rate, monotonicClock)
    const waitMs = bucket.delayMs(units)
    if (waitMs === 0) bucket.take(units)
    return waitMs
  }
}

describe('BorrowedUnits', () => {
  const never = () => new Promise<never>(() => undefined)

  test('granted units may be used after the delay of the loan', async () => {
    const { units, results } = createUnits(async () => ({ granted: 100, delayMs: 700 }), never)
    const from = performance.now()
    const taken = units.take(mailbox, { units: 100 }).then(() => performance.now() - from)
    await jest.advanceTimersByTimeAsync(10_000)
    expect(await taken).toBe(700)
    expect(results).toEqual(['granted'])
  })

  test.each([
    ['no reply', never],
    ['an error in the reply', async () => Promise.reject(new Error('unknown command'))],
  ])('after %s, uses the reserve within 100 ms', async (_name, reply) => {
    const reserved: number[] = []
    const { units, results } = createUnits(reply, async (request) => {
      reserved.push(request.units)
      return 0
    })
    const taken = units.take(mailbox, { units: 100 })
    await jest.advanceTimersByTimeAsync(100)
    await taken
    expect(reserved).toEqual([100])
    expect(results).toEqual(['unanswered'])
    expect(jest.getTimerCount()).toBe(0)
  })

  test('while the reserve is used up, asks the sync-worker again every second', async () => {
    const { units, results } = createUnits(
      async () =>
        results.length < 3 ? Promise.reject(new Error('unrouted')) : { granted: 10, delayMs: 0 },
      async () => 30_000,
    )
    const from = performance.now()
    const taken = units.take(mailbox, { units: 10 }).then(() => performance.now() - from)
    await jest.advanceTimersByTimeAsync(10_000)
    expect(await taken).toBe(3_000)
    expect(results).toEqual(['unanswered', 'unanswered', 'unanswered', 'granted'])
  })

  test('without a sync-worker and units of the reserve for 10 s, fails with the time to wait', async () => {
    const { units } = createUnits(
      async () => Promise.reject(new Error('unrouted')),
      async () => 30_000,
    )
    const settled = units.take(mailbox, { units: 10 }).catch((error: unknown) => error)
    await jest.advanceTimersByTimeAsync(10_000)
    expect(await settled).toEqual(new RateLimitedError(30_000))
  })

  test('no units, needs no loan', async () => {
    const { units, results } = createUnits(async () => ({ granted: 0, delayMs: 0 }), never)
    await units.take(mailbox, { units: 0 })
    expect(results).toEqual([])
  })

  test('units of the reserve: slow statements do not waste them', async () => {
    let now = 0
    let reserved = 0
    const reserve = async () => {
      reserved += 1
      return 0
    }
    // The reply of the sync-worker is awaited for longer than the lent quota units may be used.
    const reply = async () => {
      now += 600
      throw new Error('unrouted')
    }
    await createUnits(reply, reserve, () => now).units.take(mailbox, { units: 10 })
    expect(reserved).toBe(1)
  })

  test('without Postgres, waits', async () => {
    const down = async () => Promise.reject(new Error('down'))
    const { units } = createUnits(down, down)
    const stop = new AbortController()
    const taken = units.take(mailbox, { units: 10, signal: stop.signal })
    const settled = taken.catch((error: unknown) => error)
    await jest.advanceTimersByTimeAsync(5_000)
    stop.abort('stopped')
    expect(await settled).toBe('stopped')
  })

  test('a pause up to 10 s is waited for, a longer pause is an error', async () => {
    const until = Date.now() + 9_000
    const reply = async () =>
      Date.now() < until
        ? { granted: 0, delayMs: until - Date.now(), pausedUntil: until }
        : { granted: 10, delayMs: 0 }
    const { units, results } = createUnits(reply, never)
    const taken = units.take(mailbox, { units: 10 })
    await jest.advanceTimersByTimeAsync(9_000)
    await taken
    expect(results).toEqual(['paused', 'granted'])
    const paused = { granted: 0, delayMs: 90_000, pausedUntil: Date.now() + 90_000 }
    await expect(
      createUnits(async () => paused, never).units.take(mailbox, { units: 10 }),
    ).rejects.toThrow(new RateLimitedError(90_000))
  })

  test('units that were not used in time are lost, and borrowed again', async () => {
    let [now, loans] = [0, 0]
    const reply = async () => {
      loans += 1
      // The sender process stands still before it reads the first reply of the sync-worker.
      if (loans === 1) now += 600
      return { granted: 10, delayMs: 0 }
    }
    await createUnits(reply, never, () => now).units.take(mailbox, { units: 10 })
    expect(loans).toBe(2)
  })

  test('reportPause: tells the sync-worker of the mailbox', async () => {
    const requests: Request[] = []
    const { units } = createUnits(async (request) => void requests.push(request), never)
    units.reportPause(mailbox, 5_000)
    expect(requests).toEqual([{ ...mailbox, units: 0, pausedUntil: Date.now() + 5_000 }])
  })
})

interface Worker {
  limiter: ProviderLimiter
  stop: AbortController
}

/**
 * Simulation of sync-workers and senders that share the quota units of one mailbox. Workers move,
 * processes are killed, and used units are recorded.
 */
class Simulation {
  readonly uses: { at: number; units: number; by: 'worker' | 'sender' }[] = []
  readonly #random: SeededRandom
  readonly #stop = new AbortController()
  readonly #reserve = createReserve()
  #holder: Worker | undefined

  constructor(seed: number) {
    this.#random = new SeededRandom(seed)
  }

  async run(ms: number): Promise<void> {
    void this.#runWorkers()
    for (let sender = 0; sender < 2; sender++) void this.#runSenders()
    await jest.advanceTimersByTimeAsync(ms)
    this.#stop.abort(new Error('end'))
    this.#holder?.stop.abort(new Error('end'))
    await jest.advanceTimersByTimeAsync(1_000)
  }

  /** Moves the simulated mailbox from sync-worker to sync-worker, by handoffs and kills. */
  async #runWorkers(): Promise<void> {
    for (let heldSince: number | undefined; !this.#stop.signal.aborted;) {
      const worker = this.#startWorker(heldSince)
      this.#holder = worker
      await sleep(5_000 + this.#random.below(60_000))
      this.#holder = undefined
      worker.stop.abort(new Error('moved'))
      await sleep(this.#random.below(2) === 0 ? this.#random.below(500) : 15_000)
      heldSince = performance.now()
    }
  }

  #startWorker(heldSince: number | undefined): Worker {
    const held = heldSince === undefined ? {} : { heldSince: () => heldSince }
    const limiter = new ProviderLimiter({ ...common, service: 'sync-worker', ...held })
    const worker = { limiter, stop: new AbortController() }
    for (let loop = 0; loop < 6; loop++) void this.#useOwn(worker)
    return worker
  }

  async #useOwn({ limiter, stop: { signal } }: Worker): Promise<void> {
    while (!signal.aborted) {
      const operation = ['history.list', 'messages.get', 'labels.get'][this.#random.below(3)] ?? ''
      const count = this.#random.below(8) === 0 ? 25 : 1
      const call = { operation, count, priority: 'initial-sync', signal } as const
      const permit = await limiter.acquire(mailbox, call).catch(() => undefined)
      const { costs, defaultCost } = limits[mailbox.provider]
      if (permit) this.#use((costs[operation] ?? defaultCost) * count, 'worker')
      await sleep(this.#random.below(200))
      permit?.[Symbol.dispose]()
      if (this.#random.below(50) === 0) await sleep(this.#random.below(20_000))
    }
  }

  /** Runs a simulated sender, which is killed and replaced now and then. */
  async #runSenders(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const stop = new AbortController()
      const { units } = createUnits((request) => this.#lend(request), this.#reserve)
      const done = this.#send(units, stop.signal)
      await sleep(this.#random.below(90_000))
      stop.abort(new Error('killed'))
      await done
      await sleep(this.#random.below(2_000))
    }
  }

  async #send(source: BorrowedUnits, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const units = [10, 100, 20][this.#random.below(3)] ?? 0
      const isTaken = await source.take(mailbox, { units, signal }).then(
        () => true,
        () => false,
      )
      if (isTaken && !signal.aborted) this.#use(units, 'sender')
      await sleep(this.#random.below(300))
    }
  }

  /**
   * Simulates the bus between sender and sync-worker, which takes up to 60 ms each way, and loses
   * some replies.
   */
  async #lend({ units }: Request): Promise<unknown> {
    await sleep(this.#random.below(60))
    if (!this.#holder) throw new Error('unrouted')
    const loan = this.#holder.limiter.lend(mailbox, units)
    await sleep(this.#random.below(60))
    return { granted: loan.isGranted ? units : 0, delayMs: loan.delayMs }
  }

  #use(units: number, by: 'worker' | 'sender'): void {
    this.uses.push({ at: performance.now(), units, by })
  }
}

/** Largest sum of used quota units in any time window of the mail provider. */
function largestWindow(uses: Simulation['uses']): number {
  let [sum, first, largest] = [0, 0, 0]
  for (const { at, units } of uses) {
    sum += units
    for (let use = uses[first]; use && use.at <= at - accountWindowMs; use = uses[first]) {
      sum -= use.units
      first += 1
    }
    largest = Math.max(largest, sum)
  }
  return largest
}

test.each(Array.from({ length: 30 }, (_, seed) => seed + 1))(
  'BorrowedUnits: random requests, kills and moves, no window exceeds the limit (seed %d)',
  async (seed) => {
    const simulation = new Simulation(seed)
    await simulation.run(900_000)
    const { uses } = simulation
    expect(largestWindow(uses)).toBeLessThanOrEqual(accountUnits)
    // Sync-workers and senders both make progress.
    const sumOf = (by: 'worker' | 'sender') =>
      uses.filter((use) => use.by === by).reduce((sum, { units }) => sum + units, 0)
    expect(sumOf('worker')).toBeGreaterThan(accountUnits)
    expect(sumOf('sender')).toBeGreaterThan(accountUnits)
  },
)

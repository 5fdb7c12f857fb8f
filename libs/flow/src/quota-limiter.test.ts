import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { QuotaLimiter, type QuotaLimiterOptions, type QuotaRequest } from './quota-limiter.ts'
import { RateLimitedError } from './rate-limited-error.ts'
import type { Permit } from './semaphore.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

const unlimited = { units: 1e9, windowMs: 1, burst: 1e8 }
const create = (options: Partial<QuotaLimiterOptions> = {}) =>
  new QuotaLimiter({
    // A key of the quota limiter has 20 units immediately, then 80 units in 10 s.
    perKey: { units: 100, windowMs: 10_000, burst: 20, concurrent: 2 },
    total: unlimited,
    priorities: 2,
    maxWaiting: 100,
    ...options,
  })
const elapse = (ms: number) => jest.advanceTimersByTimeAsync(ms)

/**
 * Starts calls in the quota limiter that end immediately, or hold their permit; records the order
 * of admission.
 */
function recorder(limiter: QuotaLimiter) {
  const admitted: string[] = []
  const held: Permit[] = []
  const start = (name: string, request: Partial<QuotaRequest> & { hold?: boolean } = {}) => {
    const { hold = false, ...more } = request
    const key = name.charAt(0)
    return limiter.acquire(key, { units: 1, priority: 1, ...more }).then((permit) => {
      admitted.push(name)
      if (hold) held.push(permit)
      else permit[Symbol.dispose]()
    })
  }
  return { admitted, held, start }
}

describe('QuotaLimiter', () => {
  test('units: the burst immediately, the others at an even pace', async () => {
    const { admitted, start } = recorder(create())
    for (let n = 0; n < 4; n++) void start(`a${n}`, { units: 10 })
    await elapse(0)
    expect(admitted).toEqual(['a0', 'a1'])
    await elapse(1_249)
    expect(admitted).toHaveLength(2)
    await elapse(1)
    expect(admitted).toHaveLength(3)
    await elapse(1_250)
    expect(admitted).toHaveLength(4)
  })

  test.each<[string, (limiter: QuotaLimiter) => unknown]>([
    ['a loan', (limiter) => limiter.lend('a', { units: 1, maxDebt: 10 })],
    ['a pause that has ended', (limiter) => limiter.pause('a', 0)],
    ['a limit of concurrent calls that has ended', (limiter) => limiter.narrow('a', 0)],
    [
      'a rejected call',
      (limiter) =>
        expect(
          limiter.acquire('a', { units: 90, priority: 1, maxWaitMs: 0 }),
        ).rejects.toBeInstanceOf(RateLimitedError),
    ],
  ])('%s, starts a waiting call whose timer is late', async (_name, act) => {
    let now = 0
    const limiter = create({ clock: () => now })
    const { admitted, start } = recorder(limiter)
    for (let n = 0; n < 3; n++) void start(`a${n}`, { units: 10 })
    await elapse(0)
    expect(admitted).toEqual(['a0', 'a1'])
    // The event loop was busy: the quota limiter's timer for the third call has not run, although
    // its time is over.
    now = 5_000
    await act(limiter)
    await elapse(0)
    expect(admitted).toEqual(['a0', 'a1', 'a2'])
  })

  test('slots: a call waits until all of its slots are free', async () => {
    const { admitted, held, start } = recorder(create())
    void start('a1', { hold: true })
    void start('a2', { hold: true, slots: 5 })
    void start('a3', { hold: true })
    await elapse(0)
    expect(admitted).toEqual(['a1'])
    held[0]?.[Symbol.dispose]()
    await elapse(0)
    expect(admitted).toEqual(['a1', 'a2'])
    held[1]?.[Symbol.dispose]()
    await elapse(0)
    expect(admitted).toEqual(['a1', 'a2', 'a3'])
  })

  test('concurrent: further calls of the key wait for a permit, other keys do not', async () => {
    const { admitted, held, start } = recorder(create())
    for (const name of ['a1', 'a2', 'a3', 'b1']) void start(name, { hold: true })
    await elapse(0)
    expect(admitted).toEqual(['a1', 'a2', 'b1'])
    held[0]?.[Symbol.dispose]()
    held[0]?.[Symbol.dispose]()
    await elapse(0)
    expect(admitted).toEqual(['a1', 'a2', 'b1', 'a3'])
  })

  test('priority: a call passes all waiting calls of a lower one, of its key and of others', async () => {
    const total = { units: 100, windowMs: 10_000, burst: 20 }
    const { admitted, start } = recorder(create({ total }))
    await start('a0', { units: 20 })
    for (const name of ['a1', 'b1', 'a2', 'b2']) void start(name, { units: 2 })
    await elapse(100)
    void start('a3', { units: 2, priority: 0 })
    void start('c1', { units: 2, priority: 0 })
    await elapse(10_000)
    // Key `a` of the quota limiter has units again later than the total quota has.
    expect(admitted).toEqual(['a0', 'c1', 'a3', 'b1', 'a1', 'b2', 'a2'])
  })

  test('total: keys take turns, an expensive call is not passed by cheap ones', async () => {
    const total = { units: 100, windowMs: 10_000, burst: 10 }
    const { admitted, start } = recorder(create({ total }))
    await start('z', { units: 10 })
    for (const name of ['a1', 'a2', 'a3']) void start(name)
    void start('b1', { units: 10 })
    void start('c1')
    await elapse(10_000)
    expect(admitted).toEqual(['z', 'a1', 'b1', 'c1', 'a2', 'a3'])
  })

  test('total as a function: a changed share applies to waiting calls', async () => {
    let units = 20
    const total = () => ({ units, windowMs: 10_000, burst: 10 })
    const { admitted, start } = recorder(create({ total }))
    await start('a0', { units: 10 })
    void start('a1', { units: 9 })
    await elapse(1_000)
    expect(admitted).toEqual(['a0'])
    units = 110
    await elapse(8_000)
    expect(admitted).toEqual(['a0', 'a1'])
  })

  test('maxWaitMs: rejects immediately if the wait is certain to be longer', async () => {
    const { start } = recorder(create())
    await start('a', { units: 20 })
    // The rate of a key in the quota limiter is 8 units per second.
    await expect(start('a', { units: 16, maxWaitMs: 1_999 })).rejects.toMatchObject({
      name: 'RateLimitedError',
      retryAfterMs: 2_000,
    })
    void start('a', { units: 8, priority: 1 })
    await expect(start('a', { units: 8, priority: 1, maxWaitMs: 1_500 })).rejects.toMatchObject({
      retryAfterMs: 2_000,
    })
    void start('a', { units: 8, priority: 0, maxWaitMs: 1_500 })
  })

  test('maxWaitMs: rejects a waiting call at its end, which takes nothing', async () => {
    const limiter = create()
    const { admitted, held, start } = recorder(limiter)
    for (const name of ['a1', 'a2']) await start(name, { hold: true })
    const late = expect(start('a3', { maxWaitMs: 5_000 })).rejects.toMatchObject({
      name: 'RateLimitedError',
      retryAfterMs: 1,
    })
    await elapse(5_000)
    await late
    for (const permit of held) permit[Symbol.dispose]()
    await start('a4')
    expect(admitted).toEqual(['a1', 'a2', 'a4'])
  })

  test('pause: delays the key, and rejects calls that cannot wait; others continue', async () => {
    const limiter = create()
    const { admitted, start } = recorder(limiter)
    limiter.pause('a', 30_000)
    limiter.pause('a', 10)
    void start('a1')
    await expect(start('a2', { priority: 0, maxWaitMs: 9_000 })).rejects.toMatchObject({
      retryAfterMs: 30_000,
    })
    await start('b1')
    await elapse(29_999)
    expect(admitted).toEqual(['b1'])
    await elapse(1)
    expect(admitted).toEqual(['b1', 'a1'])
  })

  test('narrow: calls of the key run one by one for the time, whatever their slots', async () => {
    const limiter = create()
    const { admitted, held, start } = recorder(limiter)
    limiter.narrow('a', 30_000)
    expect([limiter.concurrency('a'), limiter.concurrency('b')]).toEqual([1, 2])
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) void start(name, { hold: true, slots: 2 })
    await elapse(0)
    expect(admitted).toEqual(['a1', 'b1'])
    held[0]?.[Symbol.dispose]()
    await elapse(29_999)
    expect(admitted).toEqual(['a1', 'b1', 'a2'])
    held[2]?.[Symbol.dispose]()
    void start('a4', { hold: true })
    await elapse(0)
    expect(admitted.slice(3)).toEqual(['a3'])
    held[3]?.[Symbol.dispose]()
    await elapse(0)
    void start('a5', { hold: true })
    expect(admitted.slice(4)).toEqual(['a4'])
    await elapse(1)
    expect(admitted.slice(5)).toEqual(['a5'])
    expect(limiter.concurrency('a')).toBe(2)
  })

  test('pauseAll: delays all keys', async () => {
    const limiter = create()
    const { admitted, start } = recorder(limiter)
    limiter.pauseAll(1_000)
    for (const name of ['a', 'b']) void start(name)
    await expect(start('c', { maxWaitMs: 999 })).rejects.toMatchObject({ retryAfterMs: 1_000 })
    await elapse(999)
    expect(admitted).toEqual([])
    await elapse(1)
    expect(admitted).toEqual(['a', 'b'])
  })

  test('signal: rejects with its reason, takes nothing', async () => {
    const limiter = create()
    const { admitted, start } = recorder(limiter)
    await start('a0', { units: 20 })
    const stop = new AbortController()
    const waiting = expect(start('a1', { units: 20, signal: stop.signal })).rejects.toThrow('stop')
    void start('a2', { units: 8 })
    stop.abort(new Error('stop'))
    await waiting
    await expect(start('a3', { signal: stop.signal })).rejects.toThrow('stop')
    await elapse(1_000)
    expect(admitted).toEqual(['a0', 'a2'])
  })

  test('maxWaiting: bounds the calls of a key and priority only', async () => {
    const { start } = recorder(create({ maxWaiting: 2 }))
    await start('a0', { units: 20 })
    for (const name of ['a1', 'a2']) void start(name)
    await expect(start('a3')).rejects.toThrow('queue is full (limit 2)')
    void start('a4', { priority: 0 })
    void start('b1')
    await elapse(10_000)
  })

  test('units above the burst: wait for the whole burst and delay later calls', async () => {
    const { admitted, start } = recorder(create())
    void start('a1', { units: 28 })
    void start('a2', { units: 8 })
    await elapse(1_999)
    expect(admitted).toEqual(['a1'])
    await elapse(1)
    expect(admitted).toEqual(['a1', 'a2'])
  })

  test('keys: dropped when their units are complete, paused ones after the pause', async () => {
    const limiter = create()
    const { held, start } = recorder(limiter)
    for (let n = 0; n < 1_000; n++)
      await limiter
        .acquire(`k${n}`, { units: 8, priority: 1 })
        .then((permit) => permit[Symbol.dispose]())
    await start('a', { hold: true })
    limiter.pause('b', 5_000)
    limiter.narrow('c', 2_000)
    expect(limiter.size).toBe(1_003)
    await elapse(1_000)
    expect(limiter.size).toBe(3)
    await elapse(1_000)
    expect(limiter.size).toBe(2)
    held[0]?.[Symbol.dispose]()
    expect(limiter.size).toBe(1)
    await elapse(3_000)
    expect(limiter.size).toBe(0)
    expect(jest.getTimerCount()).toBe(0)
  })
})

import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { cacheAddresses, createLoginLimiter } from './login-limiter.ts'

/** CPU time of this process in milliseconds, independent of the load of the machine. */
const cpuMs = () => process.cpuUsage().user / 1_000

const never = new AbortController().signal
const limits = { perHost: 1, perSecond: 100_000, concurrent: 100 }
const noAddress = async () => undefined
const session = { loginFor: 'sync' } as const

/** Records the order in which logins get their permits. */
function recorder() {
  const order: string[] = []
  const permits = new Map<string, Disposable>()
  return {
    order,
    release: (name: string) => permits.get(name)?.[Symbol.dispose](),
    record: (name: string) => (permit: Disposable) => {
      order.push(name)
      permits.set(name, permit)
    },
  }
}

/** Waits until all promises and callbacks that need no timer have been processed. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await setImmediate()
}

describe('createLoginLimiter', () => {
  test('perHost: further logins at the host wait, FIFO', async () => {
    const limiter = createLoginLimiter(limits, { findAddress: noAddress })
    const { order, release, record } = recorder()
    for (const name of ['first', 'second', 'third'])
      void limiter.acquire('a.example', never, session).then(record(name))
    void limiter.acquire('b.example', never, session).then(record('other'))
    await settle()
    expect(order.toSorted()).toEqual(['first', 'other'])
    release('first')
    release('first') // second disposal of a permit, which must not admit another login
    await settle()
    expect(order.slice(2)).toEqual(['second'])
    release('second')
    await settle()
    expect(order.slice(2)).toEqual(['second', 'third'])
  })

  test('two names of one address share its limit; case is ignored', async () => {
    const limiter = createLoginLimiter(limits, { findAddress: async () => '192.0.2.1' })
    const { order, release, record } = recorder()
    void limiter.acquire('a.example', never, session).then(record('a'))
    void limiter.acquire('b.example', never, session).then(record('b'))
    void limiter.acquire('A.EXAMPLE', never, session).then(record('A'))
    await settle()
    expect(order).toEqual(['a'])
    release('a')
    await settle()
    expect(order).toEqual(['a', 'b'])
  })

  test('viaProxy: does not resolve the address of the host', async () => {
    const limiter = createLoginLimiter(limits, {
      findAddress: () => Promise.reject(new Error('must not resolve')),
    })
    using _permit = await limiter.acquire('a.example', never, { ...session, viaProxy: true })
  })

  test('concurrent: limits all hosts together without blocking the wait at others', async () => {
    const limiter = createLoginLimiter(
      { ...limits, perHost: 10, concurrent: 3 },
      { findAddress: noAddress },
    )
    const { order, release, record } = recorder()
    for (const host of ['a', 'b', 'c'])
      void limiter.acquire(host, never, session).then(record(host))
    await settle()
    expect(order).toEqual(['a', 'b'])
    release('b')
    await settle()
    expect(order).toEqual(['a', 'b', 'c'])
  })

  test('an aborted wait leaves every queue and releases its permits', async () => {
    const limiter = createLoginLimiter(limits, { findAddress: async () => '192.0.2.1' })
    const cancelled = new AbortController()
    const first = await limiter.acquire('a.example', never, session)
    const atHost = limiter.acquire('a.example', cancelled.signal, session)
    const atAddress = limiter.acquire('b.example', cancelled.signal, session)
    await settle()
    cancelled.abort()
    await expect(atHost).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(atAddress).rejects.toMatchObject({ kind: 'unavailable' })
    first[Symbol.dispose]()
    for (const host of ['a.example', 'b.example']) {
      using _permit = await limiter.acquire(host, never, session)
    }
    await expect(limiter.acquire('a.example', cancelled.signal, session)).rejects.toThrow()
  })

  test('perSecond: paces the start of logins', async () => {
    const limiter = createLoginLimiter(
      { perHost: 100, perSecond: 100, concurrent: 100 },
      { findAddress: noAddress },
    )
    const startedAt = performance.now()
    const all = Array.from({ length: 21 }, () => limiter.acquire('a.example', never, session))
    const at = all.map(async (permit) => {
      await permit
      return performance.now() - startedAt
    })
    const times = await Promise.all(at)
    // After the first login, 20 logins follow at intervals of 10 ms. The last of these logins may
    // come earlier by the tolerance of 50 ms.
    expect(times.at(-1)).toBeGreaterThanOrEqual(140)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })

  test('keyOf: the address of a host, once it was resolved', async () => {
    const limiter = createLoginLimiter(limits, { findAddress: async () => '192.0.2.1' })
    expect(limiter.keyOf('A.example')).toBe('a.example')
    using _permit = await limiter.acquire('a.example', never, session)
    expect(limiter.keyOf('A.example')).toBe('192.0.2.1')
  })

  test('10,000 aborted waits cost little CPU time', async () => {
    const limiter = createLoginLimiter(limits, { findAddress: noAddress })
    using _permit = await limiter.acquire('a.example', never, session)
    const startedAt = cpuMs()
    const cancelled = Array.from({ length: 10_000 }, () => new AbortController())
    const waiting = cancelled.map(({ signal }) => limiter.acquire('a.example', signal, session))
    for (const controller of cancelled.toReversed()) controller.abort()
    const results = await Promise.allSettled(waiting)
    expect(results.every(({ status }) => status === 'rejected')).toBe(true)
    expect(cpuMs() - startedAt).toBeLessThan(10_000)
  })
})

test('cacheAddresses: one lookup per host, the lowest address, undefined on errors', async () => {
  const lookups: string[] = []
  const findAddress = cacheAddresses(async (host) => {
    lookups.push(host)
    if (host === 'none.example') throw new Error('ENOTFOUND')
    const addresses = ['192.0.2.7', '192.0.2.3'] as const
    return addresses.map((address) => ({ address, family: 4 }))
  })
  expect(await findAddress('a.example', never)).toBe('192.0.2.3')
  expect(await findAddress('a.example', never)).toBe('192.0.2.3')
  expect(await findAddress('none.example', never)).toBeUndefined()
  expect(lookups).toEqual(['a.example', 'none.example'])
})

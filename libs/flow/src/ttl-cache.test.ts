import { expect, jest, test } from '@jest/globals'
import { TtlCache } from './ttl-cache.ts'

function createCache({ ttlMs = 100, max = 10 } = {}) {
  const time = { now: 0 }
  const cache = new TtlCache<string, number | undefined>({ ttlMs, max, clock: () => time.now })
  return { cache, time }
}

test('TtlCache: an entry is valid before its expiry and not at it', () => {
  const { cache, time } = createCache()
  cache.set('a', 1)
  time.now = 99
  expect([cache.get('a'), cache.has('a')]).toEqual([1, true])
  time.now = 100
  expect([cache.has('a'), cache.get('a')]).toEqual([false, undefined])
  expect(cache.size).toBe(0)
})

test('TtlCache.set: an expiry of its own replaces the default', () => {
  const { cache, time } = createCache()
  cache.set('a', 1, 500)
  cache.set('b', 2, Infinity)
  time.now = 499
  expect(cache.get('a')).toBe(1)
  time.now = 1e9
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 2])
})

test('TtlCache: beyond max, evicts the least recently used entry', () => {
  const { cache } = createCache({ max: 2 })
  cache.set('a', 1)
  cache.set('b', 2)
  cache.get('a')
  cache.set('c', 3)
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3])
})

test('TtlCache: beyond maxSize, evicts until the sizes fit; an oversized entry is not stored', () => {
  const cache = new TtlCache<string, string>({ maxSize: 10, sizeOf: (value) => value.length })
  cache.set('a', 'xxxx')
  cache.set('b', 'xxxx')
  cache.set('c', 'xxxx')
  expect(['a', 'b', 'c'].map((key) => cache.has(key))).toEqual([false, true, true])
  cache.set('d', 'x'.repeat(11))
  cache.set('e', '')
  expect(['b', 'c', 'd', 'e'].map((key) => cache.has(key))).toEqual([true, true, false, true])
})

test('TtlCache.getOrCreate: creates an entry once until it expires', () => {
  const { cache, time } = createCache()
  const create = jest.fn(() => 1)
  expect([cache.getOrCreate('a', create), cache.getOrCreate('a', create)]).toEqual([1, 1])
  time.now = 100
  cache.getOrCreate('a', create)
  expect(create).toHaveBeenCalledTimes(2)
})

test('TtlCache: delete, deleteIf and clear remove entries', () => {
  const { cache } = createCache()
  for (const key of ['a1', 'a2', 'b1', 'b2']) cache.set(key, 1)
  expect([cache.delete('b1'), cache.delete('b1')]).toEqual([true, false])
  cache.deleteIf((key) => key.startsWith('a'))
  expect(['a1', 'a2', 'b1', 'b2'].filter((key) => cache.has(key))).toEqual(['b2'])
  cache.clear()
  expect(cache.size).toBe(0)
})

test('TtlCache.load: concurrent callers share one load, whose result is stored', async () => {
  const { cache } = createCache()
  const loader = jest.fn(() => Promise.resolve(1))
  expect(await Promise.all([cache.load('a', loader), cache.load('a', loader)])).toEqual([1, 1])
  expect(await cache.load('a', loader)).toBe(1)
  expect(cache.get('a')).toBe(1)
  expect(loader).toHaveBeenCalledTimes(1)
})

test('TtlCache.load: the expiry counts from the start of the load', async () => {
  const { cache, time } = createCache()
  await cache.load('a', () => {
    time.now = 60
    return Promise.resolve(1)
  })
  expect(cache.has('a')).toBe(true)
  time.now = 160
  expect(cache.has('a')).toBe(false)
})

test('TtlCache.load: a load older than ttlMs is not joined, and not stored over a newer one', async () => {
  const { cache, time } = createCache()
  const old = Promise.withResolvers<number>()
  const first = cache.load('a', () => old.promise)
  time.now = 100
  expect(await cache.load('a', () => Promise.resolve(2))).toBe(2)
  old.resolve(1)
  expect(await first).toBe(1)
  expect(cache.get('a')).toBe(2)
})

test('TtlCache.load: storeIf and expiresAt decide by the result', async () => {
  const { cache, time } = createCache()
  await cache.load('a', () => Promise.resolve(undefined), { storeIf: (v) => v !== undefined })
  await cache.load('b', () => Promise.resolve(1), { expiresAt: () => 1_000 })
  expect(cache.has('a')).toBe(false)
  time.now = 999
  expect(cache.has('b')).toBe(true)
})

test('TtlCache.load: a failure goes to all callers and is not stored', async () => {
  const { cache } = createCache()
  const failed = () => Promise.reject(new Error('no'))
  const results = await Promise.allSettled([cache.load('a', failed), cache.load('a', failed)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await cache.load('a', () => Promise.resolve(1))).toBe(1)
})

test.each(['delete', 'deleteIf', 'clear', 'set'] as const)(
  'TtlCache.load: %s during a load keeps its result out of the cache',
  async (how) => {
    const { cache } = createCache()
    const gate = Promise.withResolvers<number>()
    const loading = cache.load('a', () => gate.promise)
    if (how === 'delete') cache.delete('a')
    else if (how === 'deleteIf') cache.deleteIf(() => true)
    else if (how === 'clear') cache.clear()
    else cache.set('a', 5)
    gate.resolve(1)
    expect(await loading).toBe(1)
    expect(cache.get('a')).toBe(how === 'set' ? 5 : undefined)
  },
)

test.each(['delete', 'deleteIf', 'clear', 'set'] as const)(
  'TtlCache.load: %s during a load, callers get the result but it is not stored',
  async (method) => {
    const { cache } = createCache()
    const loading = Promise.withResolvers<number>()
    const result = cache.load('a', () => loading.promise)
    if (method === 'delete') cache.delete('a')
    if (method === 'deleteIf') cache.deleteIf((key) => key === 'a')
    if (method === 'clear') cache.clear()
    if (method === 'set') cache.set('a', 7)
    loading.resolve(1)
    expect(await result).toBe(1)
    expect(cache.get('a')).toBe(method === 'set' ? 7 : undefined)
  },
)

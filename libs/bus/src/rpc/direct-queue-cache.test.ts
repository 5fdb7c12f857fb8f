import { expect, test } from '@jest/globals'
import { DirectQueueCache } from './direct-queue-cache.ts'

test('DirectQueueCache: keeps the first queue of a key for 30 s, then takes the next one', () => {
  let now = 0
  const cache = new DirectQueueCache(() => now)
  expect(cache.find('credentials')).toBeUndefined()
  cache.set('credentials', 'one')
  now = 29_999
  cache.set('credentials', 'two')
  expect(cache.find('credentials')).toBe('one')
  expect(cache.find('outbox')).toBeUndefined()
  now = 30_000
  expect(cache.find('credentials')).toBeUndefined()
  cache.set('credentials', 'two')
  expect(cache.find('credentials')).toBe('two')
})

test('DirectQueueCache: a late evict of a replaced queue keeps its successor', () => {
  const cache = new DirectQueueCache()
  cache.set('credentials', 'one')
  cache.evict('credentials', 'one')
  cache.set('credentials', 'two')
  cache.evict('credentials', 'one')
  expect(cache.find('credentials')).toBe('two')
})

import { expect, test } from '@jest/globals'
import { balance, fairShare } from './fair-share.ts'

const shards = (count: number) => Array.from({ length: count }, (_, shard) => shard)

test('one worker takes everything, several take equal parts that together cover everything', () => {
  expect(fairShare(1)).toBe(256)
  for (const workers of [2, 3, 5, 7, 100])
    expect(fairShare(workers) * workers).toBeGreaterThanOrEqual(256)
  expect(fairShare(3)).toBe(86)
})

test('a worker that does not see itself yet counts as one', () => {
  expect(fairShare(0)).toBe(256)
})

test('what is missing is claimed at once', () => {
  expect(balance(shards(10), 2)).toEqual({ claim: 118, release: [] })
})

test('surplus goes back in small steps', () => {
  expect(balance(shards(256), 2)).toEqual({
    claim: 0,
    release: Array.from({ length: 16 }, (_, i) => 255 - i),
  })
  expect(balance(shards(130), 2).release).toEqual([129, 128])
})

test('at the fair share nothing moves', () => {
  expect(balance(shards(128), 2)).toEqual({ claim: 0, release: [] })
})

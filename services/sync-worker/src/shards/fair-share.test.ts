import { expect, test } from '@jest/globals'
import { balance, fairShare } from './fair-share.ts'

const shards = (count: number) => Array.from({ length: count }, (_, shard) => shard)

test('fairShare: equal parts that cover all shards', () => {
  expect(fairShare(1)).toBe(256)
  for (const workers of [2, 3, 5, 7, 100])
    expect(fairShare(workers) * workers).toBeGreaterThanOrEqual(256)
  expect(fairShare(3)).toBe(86)
})

test('fairShare: 0 workers count as 1', () => {
  expect(fairShare(0)).toBe(256)
})

test('balance: claims all missing shards', () => {
  expect(balance(shards(10), 2)).toEqual({ claim: 118, release: [] })
})

test('balance: releases a surplus in steps', () => {
  expect(balance(shards(256), 2)).toEqual({
    claim: 0,
    release: Array.from({ length: 16 }, (_, i) => 255 - i),
  })
  expect(balance(shards(130), 2).release).toEqual([129, 128])
})

test('balance: nothing at the fair share', () => {
  expect(balance(shards(128), 2)).toEqual({ claim: 0, release: [] })
})

import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { array, assert, integer, oneof, property } from 'fast-check'
import {
  bitmapsFromRanges,
  chunkBytes,
  diffBitmaps,
  hasUid,
  isEmpty,
  popcount,
  rangesFromBitmaps,
  setUid,
  trimBitmap,
  uidsInBitmap,
  untrimBitmap,
} from './chunk.ts'
import { rangesOf, uidsIn } from './ranges.ts'

/** UIDs close together, at the borders of chunks, and far out. */
const uid = oneof(
  integer({ min: 1, max: 100 }),
  integer({ min: 8_180, max: 8_200 }),
  integer({ min: 0xffff_ff00, max: 0xffff_ffff }),
)
const uids = array(uid, { maxLength: 60 }).map((list) => new Set(list))

function minus<T>(a: Set<T>, b: Set<T>): Set<T> {
  return new Set([...a].filter((one) => !b.has(one)))
}

test('bitmapsFromRanges: reversed by rangesFromBitmaps', () => {
  assert(
    property(uids, (set) => {
      const bitmaps = bitmapsFromRanges(rangesOf(set))
      expect(rangesFromBitmaps(bitmaps)).toEqual(rangesOf(set))
      expect([...bitmaps.values()].reduce((sum, bits) => sum + popcount(bits), 0)).toBe(set.size)
      const walked = [...bitmaps].flatMap(([chunk, bits]) => [...uidsInBitmap(chunk, bits)])
      expect(walked).toEqual([...uidsIn(rangesOf(set))])
    }),
    { numRuns: 500 },
  )
})

test('diffBitmaps: agrees with sets', () => {
  assert(
    property(uids, uids, (before, after) => {
      const { added, removed } = diffBitmaps(
        bitmapsFromRanges(rangesOf(before)),
        bitmapsFromRanges(rangesOf(after)),
      )
      expect(added).toEqual(rangesOf(minus(after, before)))
      expect(removed).toEqual(rangesOf(minus(before, after)))
    }),
    { numRuns: 500 },
  )
})

test('trimBitmap: reversed by untrimBitmap', () => {
  assert(
    property(uids, (set) => {
      for (const bits of bitmapsFromRanges(rangesOf(set)).values()) {
        const stored = trimBitmap(bits)
        expect(stored.at(-1)).not.toBe(0)
        expect(untrimBitmap(stored)).toEqual(bits)
      }
    }),
  )
  expect(trimBitmap(new Uint8Array(chunkBytes))).toHaveLength(0)
  expect(isEmpty(untrimBitmap(new Uint8Array()))).toBe(true)
})

test('sameBitmap: compares trimmed bitmaps', () => {
  const before = new Map([[0, Uint8Array.of(0b110)]])
  const after = new Map([[0, Uint8Array.of(0b100, 0b1)]])
  expect(diffBitmaps(before, after)).toEqual({ added: [[8, 8]], removed: [[1, 1]] })
})

test('setUid: sets and clears single bits', () => {
  const bits = new Uint8Array(chunkBytes)
  setUid(bits, 8_192 + 7, true)
  expect([hasUid(bits, 8_192 + 7), hasUid(bits, 8_192 + 6)]).toEqual([true, false])
  setUid(bits, 8_192 + 7, false)
  expect(isEmpty(bits)).toBe(true)
})

test('bitmapsFromRanges: throws for more than maxChunks chunks', () => {
  expect(() => bitmapsFromRanges([[1, 0xffff_ffff]])).toThrow(AppError)
})

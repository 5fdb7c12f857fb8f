import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { array, assert, integer, oneof, property } from 'fast-check'
import {
  bitmapsFromRanges,
  chunkBytes,
  emptyBitmap,
  hasUid,
  intersectBitmaps,
  isEmpty,
  rangesFromBitmaps,
  sameBitmap,
  setUid,
  subtractBitmap,
  trimBitmap,
  uidsInBitmap,
  untrimBitmap,
} from './chunk.ts'
import { rangesOf, uidsIn } from './ranges.ts'

/** Generator of UIDs: close together, at the borders of index chunks, and close to the maximum. */
const uid = oneof(
  integer({ min: 1, max: 100 }),
  integer({ min: 8_180, max: 8_200 }),
  integer({ min: 0xffff_ff00, max: 0xffff_ffff }),
)
const uids = array(uid, { maxLength: 60 }).map((list) => new Set(list))

test('bitmapsFromRanges: reversed by rangesFromBitmaps', () => {
  assert(
    property(uids, (set) => {
      const bitmaps = bitmapsFromRanges(rangesOf(set))
      expect(rangesFromBitmaps(bitmaps)).toEqual(rangesOf(set))
      const walked = [...bitmaps].flatMap(([chunk, bits]) => [...uidsInBitmap(chunk, bits)])
      expect(walked).toEqual([...uidsIn(rangesOf(set))])
    }),
    { numRuns: 500 },
  )
})

test('subtractBitmap, intersectBitmaps: agree with sets', () => {
  assert(
    property(uids, uids, (a, b) => {
      const [x, y] = [bitmapsFromRanges(rangesOf(a)), bitmapsFromRanges(rangesOf(b))]
      const apply = (combine: (a: Uint8Array, b: Uint8Array) => Uint8Array) => {
        const of = (chunk: number, bits: Uint8Array) => combine(bits, y.get(chunk) ?? emptyBitmap)
        return rangesFromBitmaps(new Map([...x].map(([chunk, bits]) => [chunk, of(chunk, bits)])))
      }
      expect(apply(subtractBitmap)).toEqual(rangesOf([...a].filter((uid) => !b.has(uid))))
      expect(apply(intersectBitmaps)).toEqual(rangesOf([...a].filter((uid) => b.has(uid))))
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
  expect(sameBitmap(Uint8Array.of(0b110), Uint8Array.of(0b110, 0))).toBe(true)
  expect(sameBitmap(Uint8Array.of(0b110), Uint8Array.of(0b110, 0b1))).toBe(false)
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

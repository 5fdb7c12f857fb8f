import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { array, assert, integer, property, string, tuple } from 'fast-check'
import {
  batchesOf,
  countUids,
  formatSequenceSet,
  normaliseRanges,
  parseSequenceSet,
  piecesOf,
  rangesOf,
  reachesBeyond,
  uidsIn,
} from './uid-ranges.ts'

const range = tuple(integer({ min: 1, max: 99 }), integer({ min: 0, max: 9 })).map(
  ([first, more]) => [first, first + more] as const,
)

test('parseSequenceSet: pieces in any order, returns ordered ranges', () => {
  expect(parseSequenceSet('1:5,9')).toEqual([
    [1, 5],
    [9, 9],
  ])
  expect(parseSequenceSet('9,5:1,3:7,8')).toEqual([[1, 9]])
  expect(parseSequenceSet('1016,1016')).toEqual([[1016, 1016]])
  expect(parseSequenceSet('1:4294967295')).toEqual([[1, 4294967295]])
})

test('parseSequenceSet: invalid text, throws', () => {
  for (const text of [
    '',
    ',',
    '0',
    '1:',
    ':1',
    '1,,2',
    '1:2:3',
    '*',
    '1:*',
    '4294967296',
    '1 2',
    '-1',
    'x',
    '1,',
  ])
    expect(() => parseSequenceSet(text)).toThrow(AppError)
  assert(
    property(string(), (text) => {
      try {
        expect(countUids(parseSequenceSet(text))).toBeGreaterThan(0)
      } catch (error) {
        expect(error).toBeInstanceOf(AppError)
      }
    }),
  )
})

test('normaliseRanges: any ranges, returns ascending ranges without overlap and the same UIDs', () => {
  assert(
    property(array(range), (ranges) => {
      const uids = new Set(ranges.flatMap((range) => [...uidsIn([range])]))
      expect(normaliseRanges(ranges)).toEqual(rangesOf(uids))
      if (ranges.length > 0)
        expect(parseSequenceSet(formatSequenceSet(ranges))).toEqual(rangesOf(uids))
    }),
  )
})

test('batchesOf: returns every UID once, at most `size` per batch', () => {
  assert(
    property(array(range), integer({ min: 1, max: 20 }), (list, size) => {
      const ranges = normaliseRanges(list)
      const batches = [...batchesOf(ranges, size)]
      expect(batches.flatMap((batch) => [...uidsIn(batch)])).toEqual([...uidsIn(ranges)])
      for (const batch of batches.slice(0, -1)) expect(countUids(batch)).toBe(size)
    }),
  )
  expect(batchesOf([[1, 0xffff_ffff]], 500).next().value).toEqual([[1, 500]])
})

test('piecesOf: cuts ranges by their length as text', () => {
  expect([...piecesOf([], 10)]).toEqual([])
  assert(
    property(array(range), integer({ min: 1, max: 40 }), (ranges, maxLength) => {
      const pieces = [...piecesOf(ranges, maxLength)]
      expect(pieces.flat()).toEqual(ranges)
      for (const piece of pieces)
        expect(piece.length === 1 || formatSequenceSet(piece).length <= maxLength).toBe(true)
    }),
  )
})

test('reachesBeyond: is true if one UID is not contained', () => {
  assert(
    property(array(range), array(range), (some, all) => {
      const [within, whole] = [normaliseRanges(some), normaliseRanges(all)]
      const members = new Set(uidsIn(whole))
      expect(reachesBeyond(within, whole)).toBe(
        [...uidsIn(within)].some((uid) => !members.has(uid)),
      )
    }),
  )
})

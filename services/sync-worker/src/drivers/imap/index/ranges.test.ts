import { expect, test } from '@jest/globals'
import type { UidRange } from '@posthorn/backends'
import { assert, array, integer, property, tuple } from 'fast-check'
import { countUids, intersectRanges, rangesOf, subtractRanges, uidsIn } from './ranges.ts'

const uids = array(integer({ min: 1, max: 60 }), { maxLength: 40 }).map((list) => new Set(list))

function sorted(set: Set<number>): number[] {
  return [...set].sort((a, b) => a - b)
}

test('subtractRanges, intersectRanges: agree with sets', () => {
  assert(
    property(tuple(uids, uids), ([a, b]) => {
      const [x, y] = [rangesOf(a), rangesOf(b)]
      expect(subtractRanges(x, y)).toEqual(rangesOf([...a].filter((uid) => !b.has(uid))))
      expect(intersectRanges(x, y)).toEqual(rangesOf([...a].filter((uid) => b.has(uid))))
      expect([...uidsIn(x)]).toEqual(sorted(a))
      expect(countUids(x)).toBe(a.size)
    }),
    { numRuns: 500 },
  )
})

test('subtractRanges: a hole across several ranges cuts each', () => {
  const from: UidRange[] = [
    [1, 10],
    [20, 30],
    [40, 50],
  ]
  expect(subtractRanges(from, [[5, 45]])).toEqual([
    [1, 4],
    [46, 50],
  ])
  expect(subtractRanges(from, [])).toEqual(from)
  expect(subtractRanges([], from)).toEqual([])
})

test('subtractRanges: time does not depend on the size of a range', () => {
  const all: UidRange[] = [[1, 0xffff_ffff]]
  expect(subtractRanges(all, [[5, 5]])).toEqual([
    [1, 4],
    [6, 0xffff_ffff],
  ])
  expect(countUids(all)).toBe(0xffff_ffff)
})

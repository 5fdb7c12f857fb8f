import { expect, test } from '@jest/globals'
import { moveRow, toggleAll, toggleKey } from './selection.ts'

test('toggleKey: adds and removes a key without changing the old selection', () => {
  const before = new Set(['a'])
  expect([...toggleKey(before, 'b')]).toEqual(['a', 'b'])
  expect([...toggleKey(before, 'a')]).toEqual([])
  expect([...before]).toEqual(['a'])
})

test('toggleAll: selects the page, or removes it if all of its rows are selected', () => {
  expect([...toggleAll(new Set(['x', 'a']), ['a', 'b'])]).toEqual(['x', 'a', 'b'])
  expect([...toggleAll(new Set(['x', 'a', 'b']), ['a', 'b'])]).toEqual(['x'])
})

test.each([
  [-1, 1, 3, 0],
  [-1, -1, 3, 2],
  [1, 1, 3, 2],
  [2, 1, 3, 2],
  [0, -1, 3, 0],
  [-1, 1, 0, -1],
] as const)('moveRow: from %i by %i of %i rows to %i', (current, step, ...[count, expected]) => {
  expect(moveRow(current, step, count)).toBe(expected)
})

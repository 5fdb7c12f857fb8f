import { expect, test } from '@jest/globals'
import { formatPosition, isBehind, parsePosition } from './position.ts'

const at = (xid: number, id: number) => ({ xid: BigInt(xid), id: BigInt(id) })

test('an id is read back as it was written, at any size', () => {
  const text = '18446744073709551615-9223372036854775807'
  const position = parsePosition(text)
  expect(position && formatPosition(position)).toBe(text)
})

test('no id is no position', () => {
  expect([parsePosition(undefined), parsePosition('')]).toEqual([undefined, undefined])
})

test('positions are ordered by transaction, then by row, as numbers', () => {
  expect(isBehind(at(9, 1), at(10, 0))).toBe(true)
  expect(isBehind(at(10, 9), at(10, 10))).toBe(true)
  expect(isBehind(at(10, 10), at(10, 10))).toBe(false)
  expect(isBehind(at(11, 0), at(10, 99))).toBe(false)
})

import { expect, test } from '@jest/globals'
import { formatPosition, isBehind, parsePosition } from './position.ts'

const at = (xid: number, id: number) => ({ xid: BigInt(xid), id: BigInt(id) })

test('parsePosition: round trip at any size', () => {
  const text = '18446744073709551615-9223372036854775807'
  const position = parsePosition(text)
  expect(position && formatPosition(position)).toBe(text)
})

test('parsePosition: empty text, undefined', () => {
  expect([parsePosition(undefined), parsePosition('')]).toEqual([undefined, undefined])
})

test('isBehind: orders by transaction, then row, numerically', () => {
  expect(isBehind(at(9, 1), at(10, 0))).toBe(true)
  expect(isBehind(at(10, 9), at(10, 10))).toBe(true)
  expect(isBehind(at(10, 10), at(10, 10))).toBe(false)
  expect(isBehind(at(11, 0), at(10, 99))).toBe(false)
})

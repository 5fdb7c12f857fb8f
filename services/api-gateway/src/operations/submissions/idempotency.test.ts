import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { idempotencyKeyOf } from './idempotency.ts'

const hashOf = (body: unknown, { query = {}, operation = 'submit', account = 'a' } = {}) =>
  idempotencyKeyOf(operation, {
    params: { account },
    headers: { 'idempotency-key': 'k' },
    query,
    body,
  })?.requestHash.toString('hex')

test('without a key there is nothing to remember', () => {
  expect(
    idempotencyKeyOf('submit', { params: { account: 'a' }, headers: {}, body: {} }),
  ).toBeUndefined()
})

test('the order of members does not matter, all else does', () => {
  expect(hashOf({ a: 1, b: { c: [1, 2], d: null } })).toBe(
    hashOf({ b: { d: null, c: [1, 2] }, a: 1 }),
  )
  const others = [
    hashOf({ a: 1 }),
    hashOf({ a: '1' }),
    hashOf({ a: [1] }),
    hashOf({ a: null }),
    hashOf({}),
    hashOf([]),
    hashOf({ a: 1 }, { query: { useStructuredFormat: true } }),
    hashOf({ a: 1 }, { operation: 'draft' }),
  ]
  expect(new Set(others).size).toBe(others.length)
})

test('bodies are the same request where they are the same JSON, and only there', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const same = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
      expect(hashOf(one) === hashOf(other)).toBe(same)
      expect(hashOf(one)).toBe(hashOf(JSON.parse(JSON.stringify(one))))
    }),
  )
})

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return { members: entries.map(([name, member]) => [name, sorted(member)]) }
}

import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { idempotencyKeyOf } from './idempotency-keys.ts'

const hashOf = (body: unknown, { query = {}, operation = 'submit', account = 'a' } = {}) =>
  idempotencyKeyOf(operation, {
    params: { account },
    headers: { 'idempotency-key': 'k' },
    query,
    body,
  })?.requestHash.toString('hex')

describe('idempotencyKeyOf', () => {
  test('without the header, returns undefined', () => {
    const request = { params: { account: 'a' }, headers: {}, body: {} }
    expect(idempotencyKeyOf('submit', request)).toBeUndefined()
  })

  test('with members in another order, returns the same hash; any other difference changes it', () => {
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

  test('with any two JSON bodies, hashes are equal exactly if the bodies are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const same = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
        expect(hashOf(one) === hashOf(other)).toBe(same)
        expect(hashOf(one)).toBe(hashOf(JSON.parse(JSON.stringify(one))))
      }),
    )
  })
})

function sorted(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return { members: entries.map(([name, member]) => [name, sorted(member)]) }
}

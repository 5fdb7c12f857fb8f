import { expect, test } from '@jest/globals'
import { json, minSecretLength, secret } from './read.ts'

test('secret: shorter than minLength, throws with the name and without the value', () => {
  const read = (X: string) => secret({ X }, 'X', { minLength: minSecretLength })
  expect(() => read('k'.repeat(31))).toThrow(/^X: must have at least 32 characters$/)
  expect(read('k'.repeat(32))?.reveal()).toBe('k'.repeat(32))
  expect(read('')).toBeUndefined()
  expect(secret({ X: 'k' }, 'X')?.reveal()).toBe('k')
})

test.each(['{"role": "pass"word"}', '{"role": "pass', 'password', '["password"]', '"password"'])(
  'json: of %s, throws with the name and without the value',
  (X) => {
    expect(() => json({ X }, 'X')).toThrow(/^X: must be a JSON object$/)
  },
)

test('json: returns an object; undefined if the variable is not set', () => {
  expect(json({ X: '{"role":"password"}' }, 'X')).toEqual({ role: 'password' })
  expect(json({}, 'X')).toBeUndefined()
})

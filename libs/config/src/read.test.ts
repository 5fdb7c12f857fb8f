import { expect, test } from '@jest/globals'
import { duration, json, minSecretLength, secret } from './read.ts'

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

test.each([
  ['250ms', 250],
  ['3s', 3_000],
  ['3 s', 3_000],
  ['10m', 600_000],
  ['2h', 7_200_000],
  ['3d', 259_200_000],
  ['0', 0],
])('duration: %s is %i ms', (X, ms) => {
  expect(duration({ X }, 'X')).toBe(ms)
})

test.each([
  ['3', /^X: must have a unit, such as 3s or 3ms, got "3"$/],
  ['3sec', /^X: must be a duration such as 30s, 10m or 3d, got "3sec"$/],
  ['1.5s', /^X: must be a duration such as 30s, 10m or 3d, got "1\.5s"$/],
  ['-3s', /^X: must be a duration such as 30s, 10m or 3d, got "-3s"$/],
])('duration: rejects %s with the name and the remedy', (X, problem) => {
  expect(() => duration({ X }, 'X', { fallback: 5_000 })).toThrow(problem)
})

test('duration: outside its range, throws with the limits in units', () => {
  const range = { min: 1_500, max: 3_600_000 }
  expect(() => duration({ X: '1s' }, 'X', range)).toThrow(
    /^X: must be between 1500ms and 1h, got "1s"$/,
  )
  expect(() => duration({ X: '0' }, 'X', { min: 100 })).toThrow(
    /^X: must be at least 100ms, got "0"$/,
  )
  expect(duration({}, 'X', { fallback: 5_000, ...range })).toBe(5_000)
})

import { expect, test } from '@jest/globals'
import { AppError, errorFromWire, errorToWire, isPermanent, UnavailableError } from './index.ts'

test('errorFromWire: restores kind, text, code, extras and status of an error', () => {
  const full = new AppError('provider', 'OAuth2 request failed', {
    code: 'X',
    status: 412,
    extras: { info: { response: 'no' } },
    cause: new Error('secret'),
  })
  for (const error of [full, new AppError('invalid', 'no')]) {
    const restored = errorFromWire(JSON.parse(JSON.stringify(errorToWire(error))))
    const { kind, message, code, extras, status } = error
    expect(restored).toMatchObject({ kind, message, code, extras, status })
    expect(restored.cause).toBeUndefined()
  }
})

test.each([
  [400, true],
  [404, true],
  [409, true],
  [429, false],
  [500, false],
  [503, false],
  [undefined, false],
])('isPermanent: response %s of a provider, %s', (status, permanent) => {
  expect(isPermanent(new AppError('provider', 'no', { status }))).toBe(permanent)
})

test('errorToWire: UnavailableError is `unavailable`, without its text', () => {
  const wire = errorToWire(new UnavailableError('connect ECONNREFUSED 10.0.0.1:5432'))
  const message = 'The service is temporarily unavailable, retry later'
  expect(wire).toEqual({ kind: 'unavailable', message })
  expect(errorToWire(new Error('x'))).toMatchObject({ kind: 'internal' })
})

import { expect, test } from '@jest/globals'
import { AppError, UnavailableError } from '@posthorn/errors'
import { OwnFailures } from './own-failures.ts'

test.each([
  new AppError('unavailable', 'auth-bridge'),
  new AppError('timeout', 'auth-bridge'),
  new UnavailableError('Postgres'),
])('OwnFailures: %s never ends an export', (error) => {
  const failures = new OwnFailures()
  for (const now of [0, 10, 1e9]) expect(failures.isOver(error, 10, now)).toBe(false)
})

test.each([new AppError('internal', 'wrong key'), new TypeError('x')])(
  'OwnFailures: %s ends an export once it lasts',
  (error) => {
    const failures = new OwnFailures()
    expect(failures.isOver(error, 10, 0)).toBe(false)
    expect(failures.isOver(error, 10, 9)).toBe(false)
    failures.reset()
    expect(failures.isOver(error, 10, 10)).toBe(false)
    expect(failures.isOver(error, 10, 20)).toBe(true)
  },
)

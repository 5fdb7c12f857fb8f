import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { FailedItem } from './failed-item.ts'

test.each([
  [3, new AppError('rejected', 'refused')],
  [3, new Error('unknown')],
  [10, new AppError('unavailable', 'later')],
  [10, new AppError('unreachable', 'later')],
])('FailedItem: has %d attempts after %s', (max, cause) => {
  const failed = new FailedItem()
  for (let attempt = 1; attempt < max; attempt++) {
    expect(failed.onLastAttempt).toBeUndefined()
    expect(failed.count('a', cause)).toBe(false)
  }
  expect(failed.onLastAttempt).toBe('a')
  expect(failed.count('a', cause)).toBe(true)
  expect(failed.onLastAttempt).toBeUndefined()
})

test('FailedItem: another item starts with the first attempt', () => {
  const failed = new FailedItem()
  const cause = new AppError('rejected', 'refused')
  failed.count('a', cause)
  failed.count('a', cause)
  expect(failed.count('b', cause)).toBe(false)
  expect(failed.onLastAttempt).toBeUndefined()
})

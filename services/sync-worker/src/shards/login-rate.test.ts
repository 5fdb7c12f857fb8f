import { expect, test } from '@jest/globals'
import { LoginRate } from './login-rate.ts'

test('LoginRate: an equal part of the limit for each live worker', () => {
  const rate = new LoginRate(50)
  expect(rate.perSecond).toBe(50)
  rate.workers = 4
  expect(rate.perSecond).toBe(12.5)
})

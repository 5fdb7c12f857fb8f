import { expect, test } from '@jest/globals'
import { isJustRenewed, mayRetry } from './retry-policy.ts'

const rejected = { serverResponseCode: 'OauthRenewError' }
const unreachable = { serverResponseCode: 'ETokenRefresh' }

test.each([
  ['the first rejection', rejected, 0, 5_000],
  ['rejections for 1 min', rejected, 60_000, 60_000],
  ['rejections for 3 days', rejected, 3 * 86_400_000, 300_000],
  ['no response', unreachable, 0, 1_000],
  ['no response for 10 s', unreachable, 10_000, 10_000],
  ['no response for 1 h', unreachable, 3_600_000, 30_000],
])('mayRetry: after %s, true from its delay on', (...row) => {
  const [, error, lastedMs, ms] = row
  expect(mayRetry({ error, lastedMs, agoMs: ms - 1, waitMs: 0 })).toBe(false)
  expect(mayRetry({ error, lastedMs, agoMs: ms, waitMs: 0 })).toBe(true)
})

test('mayRetry: the provider requested a delay, false until it has passed', () => {
  const failure = { error: unreachable, lastedMs: 0, agoMs: 60_000 }
  expect(mayRetry({ ...failure, waitMs: 1 })).toBe(false)
  expect(mayRetry({ ...failure, waitMs: 0 })).toBe(true)
})

test('isJustRenewed: true for 5 min after a renewal', () => {
  expect(isJustRenewed({ renewedAgoMs: undefined })).toBe(false)
  expect(isJustRenewed({ renewedAgoMs: 0 })).toBe(true)
  expect(isJustRenewed({ renewedAgoMs: 299_999 })).toBe(true)
  expect(isJustRenewed({ renewedAgoMs: 300_000 })).toBe(false)
})

import { expect, test } from '@jest/globals'
import { isJustRenewed, mayRetry } from './retry-policy.ts'

const refused = { serverResponseCode: 'OauthRenewError' }
const silent = { serverResponseCode: 'ETokenRefresh' }

test.each([
  ['the first no', refused, 0, 5_000],
  ['a no after no for a minute', refused, 60_000, 60_000],
  ['a no after no for days', refused, 3 * 86_400_000, 300_000],
  ['no answer', silent, 0, 1_000],
  ['no answer for ten seconds', silent, 10_000, 10_000],
  ['no answer for an hour', silent, 3_600_000, 30_000],
])('after %s the provider is asked again in time, and not before', (...row) => {
  const [, error, lastedMs, ms] = row
  expect(mayRetry({ error, lastedMs, agoMs: ms - 1 })).toBe(false)
  expect(mayRetry({ error, lastedMs, agoMs: ms })).toBe(true)
})

test('what the provider gave is believed for five minutes', () => {
  expect(isJustRenewed({ renewedAgoMs: undefined })).toBe(false)
  expect(isJustRenewed({ renewedAgoMs: 0 })).toBe(true)
  expect(isJustRenewed({ renewedAgoMs: 299_999 })).toBe(true)
  expect(isJustRenewed({ renewedAgoMs: 300_000 })).toBe(false)
})

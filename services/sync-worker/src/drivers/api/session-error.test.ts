import { expect, test } from '@jest/globals'
import { MailApiError } from '@posthorn/backends/mail-api'
import { AppError } from '@posthorn/errors'
import { HttpError } from '@posthorn/net/call'
import { toSessionError } from './session-error.ts'

// A mail API error of the kind `unauthorized` puts an account into the state authenticationError.
// Other errors lead to connectError.
test.each([
  ['token-rejected', 'unauthorized', 'OAuthTokenRejected'],
  ['unlicensed', 'forbidden', 'OAuthTokenRejected'],
  ['access-denied', 'forbidden', 'AccessDenied'],
  ['mailbox-disabled', 'forbidden', 'MailboxNotEnabled'],
  ['mailbox-full', 'rejected', 'QuotaExceeded'],
  ['unavailable', 'unreachable', 'ConnectionError'],
  ['refused', 'rejected', undefined],
] as const)('toSessionError: %s of a mail API is %s', (failure, kind, code) => {
  const failed = new MailApiError(failure, 'text of the provider')
  const expected = { kind, code, message: failed.message, extras: failed.extras }
  expect(toSessionError(failed)).toMatchObject(expected)
})

test('toSessionError: a network failure has its code', () => {
  const network = new HttpError('dns', 'getaddrinfo ENOTFOUND x', 'ENOTFOUND')
  const unreachable = new AppError('unreachable', 'no response', { cause: network })
  const failed = new MailApiError('unavailable', 'no response', { cause: unreachable })
  expect(toSessionError(failed)).toMatchObject({ kind: 'unreachable', code: 'ENOTFOUND' })
})

test('toSessionError: other errors stay as they are', () => {
  const error = new Error('of this system')
  expect(toSessionError(error)).toBe(error)
})

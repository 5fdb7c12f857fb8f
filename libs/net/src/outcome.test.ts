import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { type HttpOutcome, outcomeOfError, outcomeOfStatus } from './outcome.ts'

test.each<[number, HttpOutcome]>([
  [200, '2xx'],
  [204, '2xx'],
  [299, '2xx'],
  [301, 'redirect-refused'],
  [302, 'redirect-refused'],
  [307, 'redirect-refused'],
  [308, 'redirect-refused'],
  [304, 'http-4xx'],
  [400, 'http-4xx'],
  [410, 'http-4xx'],
  [429, 'http-4xx'],
  [500, 'http-5xx'],
  [503, 'http-5xx'],
])('outcomeOfStatus: %d is %s', (status, outcome) => {
  expect(outcomeOfStatus(status)).toBe(outcome)
})

test.each<[string, HttpOutcome]>([
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['ECONNREFUSED', 'refused'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['EHOSTUNREACH', 'unreachable'],
  ['ETIMEDOUT', 'connect-timeout'],
  ['HPE_HEADER_OVERFLOW', 'protocol'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
  ['EPROTO', 'tls'],
  ['ABORT_ERR', 'aborted'],
  ['SOMETHING_ELSE', 'protocol'],
])('outcomeOfError: code %s is %s', (code, outcome) => {
  expect(outcomeOfError(Object.assign(new Error('failed'), { code }), false)).toBe(outcome)
})

test('outcomeOfError: timeout after connecting, is a response timeout', () => {
  expect(outcomeOfError(Object.assign(new Error('late'), { code: 'ETIMEDOUT' }), true)).toBe(
    'response-timeout',
  )
})

test('outcomeOfError: wrapped error, uses the code of the cause', () => {
  const cause = new AppError('forbidden', 'no', { code: 'EEGRESSBLOCKED' })
  expect(
    outcomeOfError(
      Object.assign(new Error('failed', { cause }), { code: 'ERR_GOT_REQUEST_ERROR' }),
      false,
    ),
  ).toBe('egress-blocked')
})

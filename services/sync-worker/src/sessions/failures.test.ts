import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { failureOf } from './failures.ts'

test('failureOf: authFailed has the response and code of the server', () => {
  const error = new AppError('unauthorized', 'The server refused the credentials', {
    code: 'AUTHENTICATIONFAILED',
    extras: { info: { response: 'NO [AUTHENTICATIONFAILED] nope' } },
  })
  expect(failureOf(error)).toEqual({
    kind: 'authFailed',
    error: {
      response: 'NO [AUTHENTICATIONFAILED] nope',
      serverResponseCode: 'AUTHENTICATIONFAILED',
      description: 'The server refused the credentials',
    },
  })
})

test('failureOf: connectFailed has the error code', () => {
  const error = new AppError('unreachable', 'connect ECONNREFUSED', { code: 'ECONNREFUSED' })
  expect(failureOf(error)).toEqual({
    kind: 'connectFailed',
    error: { response: 'connect ECONNREFUSED', serverResponseCode: 'ECONNREFUSED' },
  })
})

test('failureOf: undefined for internal failures', () => {
  for (const error of [
    new Error('pool'),
    new AppError('unavailable', 'no broker'),
    new AppError('timeout', 'late'),
  ])
    expect(failureOf(error)).toBeUndefined()
})

test('failureOf: truncates long responses', () => {
  const error = new AppError('rejected', 'x'.repeat(100_000))
  expect(failureOf(error)?.error.response).toHaveLength(1_000)
})

test.each([
  ['unreachable', 'ETokenRefresh'],
  ['unreachable', 'HTTPRequestError'],
  ['unreachable', 'UNAVAILABLE'],
  ['unreachable', 'LIMIT'],
  ['rejected', 'INUSE'],
  ['forbidden', 'EEGRESSBLOCKED'],
] as const)('%s with %s is a server that cannot be used, not a refusal', (kind, code) => {
  expect(failureOf(new AppError(kind, 'no', { code }))).toMatchObject({
    kind: 'connectFailed',
    error: { serverResponseCode: code },
  })
})

test('failureOf: the text of a provider whose status is passed through is the response', () => {
  const response = 'Mail service not enabled'
  const error = new AppError('provider', 'OAuth2 request failed', {
    status: 400,
    extras: { info: { response } },
  })
  expect(failureOf(error)).toEqual({
    kind: 'connectFailed',
    error: { response, description: 'OAuth2 request failed' },
  })
})

test('failureOf: "authenticated but not connected" is ambiguous', () => {
  const response = 'User is authenticated but not connected.'
  const error = new AppError('unauthorized', 'refused', { extras: { info: { response } } })
  expect(failureOf(error)).toMatchObject({ kind: 'authFailed', ambiguous: true })
})

test('failureOf: a rejected grant has the tokenRequest', () => {
  const tokenRequest = { url: 'https://id.example/token', grant: 'refresh_token', status: 400 }
  const error = new AppError('unauthorized', 'Token has been revoked', {
    code: 'OauthRenewError',
    extras: { info: { tokenRequest } },
  })
  expect(failureOf(error)).toEqual({
    kind: 'authFailed',
    error: {
      response: 'Token has been revoked',
      serverResponseCode: 'OauthRenewError',
      tokenRequest,
    },
  })
})

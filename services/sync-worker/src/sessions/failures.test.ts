import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { failureOf } from './failures.ts'

test('refused credentials carry the answer and the code of the server', () => {
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

test('a server that cannot be reached is told by its error code', () => {
  const error = new AppError('unreachable', 'connect ECONNREFUSED', { code: 'ECONNREFUSED' })
  expect(failureOf(error)).toEqual({
    kind: 'connectFailed',
    error: { response: 'connect ECONNREFUSED', serverResponseCode: 'ECONNREFUSED' },
  })
})

test('trouble of our own says nothing about the account', () => {
  for (const error of [
    new Error('pool'),
    new AppError('unavailable', 'no broker'),
    new AppError('timeout', 'late'),
  ])
    expect(failureOf(error)).toBeUndefined()
})

test('a long answer is cut', () => {
  const error = new AppError('rejected', 'x'.repeat(100_000))
  expect(failureOf(error)?.error.response).toHaveLength(1_000)
})

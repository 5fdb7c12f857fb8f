import { expect, test } from '@jest/globals'
import { AppError, type ErrorKind } from '@posthorn/errors'
import { describeProblem } from './problems.ts'

test.each<[ErrorKind, number, string]>([
  ['invalid', 400, 'Bad Request'],
  ['unauthorized', 401, 'Unauthorized'],
  ['forbidden', 403, 'Forbidden'],
  ['not-found', 404, 'Not Found'],
  ['too-large', 413, 'Payload Too Large'],
  ['unprocessable', 422, 'Unprocessable Entity'],
  ['rate-limited', 429, 'Too Many Requests'],
  ['internal', 500, 'Internal Server Error'],
  ['rejected', 400, 'Bad Request'],
  ['unreachable', 503, 'Service Unavailable'],
  ['unavailable', 503, 'Service Unavailable'],
  ['stale', 503, 'Service Unavailable'],
  ['timeout', 504, 'Gateway Timeout'],
])('describeProblem: kind %s has status %i', (kind, statusCode, error) => {
  expect(describeProblem(new AppError(kind, 'why'))).toEqual({
    status: statusCode,
    body: { statusCode, error, message: 'why' },
  })
})

test('describeProblem: code and extras are members of the body', () => {
  const error = new AppError('unavailable', 'not yet', {
    code: 'NotYetConnected',
    extras: { state: 'init' },
  })
  expect(describeProblem(error).body).toEqual({
    statusCode: 503,
    error: 'Service Unavailable',
    message: 'not yet',
    code: 'NotYetConnected',
    state: 'init',
  })
})

test('describeProblem: codes UploadFail and OAuthTokenRejected override the status', () => {
  expect(describeProblem(new AppError('rejected', '', { code: 'UploadFail' })).status).toBe(502)
  expect(describeProblem(new AppError('rejected', '', { code: 'OAuthTokenRejected' })).status).toBe(
    403,
  )
})

test('describeProblem: an error other than AppError becomes a generic 500', () => {
  const generic = {
    status: 500,
    body: { statusCode: 500, error: 'Internal Server Error', message: 'Internal Server Error' },
  }
  expect(describeProblem(new Error('password of db.internal is wrong'))).toEqual(generic)
  expect(describeProblem('text')).toEqual(generic)
  expect(describeProblem(undefined)).toEqual(generic)
  expect(describeProblem(Object.assign(new Error('x'), { status: 599 }))).toEqual(generic)
})

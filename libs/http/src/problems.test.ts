import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { expect, test } from '@jest/globals'
import { AppError, type ErrorKind } from '@posthorn/errors'
import type { Logger } from '@posthorn/telemetry'
import { createProblemSender, describeProblem } from './problems.ts'

test.each<[Exclude<ErrorKind, 'provider'>, number, string]>([
  ['invalid', 400, 'Bad Request'],
  ['unauthorized', 401, 'Unauthorized'],
  ['forbidden', 403, 'Forbidden'],
  ['not-found', 404, 'Not Found'],
  ['gone', 410, 'Gone'],
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

test.each([
  [400, 400],
  [403, 403],
  [412, 412],
  [413, 413],
  [500, 500],
  [503, 503],
  [409, 400],
  [401, 403],
  [407, 503],
  [200, 503],
  [302, 503],
  [999, 503],
  [Number.NaN, 503],
  [undefined, 503],
])('describeProblem: provider status %s is passed as %i without a code', (status, statusCode) => {
  const error = new AppError('provider', 'OAuth2 request failed', { status })
  const { body } = describeProblem(error)
  expect(body).toEqual({ statusCode, error: STATUS_CODES[statusCode], message: error.message })
})

test('createProblemSender: a 500 of a provider is not logged as an error of the service', () => {
  const logged: unknown[] = []
  const record = (...args: unknown[]) => void logged.push(args)
  const send = createProblemSender({ error: record, warn: record } as unknown as Logger)
  const response = { getHeader: () => undefined, setHeader: () => undefined, end: () => undefined }
  const respond = (error: unknown) => send({} as IncomingMessage, response as never, error)
  respond(new AppError('provider', 'OAuth2 request failed', { status: 500 }))
  expect(logged).toEqual([])
  respond(new AppError('internal', 'no'))
  expect(logged).toHaveLength(1)
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

import { expect, test } from '@jest/globals'
import { PosthornConnectionError, PosthornError } from '@posthorn/client/create-client'
import {
  describeError,
  describeStale,
  InputError,
  isTemporary,
  lastFailure,
  matchingTotal,
  viewOf,
} from './load-state.ts'

const refused = (status: number, problem = {}) =>
  new PosthornError(
    'listAccounts',
    new Response('', { status, headers: { 'x-request-id': 'r1' } }),
    {
      statusCode: status,
      error: 'x',
      message: 'the text',
      ...problem,
    },
  )

test.each([
  [undefined, null, 'loading'],
  [undefined, new Error('x'), 'error'],
  [[], null, 'ready'],
  [[], new Error('x'), 'stale'],
])('viewOf: data %p with error %p is %s', (data, error, expected) => {
  expect(viewOf({ data, error })).toBe(expected)
})

test('viewOf: data whose live updates are interrupted is stale, missing data is loading', () => {
  expect(viewOf({ data: 1, error: null, isDisconnected: true })).toBe('stale')
  expect(viewOf({ data: undefined, error: null, isDisconnected: true })).toBe('loading')
})

test('matchingTotal: is unknown without data, and while data of other filters is shown', () => {
  expect(matchingTotal({ data: { total: 7 } })).toBe(7)
  expect(matchingTotal({ data: { total: 7 }, isPrevious: false })).toBe(7)
  expect(matchingTotal({ data: { total: 7 }, isPrevious: true })).toBeUndefined()
  expect(matchingTotal({ data: undefined, isPrevious: false })).toBeUndefined()
})

test('lastFailure: while a load without data is repeated, the last error stays', () => {
  const failure = { key: 'a', error: new Error('first') }
  const pending = { key: 'a', error: null, hasData: false }
  expect(lastFailure(undefined, pending)).toBeUndefined()
  expect(lastFailure(undefined, { ...pending, error: failure.error })).toEqual(failure)
  expect(lastFailure(failure, pending)).toBe(failure)
  const later = new Error('second')
  expect(lastFailure(failure, { ...pending, error: later })?.error).toBe(later)
})

test('lastFailure: loaded data and another key end the failure', () => {
  const failure = { key: 'a', error: new Error('first') }
  expect(lastFailure(failure, { key: 'a', error: null, hasData: true })).toBeUndefined()
  expect(lastFailure(failure, { key: 'b', error: null, hasData: false })).toBeUndefined()
})

test('describeStale: the error has precedence over interrupted live updates', () => {
  expect(describeStale({ error: null })).toMatchObject({ title: 'Disconnected' })
  expect(describeStale({ error: refused(503, {}) })).toMatchObject({
    title: 'The server cannot answer',
  })
})

test('describeError: shows message, code, request id and the required role', () => {
  expect(describeError(refused(403, { code: 'Forbidden', requiredRole: 'owner' }))).toEqual({
    title: 'Not permitted',
    message: 'the text (role owner)',
    code: 'Forbidden',
    requestId: 'r1',
  })
})

test('describeError: an error of the browser shows its text only', () => {
  expect(describeError(new InputError('The payload is empty.'))).toEqual({
    title: 'Not possible',
    message: 'The payload is empty.',
  })
})

test('describeError: an unreachable server is shown as disconnected', () => {
  const error = new PosthornConnectionError('listAccounts', new TypeError('fetch failed'))
  expect(describeError(error)).toMatchObject({ title: 'Disconnected' })
})

test.each([
  [refused(503), true],
  [refused(404), false],
  [refused(401), false],
  [new PosthornConnectionError('x', 'y'), true],
  [new Error('x'), false],
])('isTemporary: %s is %s', (error, expected) => {
  expect(isTemporary(error)).toBe(expected)
})

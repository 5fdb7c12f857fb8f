import { describe, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { consentFailureIn, consentFailureOf, isCancelled } from './consent-failure.ts'

const read = (query: Record<string, string>) => consentFailureIn(new URLSearchParams(query))

describe('consentFailureIn', () => {
  test('without an error, undefined', () => expect(read({ code: 'x' })).toBeUndefined())

  test('admin consent required: code of Microsoft, first line and remedy', () =>
    expect(
      read({
        error: 'access_denied',
        error_description: 'AADSTS90094: The grant requires admin permission.\r\nTrace ID: 1',
      }),
    ).toEqual({
      error: 'access_denied',
      description: 'AADSTS90094: The grant requires admin permission.',
      code: 'AADSTS90094',
      remedy: expect.stringContaining('administrator'),
    }))

  test('cancelled by the user: no remedy', () =>
    expect(read({ error: 'access_denied' })).toEqual({ error: 'access_denied' }))

  test.each(['constructor', '__proto__', 'toString'])('error %s: no remedy', (error) =>
    expect(read({ error })).toEqual({ error }),
  )

  test('a text that is cut within a character is well-formed', () => {
    const failure = read({ error: 'x', error_description: `${'c'.repeat(999)}😀` })
    expect(failure?.description?.isWellFormed()).toBe(true)
  })

  test('control characters and long texts are cut', () => {
    const failure = read({ error: '\u0000x\u202e', error_description: `a\tb${'c'.repeat(9_999)}` })
    expect(failure?.error).toBe('x')
    expect(failure?.description).toMatch(/^a b/)
    expect(failure?.description?.length).toBe(1_000)
    expect(read({ error: '' })).toEqual({ error: 'unknown_error' })
  })
})

describe('consentFailureOf', () => {
  test('rejection by the token endpoint: its code and text', () => {
    const extras = { info: { tokenRequest: { code: 'invalid_client' } } }
    const error = new AppError('rejected', 'AADSTS7000222: expired', { extras })
    expect(consentFailureOf(error)).toMatchObject({
      error: 'invalid_client',
      code: 'AADSTS7000222',
      remedy: expect.stringContaining('operator'),
    })
  })

  test('other failures, undefined', () => {
    expect(consentFailureOf(new AppError('unreachable', 'x'))).toBeUndefined()
    expect(consentFailureOf(new Error('x'))).toBeUndefined()
    const own = new AppError('rejected', 'The stored login is for another server', {
      code: 'AuthenticationFails',
    })
    expect(consentFailureOf(own)).toBeUndefined()
  })
})

test.each([
  ['without a description', { error: 'access_denied' }, true],
  ['at Microsoft', { error: 'access_denied', error_description: 'AADSTS65004: declined' }, true],
  ['admin approval', { error: 'access_denied', error_description: 'AADSTS90094: admin' }, false],
  ['another error', { error: 'server_error' }, false],
])('isCancelled: %s', (_what, query, expected) => {
  const failure = read(query)
  expect(failure && isCancelled(failure)).toBe(expected)
})

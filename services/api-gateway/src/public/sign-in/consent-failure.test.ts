import { describe, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { consentFailureIn, consentFailureOf } from './consent-failure.ts'

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
  })
})

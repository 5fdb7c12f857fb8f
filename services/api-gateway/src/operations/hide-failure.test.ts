import { expect, test } from '@jest/globals'
import type { LastError } from '@posthorn/contracts/schemas/account'
import type { OutboxError } from '@posthorn/db'
import type { Token } from '../store/access/tokens.ts'
import { visibleFailure, visibleLastError } from './hide-failure.ts'

const tokenOf = (part: Partial<Token>) =>
  ({ token: { account: null, permissions: null, ...part } as Token }) as const
const bound = tokenOf({ account: 'own' })
const limited = tokenOf({ permissions: { actions: ['read'] } } as Partial<Token>)
const readers = [bound, limited]
const unlimited = [tokenOf({}), { token: null }]

test.each<[string, LastError]>([
  ['closed port', { response: 'x ECONNREFUSED', serverResponseCode: 'ECONNREFUSED' }],
  ['silent port', { response: 'timed out', serverResponseCode: 'ETIMEDOUT' }],
  ['forbidden port', { response: 'not allowed', serverResponseCode: 'EEGRESSBLOCKED' }],
  ['other service', { response: 'x', serverResponseCode: 'ParserErrorExchange' }],
  ['certificate', { response: 'x', serverResponseCode: 'DEPTH_ZERO_SELF_SIGNED_CERT' }],
  [
    'wrong protocol',
    { response: 'wrong version number', description: 'x', serverResponseCode: 'EPROTO' },
  ],
  ['goodbye', { response: 'a banner', description: 'closed: a banner', serverResponseCode: 'BYE' }],
  ['no code', { response: 'a text' }],
])('visibleLastError: %s, is hidden from bound and limited tokens', (_case, lastError) => {
  for (const reader of readers)
    expect(visibleLastError(lastError, reader)).toEqual({
      response: 'The mail server cannot be used',
      serverResponseCode: 'ECONNECTION',
    })
  for (const reader of unlimited) expect(visibleLastError(lastError, reader)).toBe(lastError)
})

test.each<[string, LastError | null]>([
  ['no error', null],
  ['authentication server', { response: 'x', serverResponseCode: 'HTTPRequestError' }],
  ['deleted application', { response: 'x', serverResponseCode: 'AppNotFound' }],
])('visibleLastError: %s, is visible to all', (_case, lastError) => {
  for (const reader of [...readers, ...unlimited])
    expect(visibleLastError(lastError, reader)).toBe(lastError)
})

test.each<[string, LastError]>([
  ['rejected login', { response: 'NO', serverResponseCode: 'AUTHENTICATIONFAILED' }],
  ['reply', { response: 'Busy', description: 'refused: Busy', serverResponseCode: 'UNAVAILABLE' }],
  ['reply without a code', { response: 'Busy', description: 'refused: Busy' }],
])('visibleLastError: %s, bound and limited tokens read its code only', (_case, lastError) => {
  const { serverResponseCode } = lastError
  for (const reader of readers)
    expect(visibleLastError(lastError, reader)).toEqual({
      response: 'The mail server rejected the login',
      ...(serverResponseCode && { serverResponseCode }),
    })
  for (const reader of unlimited) expect(visibleLastError(lastError, reader)).toBe(lastError)
})

test('visibleFailure: rejected login, bound and limited tokens read its codes only', () => {
  for (const command of ['AUTH', 'AUTH PLAIN']) {
    const codes = { code: 'EAUTH', responseCode: 535, command }
    const failure = { message: 'Invalid login: 535 at mx', response: '535 at mx', ...codes }
    for (const reader of readers)
      expect(visibleFailure(failure, reader)).toEqual({
        message: 'The mail server rejected the login',
        ...codes,
      })
    for (const reader of unlimited) expect(visibleFailure(failure, reader)).toBe(failure)
  }
})

test('visibleFailure: failed connection, is hidden from bound and limited tokens', () => {
  const failed: OutboxError[] = [
    { message: 'ECONNREFUSED', code: 'ECONNREFUSED', command: 'CONN' },
    { message: 'No reply to EHLO in time', code: 'ETIMEDOUT', command: 'EHLO' },
    { message: 'no', code: 'EPROTOCOL', responseCode: 554, response: '554 no', command: 'EHLO' },
    { message: 'FTP', code: 'EPROTOCOL', responseCode: 220, response: '220 FTP', command: 'CONN' },
    { message: 'TLS failed: wrong version number', code: 'ETLS', command: 'STARTTLS' },
    { message: 'not allowed', code: 'EEGRESSBLOCKED' },
  ]
  for (const failure of failed) {
    for (const reader of readers)
      expect(visibleFailure(failure, reader)).toEqual({
        message: 'The mail server cannot be used',
        code: 'ECONNECTION',
      })
    for (const reader of unlimited) expect(visibleFailure(failure, reader)).toBe(failure)
  }
})

test('visibleFailure: reply or local cause, is visible to all', () => {
  const shown: (OutboxError | null)[] = [
    null,
    { message: 'no', code: 'EENVELOPE', responseCode: 550, response: '550 no', command: 'RCPT TO' },
    { message: 'The account has no SMTP configuration', code: 'SMTPUnavailable' },
  ]
  for (const failure of shown)
    for (const reader of [...readers, ...unlimited])
      expect(visibleFailure(failure, reader)).toBe(failure)
})

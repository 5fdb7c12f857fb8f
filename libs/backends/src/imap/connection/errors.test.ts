import { expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { commandError, connectError } from './errors.ts'

function failure(properties: object): Error {
  return Object.assign(new Error('Command failed'), properties)
}

function login(text: string, code?: string): AppError {
  return connectError(
    failure({
      authenticationFailed: true,
      responseStatus: 'NO',
      response: text,
      ...(code ? { serverResponseCode: code } : {}),
    }),
  )
}

test.each([
  ['Invalid credentials', 'AUTHENTICATIONFAILED', 'unauthorized', 'AUTHENTICATIONFAILED'],
  ['Lookup failed', 'AUTHORIZATIONFAILED', 'unauthorized', 'AUTHORIZATIONFAILED'],
  ['Please log in via your web browser', 'ALERT', 'unauthorized', 'ALERT'],
  ['LOGIN failed.', undefined, 'unauthorized', 'AUTHENTICATIONFAILED'],
  ['Too many simultaneous connections. (Failure)', 'ALERT', 'unreachable', 'ALERT'],
  [
    'Maximum number of connections from user+IP exceeded',
    'UNAVAILABLE',
    'unreachable',
    'UNAVAILABLE',
  ],
  ['LOGIN Server error - Please try again later', 'SERVERBUG', 'unreachable', 'SERVERBUG'],
  ['Rate limit hit', 'LIMIT', 'unreachable', 'LIMIT'],
  ['Account exceeded command or bandwidth limits.', 'OVERQUOTA', 'unreachable', 'OVERQUOTA'],
  ['in use', 'INUSE', 'unreachable', 'INUSE'],
  ['Temporary System Error', undefined, 'unreachable', 'UNAVAILABLE'],
])('connectError: login rejected with %j %s, is %s', (text, code, ...[kind, expected]) => {
  expect(login(text, code)).toMatchObject({
    kind,
    code: expected,
    extras: { info: { response: text } },
  })
})

test.each([
  ['ECONNREFUSED', 'ECONNREFUSED'],
  ['ENOTFOUND', 'ENOTFOUND'],
  ['CERT_HAS_EXPIRED', 'CERT_HAS_EXPIRED'],
  ['CONNECT_TIMEOUT', 'ETIMEDOUT'],
  ['ClosedAfterConnectTLS', 'ECONNRESET'],
])('connectError: %s, is unreachable %s', (code, expected) => {
  expect(connectError(failure({ code }))).toMatchObject({ kind: 'unreachable', code: expected })
})

test.each([
  ['connect ECONNREFUSED 10.1.2.3:993', 'ECONNREFUSED', 'ECONNREFUSED'],
  ['Server returned an error: SSH-2.0-x', 'ParserErrorExchange', 'ParserErrorExchange'],
  ["Host: a. is not in the cert's altnames: DNS:db.internal", 'ERR_TLS_CERT_ALTNAME_INVALID', ''],
  ['self-signed certificate; if the root CA …', 'SELF_SIGNED_CERT_IN_CHAIN', 'self-signed cert'],
])('connectError: %j, contains no text of the network', (message, code, reason) => {
  const error = connectError(Object.assign(new Error(message), { code }))
  expect(error.message).toContain(`The mail server cannot be reached: ${reason}`)
  expect(error.message).not.toMatch(/10\.1|SSH|internal|root CA/)
})

test('connectError: BYE, contains its text', () => {
  const error = connectError(
    failure({ code: 'ClosedAfterConnectText', reason: 'Too many connections' }),
  )
  expect(error).toMatchObject({
    kind: 'unreachable',
    code: 'BYE',
    extras: { info: { response: 'Too many connections' } },
  })
})

test('commandError: rejected command, keeps response code and text of each library format', () => {
  const parsed = { attributes: [{ section: [{ type: 'ATOM', value: 'alreadyexists' }] }] }
  const refusal = commandError(
    failure({ responseStatus: 'NO', responseText: 'Mailbox exists', response: parsed }),
  )
  expect(refusal).toMatchObject({
    kind: 'rejected',
    code: 'ALREADYEXISTS',
    extras: { info: { response: 'Mailbox exists', status: 'NO' } },
  })
})

test.each([
  [{ responseStatus: 'NO', mailboxMissing: true }, 'not-found', 'FolderNotFound'],
  [
    { responseStatus: 'NO', serverResponseCode: 'NONEXISTENT', response: 'Unknown Mailbox' },
    'not-found',
    'FolderNotFound',
  ],
  [
    { responseStatus: 'NO', serverResponseCode: 'SERVERBUG', response: 'oops' },
    'unreachable',
    'SERVERBUG',
  ],
  [
    { responseStatus: 'BAD', code: 'ETHROTTLE', responseText: 'Request is throttled' },
    'unreachable',
    'THROTTLED',
  ],
  [{ code: 'NoConnection' }, 'unreachable', 'ECONNRESET'],
  [{ code: 'LineTooLarge' }, 'unreachable', 'LineTooLarge'],
])('commandError: %j, is %s %s', (properties, kind, code) => {
  expect(commandError(failure(properties))).toMatchObject({ kind, code })
})

test('commandError: AppError, is returned unchanged', () => {
  const error = new AppError('stale', 'gone')
  expect(commandError(error)).toBe(error)
  expect(connectError(error)).toBe(error)
})

import { expect, test } from '@jest/globals'
import { events } from './events/index.ts'
import { hasTenantBody, tenantBody } from './visible-failures.ts'

const bodyOf = (event: string, data: object) =>
  JSON.stringify({ serviceUrl: null, account: 'a', date: 'now', event, data })
const dataOf = (event: string, data: object): unknown => {
  const body = tenantBody(event, bodyOf(event, data))
  return body === null ? data : (JSON.parse(body) as { data: unknown }).data
}
const hidden = { response: 'The mail server cannot be used', serverResponseCode: 'ECONNECTION' }

test.each(['connectError', 'authenticationError'])(
  'tenantBody: %s, without the reason of a failed connection, with the code of a rejected login',
  (event) => {
    for (const serverResponseCode of ['ECONNREFUSED', 'ENOTFOUND', 'EEGRESSBLOCKED', 'BYE'])
      expect(dataOf(event, { response: 'x', serverResponseCode })).toEqual(hidden)
    const response = 'The mail server rejected the login'
    for (const serverResponseCode of ['AUTHENTICATIONFAILED', 'LIMIT'])
      expect(dataOf(event, { response: 'x', serverResponseCode, description: 'x' })).toEqual({
        response,
        serverResponseCode,
      })
    expect(dataOf(event, { response: 'x', description: 'x' })).toEqual({ response })
    const shown = { response: 'x', serverResponseCode: 'ETokenRefresh' }
    expect(dataOf(event, shown)).toBe(shown)
  },
)

test('tenantBody: messageDeliveryError, hides what happened before the login', () => {
  const job = { id: 'q', attemptsMade: 1, attempts: 10, nextAttempt: false }
  const common = { queueId: 'q', messageId: '<1@x>', envelope: { from: 'a', to: ['b'] }, job }
  for (const failure of [
    { error: 'x ECONNREFUSED', errorCode: 'ECONNREFUSED', smtpCommand: 'CONN' },
    { error: 'x', smtpResponse: '220 FTP', smtpResponseCode: 220, smtpCommand: 'CONN' },
    { error: 'x', smtpResponse: '500 what?', smtpResponseCode: 500, smtpCommand: 'EHLO' },
  ])
    expect(dataOf('messageDeliveryError', { ...common, ...failure })).toEqual({
      ...common,
      error: 'The mail server cannot be used',
      errorCode: 'ECONNECTION',
    })
  const login = { smtpResponseCode: 535, smtpCommand: 'AUTH PLAIN' }
  expect(
    dataOf('messageDeliveryError', {
      ...common,
      error: 'Invalid login: 535 at mx.internal',
      errorCode: 'EAUTH',
      smtpResponse: '535 at mx.internal',
      ...login,
    }),
  ).toEqual({
    ...common,
    error: 'The mail server rejected the login',
    errorCode: 'EAUTH',
    ...login,
  })
  const local = { ...common, error: 'The account has no access token', errorCode: 'EAUTH' }
  expect(dataOf('messageDeliveryError', local)).toBe(local)
  const reply = { smtpResponse: '550 no', smtpResponseCode: 550, smtpCommand: 'RCPT TO' }
  const shown = { ...common, error: 'no', errorCode: 'EENVELOPE', ...reply }
  expect(dataOf('messageDeliveryError', shown)).toBe(shown)
})

test('tenantBody: messageFailed, shows errors after the greeting only', () => {
  const common = { queueId: 'q', messageId: '<1@x>' }
  for (const error of [
    'Invalid greeting. response=220 FTP',
    'Connection closed unexpectedly',
    'Connections to port 5432 are not allowed',
    'The mail server cannot be reached: ECONNREFUSED',
    'TLS failed: wrong version number',
  ])
    expect(dataOf('messageFailed', { ...common, error })).toEqual({
      ...common,
      error: 'The mail server cannot be used',
    })
  for (const error of [
    "Can't send mail - all recipients were rejected: 550 no",
    'Message failed: 554 no',
    'The account has no SMTP configuration',
  ])
    expect(dataOf('messageFailed', { ...common, error })).toEqual({ ...common, error })
  for (const [error, shown] of [
    ['Invalid login: 535 5.7.8 at mx.internal', 'The mail server rejected the login: 535'],
    ['Invalid login', 'The mail server rejected the login'],
  ])
    expect(dataOf('messageFailed', { ...common, error })).toEqual({ ...common, error: shown })
})

test('tenantBody: exportFailed, hides the reason of a failed connection and texts of the login', () => {
  const common = { exportId: 'exp_1', phase: 'indexing', messagesExported: 0, messagesQueued: 0 }
  const shown = (failure: object) => dataOf('exportFailed', { ...common, ...failure })
  const unusable = { error: 'The mail server cannot be used', errorCode: 'ECONNECTION' }
  for (const failure of [{ error: 'x', errorCode: 'ECONNREFUSED' }, { error: 'connect x' }])
    expect(shown(failure)).toEqual({ ...common, ...unusable })
  expect(shown({ error: 'x', errorCode: 'AUTHENTICATIONFAILED' })).toEqual({
    ...common,
    error: 'The mail server rejected the login',
    errorCode: 'AUTHENTICATIONFAILED',
  })
  const own = { error: 'The export made no progress', errorCode: 'ExportExpired' }
  expect(shown(own)).toEqual({ ...common, ...own })
})

test('hasTenantBody: events with texts of servers or errors, and no others', () => {
  const names = Object.keys(events).filter(hasTenantBody)
  expect(names.sort()).toEqual([
    'authenticationError',
    'connectError',
    'exportFailed',
    'messageDeliveryError',
    'messageFailed',
  ])
  expect(tenantBody('messageNew', bodyOf('messageNew', { error: 'ECONNREFUSED' }))).toBeNull()
  expect(hasTenantBody('toString')).toBe(false)
})

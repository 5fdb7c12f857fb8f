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
  'tenantBody: %s, without the reason of a failed connection, with replies to the login',
  (event) => {
    for (const serverResponseCode of ['ECONNREFUSED', 'ENOTFOUND', 'EEGRESSBLOCKED', 'BYE'])
      expect(dataOf(event, { response: 'x', serverResponseCode })).toEqual(hidden)
    for (const serverResponseCode of ['AUTHENTICATIONFAILED', 'LIMIT', 'ETokenRefresh']) {
      const shown = { response: 'x', serverResponseCode }
      expect(dataOf(event, shown)).toBe(shown)
    }
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
    'Invalid login: 535 no',
    'The account has no SMTP configuration',
  ])
    expect(dataOf('messageFailed', { ...common, error })).toEqual({ ...common, error })
})

test('hasTenantBody: events with texts of servers or errors, and no others', () => {
  const names = Object.keys(events).filter(hasTenantBody)
  expect(names.sort()).toEqual([
    'authenticationError',
    'connectError',
    'messageDeliveryError',
    'messageFailed',
  ])
  expect(tenantBody('messageNew', bodyOf('messageNew', { error: 'ECONNREFUSED' }))).toBeNull()
  expect(hasTenantBody('toString')).toBe(false)
})

import { expect, test } from '@jest/globals'
import { bodyOfForm, serversOfForm, valuesOfServers } from './account-body.ts'

test('bodyOfForm: servers found by autoconfig, with the email address as user', () => {
  const servers = valuesOfServers({
    imap: { host: 'imap.example.com', port: 993, secure: true },
    smtp: { host: 'smtp.example.com', port: 587, secure: false },
  })
  expect(bodyOfForm({ ...servers, name: 'Anna', email: 'a@example.com', password: 'p' })).toEqual({
    account: null,
    name: 'Anna',
    email: 'a@example.com',
    imap: {
      host: 'imap.example.com',
      port: 993,
      secure: true,
      auth: { user: 'a@example.com', pass: 'p' },
    },
    smtp: {
      host: 'smtp.example.com',
      port: 587,
      secure: false,
      auth: { user: 'a@example.com', pass: 'p' },
    },
  })
})

test('bodyOfForm: leaves out servers without a host', () => {
  expect(bodyOfForm({ account: 'anna', email: 'a@example.com', imapHost: '' })).toEqual({
    account: 'anna',
    name: '',
    email: 'a@example.com',
  })
  expect(valuesOfServers({ imap: false, smtp: false })).toEqual({})
})

test('serversOfForm: has no members that the test of a login refuses', () => {
  const values = { account: 'anna', email: 'a@example.com', imapHost: 'h', imapPort: '993' }
  expect(Object.keys(serversOfForm(values))).toEqual(['imap'])
})

import { expect, test } from '@jest/globals'
import type { AccountRecord } from '../../../data/accounts.ts'
import {
  accountFields,
  testOf,
  textsOfAccount,
  updateOf,
  withoutSecrets,
} from './account-fields.ts'

const record = {
  account: 'anna',
  name: 'Anna',
  email: 'anna@example.com',
  path: ['INBOX', '\\Sent'],
  imap: {
    host: 'imap.example.com',
    port: 993,
    secure: true,
    auth: { user: 'anna', pass: '******' },
    tls: { rejectUnauthorized: false },
  },
  smtp: { host: 'smtp.example.com', port: 465, auth: { user: 'anna', accessToken: '******' } },
} as unknown as AccountRecord
const before = textsOfAccount(record)
const change = (texts: Record<string, string>) => updateOf(record, before, { ...before, ...texts })

test('accountFields: each member is in the contract, with its meaning', () => {
  expect(accountFields.filter(({ description }) => description === '')).toEqual([])
  const kinds = Object.fromEntries(accountFields.map(({ key, kind }) => [key, kind]))
  expect(kinds).toMatchObject({
    name: 'text',
    path: 'list',
    paused: 'flag',
    'imap.port': 'number',
    'imap.secure': 'flag',
    'smtp.auth.pass': 'secret',
  })
})

test('textsOfAccount: lists have one line each, secrets are empty', () => {
  expect(before).toMatchObject({
    name: 'Anna',
    path: 'INBOX\n\\Sent',
    'imap.port': '993',
    'imap.secure': 'true',
    'imap.auth.pass': '',
    webhooks: '',
  })
})

test('updateOf: without changes, there is no request', () => {
  expect(change({})).toBeUndefined()
})

test('updateOf: only changed members are sent, an empty field removes its value', () => {
  expect(change({ name: 'Anna B', path: '', paused: 'true', copy: 'false' })).toEqual({
    name: 'Anna B',
    path: null,
    paused: true,
    copy: false,
  })
  expect(change({ 'imap.port': '143', 'imap.secure': 'false' })).toEqual({
    imap: { partial: true, port: 143, secure: false },
  })
})

test('updateOf: a login keeps its stored secret, unless a new password is entered', () => {
  expect(change({ 'imap.auth.user': 'b' })).toEqual({
    imap: { partial: true, auth: { user: 'b', pass: '******' } },
  })
  expect(change({ 'smtp.auth.user': 'b' })).toEqual({
    smtp: { partial: true, auth: { user: 'b', accessToken: '******' } },
  })
  expect(change({ 'smtp.auth.pass': 'new' })).toEqual({
    smtp: { partial: true, auth: { user: 'anna', pass: 'new' } },
  })
})

test('testOf: tests the servers whose passwords are entered, with their TLS options', () => {
  expect(testOf(record, before)).toBeUndefined()
  const texts = { ...before, 'imap.auth.pass': 'p', proxy: 'socks5://***:***@proxy.example' }
  expect(testOf(record, texts)).toEqual({
    imap: {
      host: 'imap.example.com',
      port: 993,
      secure: true,
      auth: { user: 'anna', pass: 'p' },
      tls: { rejectUnauthorized: false },
    },
  })
  expect(withoutSecrets(texts)['imap.auth.pass']).toBe('')
})

import { expect, test } from '@jest/globals'
import type { AccountUpdate } from '@posthorn/contracts/schemas/account'
import { AppError } from '@posthorn/errors'
import type { LockedAccount } from '../store/accounts/accounts.ts'
import { planUpdate } from './update.ts'

const stored: LockedAccount = {
  backend: 'imap',
  email: 'me@mail.example',
  imap: {
    host: 'imap.mail.example',
    port: 993,
    secure: true,
    auth: { user: 'me' },
    sentMailPath: 'Gone out',
  },
  smtp: { host: 'smtp.mail.example', port: 465, secure: true, auth: { user: 'me' } },
  oauth2: null,
  path: ['INBOX'],
  subconnections: null,
  webhooks: 'https://u:hush@hooks.example/',
  webhooksCustomHeaders: null,
  notifyFrom: new Date('2026-01-01T00:00:00Z'),
  proxy: 'socks5://u:hush@proxy.example:1080',
  smtpEhloName: null,
  logs: false,
  paused: false,
  createdAt: new Date('2026-01-01T00:00:00Z'),
  expectedEmail: null,
  tenantSet: [],
  passwords: ['imap', 'smtp'],
}

const plan = (body: AccountUpdate) => planUpdate(body, stored)
const column = (body: AccountUpdate, name: 'imap' | 'smtp') =>
  JSON.parse(String(plan(body).columns[name])) as object

function refused(body: AccountUpdate): string[] {
  try {
    plan(body)
  } catch (error) {
    return (error as AppError).extras.fields?.map(({ path }) => path) ?? []
  }
  return []
}

test('planUpdate: a partial server keeps absent fields and the password', () => {
  const body = { imap: { partial: true, port: 143, secure: false } }
  expect(column(body, 'imap')).toEqual({ ...stored.imap, port: 143, secure: false })
  expect(plan(body)).toMatchObject({ passwords: [], restarts: true })
})

test('planUpdate: a complete server replaces the stored one', () => {
  const auth = { user: 'other', pass: 'new' }
  const body = { imap: { host: 'imap.mail.example', port: 993, auth } }
  expect(column(body, 'imap')).toEqual({
    host: 'imap.mail.example',
    port: 993,
    secure: false,
    auth: { user: 'other' },
  })
  expect(plan(body).passwords).toEqual([{ kind: 'imap', seal: 'new' }])
  expect(refused({ imap: { port: 993 } })).toEqual(['imap.host', 'imap.auth'])
})

test('planUpdate: a masked password with another host is rejected', () => {
  const masked = { user: 'me', pass: '******' }
  const elsewhere = { host: 'evil.example', port: 993 }
  expect(refused({ imap: { partial: true, host: 'evil.example' } })).toEqual(['imap.auth.pass'])
  expect(refused({ imap: { ...elsewhere, auth: masked } })).toEqual(['imap.auth.pass'])
  expect(refused({ smtp: { partial: true, host: 'imap.mail.example' } })).toEqual([
    'smtp.auth.pass',
  ])
  expect(refused({ imap: { partial: true, host: 'IMAP.mail.example' } })).toEqual([])
  const auth = { user: 'me', pass: 'new' }
  expect(refused({ imap: { partial: true, host: 'other.example', auth } })).toEqual([])
})

test('planUpdate: a new user needs a password, which may be the masked stored one', () => {
  expect(refused({ imap: { partial: true, auth: { user: 'you' } } })).toEqual(['imap.auth.pass'])
  expect(refused({ imap: { partial: true, auth: { user: 'me' } } })).toEqual([])
  const body = { imap: { partial: true, auth: { user: 'you', pass: '******' } } }
  expect(column(body, 'imap')).toMatchObject({ auth: { user: 'you' } })
  expect(plan(body).passwords).toEqual([])
})

test('planUpdate: a login and useAuthServer replace each other', () => {
  const server = plan({ imap: { partial: true, useAuthServer: true } })
  expect(JSON.parse(String(server.columns.imap))).not.toHaveProperty('auth')
  expect(server.passwords).toEqual([{ kind: 'imap', forget: true }])
  const back = planUpdate(
    { imap: { partial: true, auth: { user: 'me', pass: 'new' } } },
    { ...stored, imap: { host: 'imap.mail.example', port: 993, useAuthServer: true } },
  )
  expect(JSON.parse(String(back.columns.imap))).toMatchObject({
    useAuthServer: false,
    auth: { user: 'me' },
  })
})

test('planUpdate: false removes a server, null and empty text remove other values', () => {
  expect(plan({ imap: false, smtp: false })).toMatchObject({
    columns: { imap: null, smtp: null },
    passwords: [
      { kind: 'imap', forget: true },
      { kind: 'smtp', forget: true },
    ],
    restarts: true,
  })
  expect(
    plan({ expectedEmail: null, path: null, proxy: '', webhooks: '', smtpEhloName: null }).columns,
  ).toEqual({ expectedEmail: null, path: null, proxy: null, webhooks: null, smtpEhloName: null })
  expect(column({ imap: { partial: true, sentMailPath: null } }, 'imap')).toMatchObject({
    sentMailPath: null,
  })
})

test('planUpdate: masked URLs keep the stored ones', () => {
  const body = {
    webhooks: 'https://u:******@hooks.example/',
    proxy: 'socks5://u:******@proxy.example:1080',
  }
  expect(plan(body)).toMatchObject({
    columns: { webhooks: stored.webhooks, proxy: stored.proxy },
    restarts: false,
  })
  expect(refused({ proxy: 'socks5://u:******@other.example:1080' })).toEqual(['proxy'])
})

test.each<[string, AccountUpdate, boolean]>([
  ['nothing', {}, false],
  ['a name', { name: 'New' }, false],
  ['webhooks', { webhooks: 'https://other.example/' }, false],
  ['the same server again', { imap: { partial: true, port: 993 } }, false],
  ['the same paths again', { path: ['INBOX'] }, false],
  ['other paths', { path: ['INBOX', '\\Sent'] }, true],
  ['subconnections', { subconnections: ['\\Sent'] }, true],
  ['a password', { smtp: { partial: true, auth: { user: 'me', pass: 'new' } } }, true],
  ['a proxy', { proxy: 'http://proxy.example:3128' }, true],
  ['logs', { logs: true }, true],
  ['paused', { paused: true }, true],
  ['the same date', { notifyFrom: '2026-01-01' }, false],
  ['another date', { notifyFrom: '2026-01-02' }, true],
])('planUpdate: %s, restarts the sessions: %s', (...[, body, restarts]) => {
  expect(plan(body).restarts).toBe(restarts)
})

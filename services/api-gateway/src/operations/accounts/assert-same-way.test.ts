import { expect, test } from '@jest/globals'
import { assertMailServerUnchanged } from './assert-same-way.ts'

const bound = { account: 'own' }
const imap = { host: 'imap.mail.example', port: 143, secure: false }
const byPassword = { imap, smtp: null, proxy: null, passwords: ['imap'] }
const byAuthServer = { ...byPassword, imap: { ...imap, useAuthServer: true }, passwords: [] }

const attempt = (before: typeof byPassword, server: object | null, more: object = {}) => {
  const columns = { ...(server ? { imap: JSON.stringify(server) } : {}), ...more }
  return () => assertMailServerUnchanged(bound, before, { columns, passwords: [] })
}

test.each<[string, object | null, object]>([
  ['by a proxy', null, { proxy: 'socks5://evil.example' }],
  ['to any certificate', { ...imap, tls: { rejectUnauthorized: false } }, {}],
  ['to another port', { ...imap, port: 1143 }, {}],
  ['to another host', { ...imap, host: 'evil.example' }, {}],
])(
  'a login that is stored, or fetched, goes by no account-bound token %s',
  (_what, server, more) => {
    const fetched = server && { ...server, useAuthServer: true }
    expect(attempt(byPassword, server, more)).toThrow('Unauthorized account')
    expect(attempt(byAuthServer, fetched, more)).toThrow('Unauthorized account')
    const columns = { ...(server ? { imap: JSON.stringify(server) } : {}), ...more }
    const sealed = [{ kind: 'imap', seal: 'new' }] as const
    for (const [token, passwords] of [
      [bound, sealed],
      [null, []],
      [{ account: null }, []],
    ] as const)
      expect(() =>
        assertMailServerUnchanged(token, byPassword, { columns, passwords }),
      ).not.toThrow()
  },
)

test('and is not to be fetched where it was not', () => {
  expect(attempt(byPassword, { ...imap, useAuthServer: true })).toThrow('Unauthorized account')
})

test('what leads nowhere else is free', () => {
  expect(attempt(byPassword, { ...imap, host: 'IMAP.mail.example', resyncDelay: 1 })).not.toThrow()
  expect(attempt({ ...byPassword, passwords: [] }, { ...imap, port: 993 })).not.toThrow()
})

import { expect, test } from '@jest/globals'
import { destinationOf, permits, type RegisteredServer } from './destination.ts'

const server: RegisteredServer = { host: 'Imap.mail.example', port: 143 }
const open = { ...server, tls: { rejectUnauthorized: false } }
const plain = { ...server, tls: { requireStartTls: false } }
const login = { user: 'me' }

test.each<[string, RegisteredServer, object, boolean]>([
  ['the same server', server, {}, true],
  ['the same host in lower case', { ...server, host: 'imap.mail.example' }, {}, true],
  ['another host', { ...server, host: 'evil.example' }, {}, false],
  ['another port', { ...server, port: 1143 }, {}, false],
  ['another user', server, { user: 'you' }, false],
  ['TLS from the start', { ...server, secure: true }, {}, true],
  ['no encryption', plain, {}, false],
  ['no check of the certificate', open, {}, false],
  ['an older TLS version', { ...server, tls: { minVersion: 'TLSv1' } }, {}, false],
  ['a newer TLS version', { ...server, tls: { minVersion: 'TLSv1.3' } }, {}, true],
  ['a proxy', server, { proxy: 'socks5://evil.example' }, true],
])('permits: password for a verified server and %s, %s', (...[, actual, changed, allowed]) => {
  const bound = destinationOf(server, login)
  expect(permits(bound, destinationOf(actual, { ...login, ...changed }))).toBe(allowed)
})

test('permits: server with TLS from the start and STARTTLS, false', () => {
  const bound = destinationOf({ ...server, secure: true }, login)
  expect(permits(bound, destinationOf(server, login))).toBe(false)
})

test.each([
  ['an unverified', open],
  ['an unencrypted', plain],
])('permits: %s server, only through the same proxy', (_kind, actual) => {
  const bound = destinationOf(actual, { ...login, proxy: 'socks5://u:sealed~x@proxy.example:1080' })
  const through = (proxy: string | null) =>
    permits(bound, destinationOf(actual, { ...login, proxy }))
  expect(through('socks5://u:sealed~y@proxy.example:1080')).toBe(true)
  expect(through('socks5://evil.example:1080')).toBe(false)
  expect(through(null)).toBe(false)
})

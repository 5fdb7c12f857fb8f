import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from '@jest/globals'
import { clientAddress, createKnownHosts, isCrossOrigin, readBearerToken } from './authenticate.ts'

test.each([
  ['Bearer abc', undefined, 'abc'],
  ['bearer   abc  ', undefined, 'abc'],
  [undefined, 'abc', 'abc'],
  ['Bearer abc', 'def', 'abc'],
  ['Basic abc', undefined, undefined],
  ['Bearer', undefined, undefined],
  ['Bearer a b', undefined, undefined],
  [undefined, ['a', 'b'], undefined],
  [undefined, '', undefined],
])(
  'readBearerToken: Authorization %j and access_token %j, %j',
  (authorization, parameter, expected) => {
    expect(readBearerToken(authorization === undefined ? {} : { authorization }, parameter)).toBe(
      expected,
    )
  },
)

const proxies = ['10.0.0.0/8', '::1']

test.each([
  ['a client that is no proxy', '192.0.2.1', '198.51.100.1', proxies, '192.0.2.1'],
  ['no trusted proxy', '10.0.0.1', '198.51.100.1', [], '10.0.0.1'],
  ['a proxy without X-Forwarded-For', '10.0.0.1', undefined, proxies, '10.0.0.1'],
  ['one proxy', '10.0.0.1', '198.51.100.1', proxies, '198.51.100.1'],
  ['two proxies', '::1', '198.51.100.1, 10.0.0.2', proxies, '198.51.100.1'],
  [
    'a client with a forged X-Forwarded-For',
    '10.0.0.1',
    '10.9.9.9, 203.0.113.9, 198.51.100.1',
    proxies,
    '198.51.100.1',
  ],
  ['a client in the network of the proxies', '10.0.0.1', '10.0.0.3', proxies, '10.0.0.3'],
  ['an entry that is no address', '10.0.0.1', '198.51.100.1, unknown', proxies, '10.0.0.1'],
  ['IPv4 on a socket for both', '::ffff:10.0.0.1', '::ffff:198.51.100.1', proxies, '198.51.100.1'],
  ['a link-local client', 'fe80::1%eth0', undefined, proxies, 'fe80::1'],
])('clientAddress: %s', (...[, remote, forwarded, trusted, expected]) => {
  expect(clientAddress(remote, forwarded, trusted)).toBe(expected)
})

const host = 'posthorn.internal:3000'

test.each<[string, IncomingHttpHeaders, boolean]>([
  ['a client without an origin', { host }, false],
  ['a page of the same origin', { host, origin: `http://${host}` }, false],
  [
    'a page of the same origin behind a proxy',
    { host, origin: 'https://mail.example', 'sec-fetch-site': 'same-origin' },
    false,
  ],
  ['a page of another origin', { host, origin: 'https://evil.example' }, true],
  [
    'a page of the same site',
    { host, origin: 'http://posthorn.internal', 'sec-fetch-site': 'same-site' },
    true,
  ],
  ['a page with an opaque origin', { host, origin: 'null', 'sec-fetch-site': 'cross-site' }, true],
])('isCrossOrigin: %s', (_case, headers, isCross) => {
  expect(isCrossOrigin(headers)).toBe(isCross)
})

const isKnownHost = createKnownHosts({
  settings: { get: async () => ({ serviceUrl: 'https://Mail.example:8443' }) },
  allowedHosts: ['api-gateway'],
})

test.each([
  ['127.0.0.1:3000', true],
  ['10.1.2.3', true],
  ['[::1]:3000', true],
  ['localhost:3000', true],
  ['LOCALHOST', true],
  ['mail.example', true],
  ['MAIL.example:3000', true],
  ['api-gateway:3000', true],
  ['evil.example', false],
  ['evil.example:3000', false],
  ['mail.example.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['user@mail.example', false],
  ['mail.example/evil', false],
  ['', false],
  [undefined, false],
])('createKnownHosts: Host %s, is known: %s', async (host, expected) => {
  expect(await isKnownHost(host)).toBe(expected)
})

test('createKnownHosts: without serviceUrl, knows addresses and configured names only', async () => {
  const isKnown = createKnownHosts({ settings: { get: async () => ({}) }, allowedHosts: [] })
  expect(await isKnown('127.0.0.1')).toBe(true)
  expect(await isKnown('mail.example')).toBe(false)
})

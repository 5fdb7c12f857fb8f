import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from '@jest/globals'
import { createKnownHosts, isCrossOrigin, readBearerToken } from './authenticate.ts'

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

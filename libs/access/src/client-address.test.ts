import { expect, test } from '@jest/globals'
import { clientAddress, mayScrape } from './client-address.ts'

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

const limits = { metricsAddresses: ['10.0.0.0/8', '127.0.0.1'], trustedProxies: ['10.9.0.0/16'] }
const check = (remoteAddress: string, headers: Record<string, string> = {}) =>
  mayScrape({ socket: { remoteAddress } as never, headers }, limits)

test.each([
  ['own network', '10.1.2.3', {}, true],
  ['own network, IPv4-mapped', '::ffff:10.1.2.3', {}, true],
  ['loopback', '127.0.0.1', {}, true],
  ['public address', '198.51.100.1', {}, false],
  [
    'public address behind an untrusted proxy',
    '10.1.2.3',
    { 'x-forwarded-for': '198.51.100.1' },
    false,
  ],
  [
    'forged own address behind an untrusted proxy',
    '10.1.2.3',
    { 'x-forwarded-for': '10.1.1.1' },
    false,
  ],
  ['unknown client behind an untrusted proxy (Via)', '10.1.2.3', { via: '1.1 proxy' }, false],
  [
    'untrusted proxy with Forwarded (RFC 7239)',
    '10.1.2.3',
    { forwarded: 'for=198.51.100.1' },
    false,
  ],
  ['own network behind a trusted proxy', '10.9.0.1', { 'x-forwarded-for': '10.1.1.1' }, true],
  [
    'public address behind a trusted proxy',
    '10.9.0.1',
    { 'x-forwarded-for': '10.1.1.1, 198.51.100.1' },
    false,
  ],
])('mayScrape: %s', (...[, address, headers, allowed]) => {
  expect(check(address, headers as Record<string, string>)).toBe(allowed)
})

test('mayScrape: without addresses, forbidden for all', () => {
  const none = { metricsAddresses: [], trustedProxies: [] }
  expect(mayScrape({ socket: { remoteAddress: '127.0.0.1' } as never, headers: {} }, none)).toBe(
    false,
  )
})

import { expect, test } from '@jest/globals'
import { clientAddress } from './client-address.ts'

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

import { expect, test } from '@jest/globals'
import { mayScrape, reportTrustedProxies } from './trusted-proxies.ts'

test.each([
  [[], [['no proxy is trusted, X-Forwarded-For is ignored']]],
  [
    ['10.0.0.0/8', '::1'],
    [[{ trustedProxies: ['10.0.0.0/8', '::1'] }, 'X-Forwarded-For of trusted proxies is used']],
  ],
] as [string[], unknown[]][])('reportTrustedProxies: logs %j', (trustedProxies, lines) => {
  const written: unknown[] = []
  reportTrustedProxies({ info: (...line: unknown[]) => void written.push(line) }, trustedProxies)
  expect(written).toEqual(lines)
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

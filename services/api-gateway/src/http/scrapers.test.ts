import { expect, test } from '@jest/globals'
import { mayScrape } from './scrapers.ts'

const known = { metricsAddresses: ['10.0.0.0/8', '127.0.0.1'], trustedProxies: ['10.9.0.0/16'] }
const ask = (remoteAddress: string, headers: Record<string, string> = {}) =>
  mayScrape({ socket: { remoteAddress } as never, headers }, known)

test.each([
  ['a neighbour', '10.1.2.3', {}, true],
  ['a neighbour on a socket that speaks both', '::ffff:10.1.2.3', {}, true],
  ['this machine', '127.0.0.1', {}, true],
  ['a stranger', '198.51.100.1', {}, false],
  [
    'a stranger behind a proxy nobody named',
    '10.1.2.3',
    { 'x-forwarded-for': '198.51.100.1' },
    false,
  ],
  [
    'somebody behind it who calls himself a neighbour',
    '10.1.2.3',
    { 'x-forwarded-for': '10.1.1.1' },
    false,
  ],
  ['somebody behind it who is not named', '10.1.2.3', { via: '1.1 proxy' }, false],
  ['the same in the words of RFC 7239', '10.1.2.3', { forwarded: 'for=198.51.100.1' }, false],
  ['a neighbour behind a trusted proxy', '10.9.0.1', { 'x-forwarded-for': '10.1.1.1' }, true],
  [
    'a stranger behind a trusted proxy',
    '10.9.0.1',
    { 'x-forwarded-for': '10.1.1.1, 198.51.100.1' },
    false,
  ],
])('%s', (...[, address, headers, allowed]) => {
  expect(ask(address, headers as Record<string, string>)).toBe(allowed)
})

test('where no addresses are named, nobody may', () => {
  const nobody = { metricsAddresses: [], trustedProxies: [] }
  expect(mayScrape({ socket: { remoteAddress: '127.0.0.1' } as never, headers: {} }, nobody)).toBe(
    false,
  )
})

import { expect, test } from '@jest/globals'
import { EhloNames, networkRoutingOf, requiresStartTls } from './connect.ts'

test.each([
  [true, false, false, '203.0.113.5'],
  [true, false, false, '10.0.0.5'],
  [true, false, false, '2001:db8::1'],
  [true, false, false, ''],
  [false, false, false, '127.0.0.1'],
  [false, false, false, '127.8.9.1'],
  [false, false, false, '::1'],
  [false, false, false, '::ffff:127.0.0.1'],
  [false, false, true, '203.0.113.5'],
  [false, true, false, '203.0.113.5'],
])(
  'requiresStartTls: %s with secure %s, allowsPlaintext %s, address %s',
  (...[required, secure, allowsPlaintext, address]) => {
    expect(requiresStartTls({ secure, allowsPlaintext }, address)).toBe(required)
  },
)

test.each([
  [{}, { localAddress: undefined, name: 'host' }, undefined],
  [
    {},
    { localAddress: '192.0.2.1', name: 'mail.b.c' },
    { localAddress: '192.0.2.1', name: 'mail.b.c' },
  ],
  [
    { proxy: 'socks5://user:pass@proxy.b.c:1080/x?token=y' },
    { localAddress: undefined, name: 'host' },
    { name: 'host', proxy: 'socks5://proxy.b.c:1080' },
  ],
  [
    { requestedLocalAddress: '192.0.2.9' },
    { localAddress: '192.0.2.1', name: undefined },
    { localAddress: '192.0.2.1', requestedLocalAddress: '192.0.2.9' },
  ],
  [
    { requestedLocalAddress: '192.0.2.9' },
    { localAddress: undefined, name: 'host' },
    { name: 'host', requestedLocalAddress: '192.0.2.9' },
  ],
  [
    { requestedLocalAddress: '192.0.2.9' },
    { localAddress: '192.0.2.9', name: 'host' },
    { localAddress: '192.0.2.9', name: 'host' },
  ],
])('networkRoutingOf: %j connected as %j, returns %j', (destination, connected, routing) => {
  expect(networkRoutingOf(destination, connected)).toEqual(routing)
})

test('EhloNames.of: address with a PTR record, returns its name after one lookup', async () => {
  const lookups: string[] = []
  const names = new EhloNames(async (address) => {
    lookups.push(address)
    return ['mail.example.com']
  })
  expect(await names.of('192.0.2.1')).toBe('mail.example.com')
  expect(await names.of('192.0.2.1')).toBe('mail.example.com')
  expect(lookups).toEqual(['192.0.2.1'])
})

test.each<[string, () => Promise<string[]>]>([
  ['empty reply', async () => []],
  ['failed lookup', () => Promise.reject(new Error('ENOTFOUND'))],
  ['invalid host name', async () => ['a b\r\nMAIL FROM:<x>']],
])('EhloNames.of: %s, returns the machine name', async (_case, lookup) => {
  expect(await new EhloNames(lookup, 'm1.example.com').of('192.0.2.1')).toBe('m1.example.com')
})

test('EhloNames.of: address chosen by the system, returns the machine name without a lookup', async () => {
  const lookup = () => Promise.reject(new Error('unexpected lookup'))
  expect(await new EhloNames(lookup, 'm1.example.com').of(undefined)).toBe('m1.example.com')
})

test.each(['m1', 'a_b.c d', 'localhost'])(
  'EhloNames.of: machine name %s without a domain, returns an address literal',
  async (machine) => {
    const names = new EhloNames(async () => [], machine)
    expect(await names.of('192.0.2.1')).toBe('[192.0.2.1]')
    expect(await names.of('2001:db8::1')).toBe('[IPv6:2001:db8::1]')
    expect(await names.of(undefined)).toBe('[127.0.0.1]')
  },
)

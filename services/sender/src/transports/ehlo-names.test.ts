import { expect, test } from '@jest/globals'
import { EhloNames } from './ehlo-names.ts'

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

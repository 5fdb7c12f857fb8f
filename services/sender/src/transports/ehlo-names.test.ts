import { expect, test } from '@jest/globals'
import { EhloNames } from './ehlo-names.ts'

test('the name that the DNS has for the address, asked for once', async () => {
  const asked: string[] = []
  const names = new EhloNames(async (address) => {
    asked.push(address)
    return ['mail.example.com']
  })
  expect(await names.of('192.0.2.1')).toBe('mail.example.com')
  expect(await names.of('192.0.2.1')).toBe('mail.example.com')
  expect(asked).toEqual(['192.0.2.1'])
})

test.each<[string, () => Promise<string[]>]>([
  ['no name', async () => []],
  ['no answer', () => Promise.reject(new Error('ENOTFOUND'))],
  ['no host name', async () => ['a b\r\nMAIL FROM:<x>']],
])('%s: the name of the machine', async (_what, ask) => {
  expect(await new EhloNames(ask, 'm1.example.com').of('192.0.2.1')).toBe('m1.example.com')
})

test('where the system chose the address, the name of the machine', async () => {
  const ask = () => Promise.reject(new Error('not asked'))
  expect(await new EhloNames(ask, 'm1.example.com').of(undefined)).toBe('m1.example.com')
})

test.each(['m1', 'a_b.c d', 'localhost'])(
  'a machine called %s says an address',
  async (machine) => {
    const names = new EhloNames(async () => [], machine)
    expect(await names.of('192.0.2.1')).toBe('[192.0.2.1]')
    expect(await names.of('2001:db8::1')).toBe('[IPv6:2001:db8::1]')
    expect(await names.of(undefined)).toBe('[127.0.0.1]')
  },
)

import { hostname } from 'node:os'
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
  expect(await new EhloNames(ask).of('192.0.2.1')).toBe(hostname())
})

test('where the system chose the address, the name of the machine', async () => {
  expect(await new EhloNames(() => Promise.reject(new Error('not asked'))).of(undefined)).toBe(
    hostname(),
  )
})

import { expect, test } from '@jest/globals'
import { createKnownHosts } from './known-hosts.ts'

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

import { expect, test } from '@jest/globals'
import { type FormatName, formats } from './formats.ts'

const digest = `sha256:${'0a'.repeat(32)}`
const examples: Record<FormatName, { accepted: unknown[]; refused: unknown[] }> = {
  port: { accepted: [1, 65_535], refused: [0, 65_536, -1, 80.5, '80', Number.NaN] },
  portName: {
    accepted: ['http', 'a', 'imap-tls', '1a'],
    refused: ['', '80', 'Http', 'a--b', '-a', 'a-', 'sixteen-letters-', 'a'.repeat(16)],
  },
  portOrName: { accepted: [80, 'http'], refused: [0, '80', 'a b'] },
  quantity: {
    accepted: [0, 2, 0.5, '100m', '1Gi', '1.5Gi', '.5', '1.', '1e3', '2E', '12E+2', '5u'],
    refused: ['lots', '', '1 Gi', '320MB', '1gi', '-1', 'Gi', '1e', '1Kib', '1.2.3'],
  },
  goDuration: {
    accepted: ['0', '90s', '1h30m', '500ms', '1.5h', '3us'],
    refused: ['', '30', '1d', '1 h', '-5s', 's', '1h 30m'],
  },
  gatewayDuration: {
    accepted: ['0s', '90s', '1h30m10s20ms'],
    refused: ['0', '1.5h', '1d', '100000s', '1us', '1h1h1h1h1h'],
  },
  prometheusDuration: {
    accepted: ['0', '30s', '1h30m', '7d', '1y2w', '500ms'],
    refused: ['', '1.5m', '30', '1m1h', '1s1s'],
  },
  image: {
    accepted: [
      'posthorn',
      'postgres:18',
      'registry.example/a/b-c:1.2.3',
      'localhost:5000/a__b',
      `a@${digest}`,
      `REG.example/a:1@${digest}`,
    ],
    refused: [
      '',
      'Posthorn',
      'a b',
      'a:',
      'a/',
      '/a',
      'a::1',
      'a@sha256:12',
      'https://a/b',
      'a_-b',
    ],
  },
  labelKey: {
    accepted: ['app', 'app.kubernetes.io/name', 'a_B.c-1', `a/${'b'.repeat(63)}`],
    refused: ['', '-a', 'a-', 'A.example/a', 'a/b/c', '/a', 'a/', 'a b', 'b'.repeat(64)],
  },
  labelValue: {
    accepted: ['', '1.2.3', 'a_B'],
    refused: ['a b', '-a', 'a.', 'a/b', 'b'.repeat(64), 1, true],
  },
  dnsLabel: { accepted: ['a', '1a', 'a-b'], refused: ['', 'A', 'a.b', '-a', 'a-', 'b'.repeat(64)] },
  serviceName: { accepted: ['a', 'a-1'], refused: ['1a', 'A', 'a.b', ''] },
  dnsName: { accepted: ['a', 'a.b-c.1'], refused: ['', 'A', 'a..b', '.a', 'a_b', '*.a'] },
  hostName: {
    accepted: ['mail.example', '*.mail.example'],
    refused: ['*', 'a.*.b', 'a b', '*a.b'],
  },
}

test.each(Object.entries(examples))('%s: accepts and refuses', (name, { accepted, refused }) => {
  const { matches } = formats[name as FormatName]
  expect(accepted.filter((value) => !matches(value))).toEqual([])
  expect(refused.filter((value) => matches(value))).toEqual([])
})

test('image: refuses a long text without slowing down', () => {
  expect(formats.image.matches(`${'a-'.repeat(100_000)}!`)).toBe(false)
  expect(formats.image.matches(`${'a.'.repeat(255)}!`)).toBe(false)
})

import { expect, test } from '@jest/globals'
import { reportTrustedProxies } from './trusted-proxies.ts'

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

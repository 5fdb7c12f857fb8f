import { expect, test } from '@jest/globals'
import {
  assertHttpPort,
  assertMailPort,
  assertProxyPort,
  defaultMailPorts,
  type MailPorts,
} from './ports.ts'

const blocked = expect.objectContaining({ kind: 'forbidden', code: 'EEGRESSBLOCKED' })

function isAllowed(check: typeof assertMailPort, at: string, ports: Partial<MailPorts> = {}) {
  const colon = at.lastIndexOf(':')
  const target = { host: at.slice(0, colon), port: Number(at.slice(colon + 1)) }
  try {
    check(target, { ...defaultMailPorts, ...ports })
    return true
  } catch (error) {
    expect(error).toEqual(blocked)
    return false
  }
}

test.each([25, 26, 143, 465, 587, 993, 2525, 1143, 8993, 20_000, 50_000])(
  'assertMailPort: port %s, allowed',
  (port) => expect(isAllowed(assertMailPort, `mail.example:${port}`)).toBe(true),
)

test.each([
  1, 22, 53, 80, 389, 443, 445, 636, 2375, 3000, 3306, 5432, 5672, 6379, 8080, 9200, 11211, 15672,
  27017,
])('assertMailPort: port %s of another service, forbidden at every host', (port) => {
  for (const host of ['mail.example', '127.0.0.1', '203.0.113.9', '[2001:db8::1]'])
    expect(isAllowed(assertMailPort, `${host}:${port}`)).toBe(false)
})

test('assertMailPort: port of this deployment, forbidden unless the destination is allowed', () => {
  const own = [6000]
  expect(isAllowed(assertMailPort, 'mail.example:6000', { own })).toBe(false)
  expect(isAllowed(assertMailPort, 'mail.example:6000', { own, allowed: [6000] })).toBe(false)
  const allowedTargets = ['mail.example:6000']
  expect(isAllowed(assertMailPort, 'Mail.example:6000', { own, allowedTargets })).toBe(true)
  expect(isAllowed(assertMailPort, 'evil.example:6000', { own, allowedTargets })).toBe(false)
})

test('assertMailPort: allowed ports and destinations, are allowed', () => {
  expect(isAllowed(assertMailPort, 'mail.example:80', { allowed: [80] })).toBe(true)
  expect(isAllowed(assertMailPort, 'mail.example:81', { allowed: [80] })).toBe(false)
  const allowedTargets = ['2001:db8::1:80']
  expect(isAllowed(assertMailPort, '[2001:DB8::1]:80', { allowedTargets })).toBe(true)
  expect(isAllowed(assertMailPort, '[2001:db8::2]:80', { allowedTargets })).toBe(false)
})

test('assertProxyPort: usual ports of proxies, allowed; those of other services, forbidden', () => {
  for (const port of [80, 443, 1080, 3128, 8080, 20_000])
    expect(isAllowed(assertProxyPort, `proxy.example:${port}`)).toBe(true)
  for (const port of [22, 25, 993, 5432, 6379])
    expect(isAllowed(assertProxyPort, `proxy.example:${port}`)).toBe(false)
})

test('assertHttpPort: port of another service, forbidden unless the policy is off', () => {
  for (const port of [22, 25, 465, 993, 5432, 5672, 6379, 9092, 27017]) {
    for (const policy of ['link-local', 'private'] as const)
      expect(() => assertHttpPort(port, policy)).toThrow(blocked)
    expect(() => assertHttpPort(port, 'off')).not.toThrow()
  }
})

test('assertHttpPort: ports of web servers, allowed', () => {
  for (const port of [80, 443, 3000, 8000, 8080, 8443, 9000, 40_000])
    expect(() => assertHttpPort(port, 'private')).not.toThrow()
})

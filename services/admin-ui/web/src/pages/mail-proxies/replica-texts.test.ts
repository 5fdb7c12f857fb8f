import { expect, test } from '@jest/globals'
import { certificateBadge, listenerBadge, listenerText } from './replica-texts.ts'

const now = Date.parse('2026-03-01T12:00:00.000Z')

test.each([
  ['2026-03-01T12:00:00.000Z', 'bad', 'expired'],
  ['2026-03-01T12:00:00.001Z', 'warn', 'expires soon'],
  ['2026-03-15T12:00:00.000Z', 'warn', 'expires soon'],
  ['2026-03-15T12:00:00.001Z', 'good', 'valid'],
])('certificateBadge: %s is %s', (expiresAt, tone, text) => {
  expect(certificateBadge(expiresAt, now)).toEqual({ tone, text })
})

test('listenerBadge: one color per state', () => {
  const states = ['off', 'listening', 'failed'] as const
  const tones = states.map((listener) => listenerBadge({ listener }).tone)
  expect(tones).toEqual(['neutral', 'good', 'bad'])
})

test.each([
  [{}, ''],
  [{ port: 143, tls: false }, 'port 143'],
  [{ port: 993, tls: true }, 'port 993 with TLS'],
  [{ port: 143, tls: false, tlsPort: 993 }, 'port 143, port 993 with TLS'],
  [{ error: 'listen EADDRINUSE' }, 'listen EADDRINUSE'],
])('listenerText: %j', (listener, text) => {
  expect(listenerText(listener)).toBe(text)
})

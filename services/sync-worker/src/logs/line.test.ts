import { expect, test } from '@jest/globals'
import { formatLogLine } from './line.ts'

const at = new Date(0)

test('a line tells when, on which connection, who, and what', () => {
  expect(formatLogLine({ at, from: 'client', text: 'A1 NOOP' }, 3)).toBe(
    '1970-01-01T00:00:00.000Z [3] C: A1 NOOP',
  )
  expect(formatLogLine({ at, from: 'server', text: '* OK' }, 3)).toContain('S: * OK')
  expect(formatLogLine({ at, from: 'us', text: 'connected' }, 3)).toContain('-- connected')
})

test('what a server sends cannot break the line, the log or Postgres', () => {
  const line = formatLogLine({ at, from: 'server', text: 'a\r\nb\0c\u2028d\u001b[31m\ud800' }, 1)
  expect(line).toMatch(/a\ufffd\ufffdb\ufffdc\ufffdd\ufffd\[31m\ufffd$/)
  expect(formatLogLine({ at, from: 'server', text: 'x'.repeat(100_000) }, 1).length).toBeLessThan(
    2_100,
  )
})

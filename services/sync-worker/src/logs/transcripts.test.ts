import { expect, test } from '@jest/globals'
import { formatLogLine } from './transcripts.ts'

const at = new Date(0)

test('formatLogLine: contains time, connection, speaker and text', () => {
  expect(formatLogLine({ at, from: 'client', text: 'A1 NOOP' }, 3)).toBe(
    '1970-01-01T00:00:00.000Z [3] C: A1 NOOP',
  )
  expect(formatLogLine({ at, from: 'server', text: '* OK' }, 3)).toContain('S: * OK')
  expect(formatLogLine({ at, from: 'us', text: 'connected' }, 3)).toContain('-- connected')
})

test('formatLogLine: replaces control characters and limits the length', () => {
  const line = formatLogLine({ at, from: 'server', text: 'a\r\nb\0c\u2028d\u001b[31m\ud800' }, 1)
  expect(line).toMatch(/a\ufffd\ufffdb\ufffdc\ufffdd\ufffd\[31m\ufffd$/)
  expect(formatLogLine({ at, from: 'server', text: 'x'.repeat(100_000) }, 1).length).toBeLessThan(
    2_100,
  )
})

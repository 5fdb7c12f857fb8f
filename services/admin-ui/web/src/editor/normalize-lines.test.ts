import { expect, test } from '@jest/globals'
import { normalizeLines } from './normalize-lines.ts'

test('normalizeLines: line ends of all systems become \\n, and empty lines stay', () => {
  expect(normalizeLines('a\r\nb\rc\n\r\n\nd')).toBe('a\nb\nc\n\n\nd')
})

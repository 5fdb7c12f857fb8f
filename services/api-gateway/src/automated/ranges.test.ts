import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { parseRange } from '../access/address-ranges.ts'
import { createRangeCheck } from './ranges.ts'

const file = (...ranges: string[]) => JSON.stringify({ sources: [{ name: 'a', url: 'b', ranges }] })

test('createRangeCheck: IPv4 and IPv6 addresses inside and outside of ranges', () => {
  const inRanges = createRangeCheck(file('192.0.2.0/25', '198.51.100.7', '2001:db8::/64'))
  const inside = ['192.0.2.0', '192.0.2.127', '198.51.100.7', '2001:db8::1']
  const outside = ['192.0.2.128', '198.51.100.8', '2001:db8:0:1::1', '', 'nonsense']
  expect(inside.map(inRanges)).toEqual([true, true, true, true])
  expect(outside.map(inRanges)).toEqual([false, false, false, false, false])
})

test('createRangeCheck: ranges of the release, contain Google and Bing', () => {
  const shipped = readFileSync(join(import.meta.dirname, '../../crawler-ranges.json'), 'utf8')
  const inRanges = createRangeCheck(shipped)
  expect(['66.249.66.1', '2001:4860:4801:10::1', '157.55.39.1'].map(inRanges)).toEqual([
    true,
    true,
    true,
  ])
  // Gmail's image proxy.
  expect(inRanges('66.249.84.1')).toBe(false)
})

test.each(['', '1.2.3', '1.2.3.4/33', '1.2.3.4/', '1.2.3.4/8/8', '::/129', 'a/8'])(
  'parseRange: %j, undefined',
  (text) => {
    expect(parseRange(text)).toBeUndefined()
    expect(() => createRangeCheck(file(text))).toThrow('is not an address range')
  },
)

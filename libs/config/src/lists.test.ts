import { expect, test } from '@jest/globals'
import { addressRanges, list } from './lists.ts'

test('list: splits at commas and drops empty entries', () => {
  expect(list({ X: ' a, b,,c ' }, 'X')).toEqual(['a', 'b', 'c'])
  expect(list({ X: ' , ' }, 'X')).toEqual([])
  expect(list({ X: '' }, 'X')).toBeUndefined()
  expect(list({}, 'X')).toBeUndefined()
})

test('addressRanges: accepts addresses and ranges of IPv4 and IPv6', () => {
  const X = '10.0.0.0/8, 192.0.2.7,::1, fc00::/7, 0.0.0.0/0, ::/128'
  expect(addressRanges({ X }, 'X')).toEqual(X.split(/, ?/))
})

test.each([
  'proxy',
  '10.0.0.0/33',
  '::1/129',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.0/-1',
  '10.0.0.0/1e1',
  '10.0.0',
])('addressRanges: rejects %s', (text) => {
  expect(() => addressRanges({ X: `::1,${text}` }, 'X')).toThrow(
    `X: must be IP addresses or CIDR ranges, got "${text}"`,
  )
})

import { expect, test } from '@jest/globals'
import { readRanges, refreshRanges } from './refresh-ranges.ts'

test.each([
  [
    'prefixes',
    '{"creationTime":"x","prefixes":[{"ipv4Prefix":"192.0.2.0/27"},{"ipv6Prefix":"2001:db8::/64"}]}',
  ],
  ['a bare list', '["192.0.2.0/27","2001:db8::/64","192.0.2.0/27"]'],
  ['lines', '# ranges\n192.0.2.0/27\r\n2001:db8::/64\n'],
])('readRanges: %s, extracts the ranges', (_case, text) => {
  expect(readRanges(text)).toEqual(['192.0.2.0/27', '2001:db8::/64'])
})

test.each([
  ['an error page', '<html>404</html>'],
  ['nothing', '{"prefixes":[]}'],
  ['the whole Internet', '{"prefixes":[{"ipv4Prefix":"0.0.0.0/0"}]}'],
  ['broken text', '{"prefixes":['],
])('readRanges: %s, throws', (_case, text) => {
  expect(() => readRanges(text)).toThrow()
})

test('refreshRanges: failed source, keeps its ranges and is reported', async () => {
  const before = { sources: [{ name: 'b', url: 'https://old.example/', ranges: ['192.0.2.0/27'] }] }
  const sources = [
    { name: 'a', url: 'https://a.example/' },
    { name: 'b', url: 'https://b.example/' },
  ]
  const { ranges, failures } = await refreshRanges(sources, before, async (url) => {
    if (url.includes('b.example')) throw new Error('gone')
    return '["198.51.100.0/24"]'
  })
  expect(ranges.sources).toEqual([
    { ...sources[0], ranges: ['198.51.100.0/24'] },
    { ...sources[1], ranges: ['192.0.2.0/27'] },
  ])
  expect(failures).toEqual(['b: gone'])
})

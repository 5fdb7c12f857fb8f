import { expect, test } from '@jest/globals'
import { readCsv, writeCsv } from './csv.ts'

test('writeCsv: quotes separators and quotation marks, and ends lines by CRLF', () => {
  expect(writeCsv([['a', 'b "c"', 'd,e'], ['f\ng']])).toBe('a,"b ""c""","d,e"\r\n"f\ng"\r\n')
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("http://x","y")'])(
  'writeCsv: no cell begins like the formula %j',
  (text) => {
    expect(writeCsv([[text]])).toMatch(/^"'/)
  },
)

test('readCsv: reads all texts that writeCsv writes', () => {
  const rows = [
    ['recipient', 'reason'],
    ['=a@example.com', 'said "no", twice'],
    ['+b@example.com', "'quoted'"],
    ['-c@example.com', 'two\r\nlines'],
    ["'=d@example.com", ''],
  ]
  expect(readCsv(writeCsv(rows))).toEqual(rows)
})

test.each([
  [
    'a;b\nc;d',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'a\tb\r\nc\td\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['\u{FEFF}a,b', [['a', 'b']]],
  ['\n\n a ,"b" \n\n', [['a', 'b']]],
  ['a,,\n', [['a', '', '']]],
  ['"a""b"', [['a"b']]],
  ['a\rb', [['a'], ['b']]],
  ['', []],
])('readCsv: %j', (text, expected) => {
  expect(readCsv(text)).toEqual(expected)
})

test('readCsv: refuses a quoted cell without an end', () => {
  expect(() => readCsv('a,"b\nc')).toThrow('quotation mark')
})

test('readCsv: reads a large file in linear time', () => {
  const line = '"a""b",c\n'
  expect(readCsv(line.repeat(100_000))).toHaveLength(100_000)
})

import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { formatNames } from './describe-error.ts'
import { formats, parseDate } from './formats.ts'

const accepts = (format: string, value: string) => formats[format]?.(value)

test.each([
  [
    'mail-address',
    [
      'a@b.example',
      'a.b+c@b-c.example',
      '"a b"@c.example',
      'ü@bücher.example',
      'a@[192.0.2.1]',
      'root@localhost',
    ],
    [
      'a',
      '@b',
      'a@',
      'a b@c.example',
      'a@b..c',
      'a@-b.example',
      'a@b\r\nRCPT TO:<x@y>',
      '<a@b.example>',
      'a@b,c@d',
      `${'a'.repeat(320)}@b.example`,
    ],
  ],
  [
    'host-name',
    ['localhost', 'imap.example.com', '192.0.2.1', '::1', 'xn--bcher-kva.example'],
    ['', 'a b', 'a..b', 'http://a', 'a/b', `${'a'.repeat(64)}.example`],
  ],
  [
    'http-url',
    ['http://a', 'https://user:pass@a.example:8080/b?c#d'],
    ['', 'ftp://a', 'javascript:alert(1)', '//a', 'a.example'],
  ],
  ['http-url-or-empty', ['', 'http://a'], ['mailto:a@b.example']],
  [
    'proxy-url-or-empty',
    ['', 'socks5://a:b@c.example:1080', 'http://192.0.2.1:3128'],
    ['gopher://x', 'c.example:1080', 'socks5:'],
  ],
  [
    'change-id',
    ['', '0-0', '759-12', '18446744073709551615-9223372036854775807'],
    ['1', '-', '1-', 'a-b', '-1-1', '1-1-1', '18446744073709551616-1', '1-9223372036854775808'],
  ],
  [
    'delivery-cursor',
    ['1767225600000000_3f0c2c1e-6a0b-4d0e-9a53-5f7f0a4f2d11'],
    ['', '1_', '1_2', `-1_3f0c2c1e-6a0b-4d0e-9a53-5f7f0a4f2d11`, `1_${'-'.repeat(36)}`],
  ],
  [
    'event-cursor',
    ['1767225600000000_12', '0_0'],
    ['', '1', '_1', '1_', '-1_0', '1_-1', '1_2_3', 'a_b'],
  ],
  ['event-stream-id', ['', '0', '759'], ['-1', '1-1', 'a', '1'.repeat(19)]],
  [
    'date-time',
    [
      '2026-01-02',
      '2026-01-02T03:04:05Z',
      '2026-01-02T03:04:05.678+01:00',
      '2026-01-02 03:04',
      '2028-02-29',
    ],
    [
      'tomorrow',
      '2026-02-30',
      '2027-02-29',
      '2026-13-01',
      '2026-01-02T25:00:00Z',
      '1',
      '02/01/2026',
    ],
  ],
  ['one-line', ['', 'a\tb', 'ü'], ['a\nb', 'a\rb', 'a\0b', '\u007f']],
  ['header-name', ['Subject', 'X-A_b.1'], ['', 'a b', 'a:', 'ü']],
  [
    'header-prefix-or-empty',
    ['', 'X-EE-', 'x-ee-', 'X-My-2nd-App-', `X-${'a'.repeat(29)}-`],
    [
      'X-',
      'X--',
      'EE-',
      'X-EE',
      'X-EE--',
      'X-EE -',
      ' X-EE-',
      'X-EE-\n',
      'X-EE\r\nA-',
      'X-EE-\0',
      'X-É-',
      'X-ſvc-',
      'X_EE_',
      'X-EE:-',
      'X-SVC-',
      'x-svc-',
      'X-SVC-EE-',
      'X-Forwarded-',
      'Content-',
      'Proxy-',
      'webhook-',
      'Connection-',
      `X-${'a'.repeat(30)}-`,
    ],
  ],
  [
    'address-range',
    ['192.0.2.1', '10.0.0.0/8', '::/0', '2001:db8::1/128'],
    [
      '',
      '10.0.0.0/33',
      '10.0.0/8',
      '::1/129',
      '10.0.0.1/',
      'a',
      '10.0.0.1/8/8',
      '10.0.0.0/-1',
      'fe80::1%eth0',
    ],
  ],
  ['base64', ['', 'YQ==', 'YWJj\r\nYWJj', 'YQ= =\n'], ['Y!', '====', 'YQ==YQ==', 'YQ-_']],
  [
    'sequence-set',
    ['1', '*', '1:*', '*:1', '1:5,9,20:10', '1, 2', '4294967295'],
    ['', '0', '1:', ':1', '1,', ',1', '1:2:3', '4294967296', '-1', '1 2', 'a', '1\r\n'],
  ],
  ['json-object', ['{}', ' {"a":{"b":[1]}}'], ['', '[]', 'null', '"{}"', '1', '{a:1}', '{}{}']],
  ['locale', ['en', 'de-AT', 'zh-Hant-TW'], ['', 'english language', 'en_US', 'de-AT,en']],
  ['time-zone', ['UTC', 'Europe/Tallinn', '+02:00'], ['', 'Mars/Olympus', 'UTC+1']],
  ['search-text', ['', 'a\r\nb', 'ü'], ['a\0b']],
  ['mailbox-path', ['INBOX', 'Ä/b', ' '], ['', 'a\r\nb', 'a\0']],
])('format %s', (format, good, bad) => {
  expect(good.filter((value) => !accepts(format, value))).toEqual([])
  expect(bad.filter((value) => accepts(format, value))).toEqual([])
})

test('formatNames: has every format', () => {
  expect(Object.keys(formats).filter((name) => formatNames[name] === undefined)).toEqual([])
})

test('parseDate: a date without a zone is UTC, independent of the process', () => {
  expect(parseDate('2026-01-02T03:04')?.toISOString()).toBe('2026-01-02T03:04:00.000Z')
  expect(parseDate('2026-01-02')?.toISOString()).toBe('2026-01-02T00:00:00.000Z')
  expect(parseDate('2026-01-02T03:04:05+0130')?.toISOString()).toBe('2026-01-02T01:34:05.000Z')
})

test('formats: never throw, and accept no line break in an address', () => {
  const names = Object.keys(formats)
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.string({ unit: 'binary', maxLength: 200 }),
      (format, text) => {
        expect(typeof accepts(format, text)).toBe('boolean')
        if (/[\r\n\0]/.test(text))
          expect(
            [
              'mail-address',
              'one-line',
              'header-name',
              'header-prefix-or-empty',
              'host-name',
              'mailbox-path',
            ].filter((strict) => accepts(strict, text)),
          ).toEqual([])
      },
    ),
    { numRuns: 3_000 },
  )
})

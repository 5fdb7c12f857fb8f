import { expect, test } from '@jest/globals'
import { parseProxy, redactProxyUrl } from './proxy.ts'

test.each([
  ['socks://p.example', { kind: 'socks5', host: 'p.example', port: 1080 }],
  ['socks4://192.0.2.1:99', { kind: 'socks4', host: '192.0.2.1', port: 99 }],
  ['http://[2001:db8::1]/', { kind: 'http', host: '2001:db8::1', port: 80 }],
  ['https://p.example', { kind: 'https', host: 'p.example', port: 443 }],
  [
    'socks5://a%40b:c%3Ad@p.example:1',
    { kind: 'socks5', host: 'p.example', port: 1, user: 'a@b', pass: 'c:d' },
  ],
  ['http://a:1%@p.example', { kind: 'http', host: 'p.example', port: 80, user: 'a', pass: '1%' }],
])('parseProxy: %s', (url, proxy) => {
  expect(parseProxy(url)).toEqual(proxy)
})

test.each(['', 'p.example:1080', 'ftp://p.example', 'socks5:'])(
  'parseProxy: %j, throws EPROXY',
  (url) => {
    expect(() => parseProxy(url)).toThrow(expect.objectContaining({ code: 'EPROXY' }))
  },
)

test.each([
  ['socks5://user:pass@p.example:1080/path?secret=1#x', 'socks5://p.example:1080'],
  ['http://p.example', 'http://p.example'],
  ['x', ''],
])('redactProxyUrl: %s becomes %s', (url, shown) => {
  expect(redactProxyUrl(url)).toBe(shown)
})

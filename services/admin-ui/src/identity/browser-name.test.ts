import { expect, test } from '@jest/globals'
import { describeBrowser } from './browser-name.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox 140, Linux'],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/138.0.0.0 Safari/537.36`,
    'Chrome 138, Windows',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/138.0.0.0 Safari/537.36 Edg/138.0`,
    'Edge 138, Windows',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Version/18.5 Safari/605.1.15`,
    'Safari 18, macOS',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${webkit} Version/18.5 Mobile/15E148 Safari/604.1`,
    'Safari 18, iOS',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/138.0.0.0 Mobile Safari/537.36`,
    'Chrome 138, Android',
  ],
  ['curl/8.14.1', 'curl 8'],
  ['<script>alert(1)</script>', 'Unknown browser'],
  ['Firefox/140<b> Linux', 'Firefox 140, Linux'],
  ['', 'Unknown browser'],
  [undefined, 'Unknown browser'],
])('describeBrowser: %s', (userAgent, description) => {
  expect(describeBrowser(userAgent)).toBe(description)
})

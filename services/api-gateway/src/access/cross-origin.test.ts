import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from '@jest/globals'
import { isCrossOrigin } from './cross-origin.ts'

const host = 'posthorn.internal:3000'

test.each<[string, IncomingHttpHeaders, boolean]>([
  ['a client without an origin', { host }, false],
  ['a page of the same origin', { host, origin: `http://${host}` }, false],
  [
    'a page of the same origin behind a proxy',
    { host, origin: 'https://mail.example', 'sec-fetch-site': 'same-origin' },
    false,
  ],
  ['a page of another origin', { host, origin: 'https://evil.example' }, true],
  [
    'a page of the same site',
    { host, origin: 'http://posthorn.internal', 'sec-fetch-site': 'same-site' },
    true,
  ],
  ['a page with an opaque origin', { host, origin: 'null', 'sec-fetch-site': 'cross-site' }, true],
])('isCrossOrigin: %s', (_case, headers, isCross) => {
  expect(isCrossOrigin(headers)).toBe(isCross)
})

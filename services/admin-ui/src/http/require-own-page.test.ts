import { expect, test } from '@jest/globals'
import type { Request, Response } from 'express'
import { requireOwnPage } from './require-own-page.ts'

const adminUrl = 'https://admin.example'
const host = 'posthorn.internal:3008'
const own = { host, 'x-svc-admin': '1' }

/**
 * Result of the check against forged requests for one request: `passes`, or the kind of the error.
 */
function check(method: string, path: string, headers: Record<string, string>): string {
  const request = { method, path, headers } as unknown as Request
  let passes = false
  try {
    void requireOwnPage(adminUrl)(request, {} as Response, () => void (passes = true))
    return passes ? 'passes' : 'hangs'
  } catch (error) {
    return (error as { kind: string }).kind
  }
}

test.each<[string, string, Record<string, string>]>([
  ['a call of the pages', 'POST', { ...own, 'sec-fetch-site': 'same-origin' }],
  ['a call over plain HTTP', 'POST', { ...own, origin: `http://${host}` }],
  ['a call through a proxy that replaces Host', 'POST', { ...own, origin: adminUrl }],
  ['a read over plain HTTP, without Origin', 'GET', own],
])('requireOwnPage: %s passes', (_case, method, headers) => {
  expect(check(method, '/session/sign-in', headers)).toBe('passes')
})

test.each<[string, string, Record<string, string>]>([
  ['a form of the same origin', 'POST', { host, 'sec-fetch-site': 'same-origin' }],
  ['a read without the header, as of an image', 'GET', { host, 'sec-fetch-site': 'same-origin' }],
  ['another value of the header', 'GET', { host, 'x-svc-admin': '0' }],
  ['another site', 'POST', { ...own, 'sec-fetch-site': 'cross-site' }],
  ['another port or subdomain', 'POST', { ...own, 'sec-fetch-site': 'same-site' }],
  ['a typed address', 'GET', { ...own, 'sec-fetch-site': 'none' }],
  ['another origin', 'POST', { ...own, origin: 'https://evil.example' }],
  ['another port without Sec-Fetch-Site', 'POST', { ...own, origin: 'http://posthorn.internal' }],
  ['an opaque origin', 'POST', { ...own, origin: 'null' }],
  ['a read of another origin', 'GET', { ...own, origin: 'https://evil.example' }],
  ['a change without any origin', 'DELETE', own],
])('requireOwnPage: %s is rejected', (_case, method, headers) => {
  expect(check(method, '/session/sign-in', headers)).toBe('forbidden')
})

test.each(['/session/oidc', '/session/oidc/callback'])(
  'requireOwnPage: a navigation to %s passes from the OpenID provider, a POST does not',
  (path) => {
    const headers = { host, 'sec-fetch-site': 'cross-site' }
    expect([check('GET', path, headers), check('POST', path, headers)]).toEqual([
      'passes',
      'forbidden',
    ])
  },
)

test('requireOwnPage: paths that only begin like the OpenID paths are guarded', () => {
  expect(check('GET', '/session/oidc/other', { host })).toBe('forbidden')
})

const ownFrame = { host, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'iframe' }

test('requireOwnPage: a frame of the pages passes without the header', () => {
  expect(check('GET', '/frame/message/anna/AAAA', ownFrame)).toBe('passes')
})

test('requireOwnPage: a form of the pages opens the frame of a template, nothing else does', () => {
  const frame = '/frame/template'
  expect(check('POST', frame, ownFrame)).toBe('passes')
  // The pages send no referrer, so that the origin of their forms is `null`.
  expect(check('POST', frame, { ...ownFrame, origin: 'null' })).toBe('passes')
  expect(check('GET', frame, ownFrame)).toBe('forbidden')
  for (const headers of [
    { ...ownFrame, 'sec-fetch-site': 'cross-site' },
    { ...ownFrame, 'sec-fetch-site': 'same-site' },
    { ...ownFrame, 'sec-fetch-dest': 'document' },
    own,
    { host },
  ])
    expect(check('POST', frame, headers)).toBe('forbidden')
  expect(check('POST', `${frame}/more`, ownFrame)).toBe('forbidden')
})

test.each<[string, string, Record<string, string>]>([
  ['a link inside of the frame', 'GET', { ...ownFrame, 'sec-fetch-site': 'cross-site' }],
  ['an address that a person opens', 'GET', { ...ownFrame, 'sec-fetch-site': 'none' }],
  ['an image', 'GET', { ...ownFrame, 'sec-fetch-dest': 'image' }],
  ['a new window', 'GET', { ...ownFrame, 'sec-fetch-dest': 'document' }],
  ['a form', 'POST', ownFrame],
  ['a call of the pages, whose script could read the HTML', 'GET', own],
  ['a browser without Sec-Fetch headers', 'GET', { host }],
])('requireOwnPage: the frame of a message is refused for %s', (_case, method, headers) => {
  expect(check(method, '/frame/message/anna/AAAA', headers)).toBe('forbidden')
})

import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from '@jest/globals'
import { clearSessionCookie, readSessionCookie, setSessionCookie } from './session-cookie.ts'

const value = 'A'.repeat(43)

/** Creates a request with headers, over TLS if `secure`. */
function requestWith(headers: Record<string, string>, secure = false): IncomingMessage {
  return { headers, socket: secure ? { encrypted: true } : {} } as unknown as IncomingMessage
}

/** Set-Cookie headers that the function `act` adds to the response to a request. */
function cookiesOf(
  request: IncomingMessage,
  act: (exchange: { request: IncomingMessage; response: ServerResponse }) => void,
): string[] {
  const set: string[] = []
  const response = { appendHeader: (_name: string, text: string) => set.push(text) }
  act({ request, response: response as unknown as ServerResponse })
  return set
}

test.each([
  ['localhost:3008', {}, false],
  ['127.0.0.1:3008', {}, false],
  ['[::1]:3008', {}, false],
  ['LOCALHOST', {}, false],
  ['localhost:3008', { 'x-forwarded-proto': 'https' }, true],
  ['admin.example', {}, true],
  ['localhost.example', {}, true],
  ['127.0.0.1.example', {}, true],
  ['', {}, true],
])('setSessionCookie: Host %s with %j, Secure %s', (host, more, isSecure) => {
  const set = (exchange: Parameters<typeof setSessionCookie>[0]) =>
    setSessionCookie(exchange, value)
  const [cookie = ''] = cookiesOf(requestWith({ host, ...more }), set)
  expect(cookie).toBe(
    isSecure
      ? `__Host-posthorn-session=${value}; Path=/; HttpOnly; SameSite=Strict; Secure`
      : `posthorn-session=${value}; Path=/; HttpOnly; SameSite=Strict`,
  )
})

test('setSessionCookie: over TLS, Secure on loopback too', () => {
  const request = requestWith({ host: 'localhost:3008' }, true)
  const [cookie] = cookiesOf(request, (exchange) => setSessionCookie(exchange, value))
  expect(cookie).toMatch(/^__Host-.*; Secure$/)
})

test('clearSessionCookie: has the attributes with which the cookie was set', () => {
  expect(cookiesOf(requestWith({ host: 'admin.example' }), clearSessionCookie)).toEqual([
    '__Host-posthorn-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure',
  ])
})

test.each([
  ['admin.example', `__Host-posthorn-session=${value}`, value],
  ['admin.example', `a=b; __Host-posthorn-session=${value};c=d`, value],
  // Another host of the same domain can set a session cookie without the prefix __Host-.
  ['admin.example', `posthorn-session=${value}`, undefined],
  ['localhost', `posthorn-session=${value}`, value],
  ['localhost', `posthorn-session=${value}A`, undefined],
  ['localhost', `posthorn-session="${value}"`, undefined],
  ['localhost', `posthorn-session=${'A'.repeat(42)}`, undefined],
  ['localhost', `xposthorn-session=${value}`, undefined],
  ['localhost', 'posthorn-session', undefined],
  ['localhost', '', undefined],
])('readSessionCookie: Host %s, Cookie %s', (host, cookie, expected) => {
  expect(readSessionCookie(requestWith({ host, cookie }))).toBe(expected)
})

import { expect, test } from '@jest/globals'
import { parseCredentials } from './parse-credentials.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const read = (body: unknown) => parseCredentials(JSON.stringify(body), now)

test('parseCredentials: token or password, prefers the token', () => {
  expect(read({ user: 'u', accessToken: 't' })?.credentials).toEqual({
    user: 'u',
    accessToken: 't',
  })
  expect(read({ user: 'u', pass: 'p' })?.credentials).toEqual({ user: 'u', pass: 'p' })
  expect(read({ user: 'u', pass: 'p', accessToken: 't' })?.credentials).toEqual({
    user: 'u',
    accessToken: 't',
  })
})

test.each([
  ['not JSON', '<html>'],
  ['an array', '[]'],
  ['null', 'null'],
  ['no user', '{"accessToken":"t"}'],
  ['no credential', '{"user":"u"}'],
  ['a number for a password', '{"user":"u","pass":1}'],
  ['an empty token', '{"user":"u","accessToken":""}'],
  ['a line break in the user', '{"user":"u\\r\\na LOGOUT","pass":"p"}'],
  ['NUL in the password', '{"user":"u","pass":"p\\u0000"}'],
])('parseCredentials: %s, undefined', (_case, text) => {
  expect(parseCredentials(text, now)).toBeUndefined()
})

test('parseCredentials: cached until 1 min before expiry, at most 5 min, 5 s without expiry', () => {
  expect(read({ user: 'u', accessToken: 't', expires: '2026-03-01T12:03:00Z' })?.expiresAt).toBe(
    now + 120_000,
  )
  expect(read({ user: 'u', accessToken: 't', expires: now / 1_000 + 180 })?.expiresAt).toBe(
    now + 120_000,
  )
  expect(read({ user: 'u', accessToken: 't', expires: '2026-03-01T18:00:00Z' })?.expiresAt).toBe(
    now + 300_000,
  )
  expect(read({ user: 'u', accessToken: 't' })?.expiresAt).toBe(now + 5_000)
  expect(read({ user: 'u', accessToken: 't', expires: 'soon' })?.expiresAt).toBe(now + 5_000)
})

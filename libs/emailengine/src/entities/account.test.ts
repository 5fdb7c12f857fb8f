import { describe, expect, test } from '@jest/globals'
import { mapAccount } from './account.ts'

const imap = { host: 'imap.test', port: 993, secure: true, auth: { user: 'u', pass: 'p' } }
const oauth2 = { provider: 'app', auth: { user: 'u@a.test' } }

const map = (record: object) => mapAccount('a', { name: 'n', ...record })
function inputOf(record: object) {
  const entry = map(record)
  return entry.skipped === undefined ? entry.input.reveal() : entry.skipped
}

describe('mapAccount: values', () => {
  test.each([
    ['exported values', { copy: true, logs: false }, { copy: true, logs: false }],
    ['texts of the store', { copy: 'true', logs: '0' }, { copy: true, logs: false }],
    ['unset values', { copy: '', logs: 'null', proxy: '', email: null, tz: undefined }, {}],
    ['a path as text', { path: 'INBOX' }, { path: ['INBOX'] }],
    ['a path as JSON text', { path: '"INBOX"' }, { path: ['INBOX'] }],
    ['all paths', { path: '["*"]' }, {}],
    ['no path', { path: [] }, {}],
    ['a date', { notifyFrom: new Date(0) }, { notifyFrom: '1970-01-01T00:00:00.000Z' }],
    ['milliseconds', { notifyFrom: 1e12 }, { notifyFrom: '2001-09-09T01:46:40.000Z' }],
    ['headers as object', { webhooksCustomHeaders: { A: '1' } }, headers('A', '1')],
    ['disabled IMAP', { imap: { disabled: true } }, { imap: { disabled: true } }],
    ['no servers', { imap: false, smtp: null, oauth2: false }, {}],
  ])('with %s', (_name, record, expected) => {
    expect(inputOf(record)).toEqual({ account: 'a', name: 'n', ...expected })
  })

  test('members of the state are left out', () => {
    const state = {
      state: 'connected',
      lastErrorState: '{}',
      counters: { events: {} },
      type: 'imap',
    }
    expect(inputOf(state)).toEqual({ account: 'a', name: 'n' })
  })

  test.each([
    [{ name: '', email: 'x@a.test' }, 'x@a.test'],
    [{ name: null }, 'a'],
    [{ name: 'two\r\nlines' }, 'two lines'],
  ])('with the name of %j, changes the name', (record, name) => {
    expect(inputOf(record)).toMatchObject({ name })
    expect(map(record)).toMatchObject({ changes: [expect.stringMatching(/^name: /)] })
  })
})

describe('mapAccount: logins', () => {
  test.each([
    ['an access token', { ...imap.auth, accessToken: 't' }, { user: 'u', accessToken: 't' }],
    ['no access token', { ...imap.auth, accessToken: false }, { user: 'u', pass: 'p' }],
    ['an unknown member', { ...imap.auth, x: 1 }, { user: 'u', pass: 'p' }],
  ])('with %s', (_name, auth, expected) => {
    expect(inputOf({ imap: { ...imap, auth } })).toMatchObject({ imap: { auth: expected } })
  })

  test('with the authentication server, contains no credentials', () => {
    const input = inputOf({
      imap: { ...imap, useAuthServer: true },
      oauth2: { ...oauth2, useAuthServer: true, accessToken: 't', refreshToken: 'r', expires: 1 },
    })
    expect(input).toMatchObject({ imap: { host: 'imap.test', useAuthServer: true } })
    expect(JSON.stringify(input)).not.toMatch(/pass|oken|expires/)
  })

  test('with OAuth2, servers need no login of their own', () => {
    const { auth: _auth, ...server } = imap
    expect(inputOf({ imap: server, oauth2 })).toMatchObject({ imap: server, oauth2 })
  })

  test('a consent page is never requested', () => {
    const entry = inputOf({ oauth2: { ...oauth2, authorize: true, redirectUrl: 'https://a.test' } })
    expect(entry).toEqual({ account: 'a', name: 'n', oauth2 })
  })

  test.each([
    ['oauth2.provider is missing', { oauth2: { auth: {} } }],
    ['oauth2.auth is missing', { oauth2: { provider: 'app' } }],
    [
      'oauth2.auth.delegatedUser is missing',
      { oauth2: { provider: 'app', auth: { delegatedAccount: 'b' } } },
    ],
    ['smtp.auth has no password and no access token', { smtp: { ...imap, auth: { user: 'u' } } }],
    ['"imap.auth.user" is required', { imap: { ...imap, auth: { pass: 'p' } } }],
    ['"imap.port" must be <= 65535', { imap: { ...imap, port: 70_000 } }],
    ['"imap.secure" must be of type boolean', { imap: { ...imap, secure: 'maybe' } }],
    ['"webhooks" must be a valid http or https URL', { webhooks: 'ftp://a.test' }],
  ])('with a reason, %s', (reason, record) => {
    expect(inputOf(record)).toBe(reason)
  })
})

test('mapAccount: optional members that are invalid are left out and reported', () => {
  const record = { tz: 'x'.repeat(101), email: 'no address', webhooksCustomHeaders: [{ key: '' }] }
  expect(map(record)).toMatchObject({
    omitted: expect.arrayContaining([
      expect.stringMatching(/^"tz" must NOT have more/),
      '"email" must be a valid email address',
      expect.stringMatching(/^"webhooksCustomHeaders.0.key"/),
    ]),
  })
})

function headers(key: string, value: string) {
  return { webhooksCustomHeaders: [{ key, value }] }
}

import { describe, expect, test } from '@jest/globals'
import type { StoredOAuth2 } from '@posthorn/db'
import type { PasswordKind } from '../../store/credentials.ts'
import {
  assertMailboxUnchanged,
  assertMailServerUnchanged,
  assertTargetUnchanged,
} from './assert-no-redirect.ts'

const bound = { account: 'own' }

describe('assertMailboxUnchanged', () => {
  const stored: StoredOAuth2 = { provider: 'app', auth: { user: 'me@mail.example' } }
  const email = 'me@mail.example'
  const imap = { host: 'imap.mail.example', port: 143 }
  const before = { oauth2: stored, email, imap, smtp: null, proxy: null }
  const byPassword = { ...before, oauth2: null }

  test.each<[string, object | null, boolean]>([
    ['the same login from the authentication server', { ...stored, useAuthServer: true }, true],
    ['no OAuth2', null, true],
    ['another user', { ...stored, auth: { user: 'you@mail.example' } }, false],
    ['another application', { ...stored, provider: 'other' }, false],
    [
      'a shared mailbox',
      { ...stored, auth: { ...stored.auth, delegatedUser: 'x@y.example' } },
      false,
    ],
    [
      'the grant of another account',
      { ...stored, auth: { ...stored.auth, delegatedAccount: 'other' } },
      false,
    ],
  ])('account-bound token, OAuth2 login changed to %s, allowed: %s', (_to, column, allowed) => {
    const change = { oauth2: column && JSON.stringify(column) }
    const attempt = () => assertMailboxUnchanged(bound, before, change)
    if (allowed) expect(attempt).not.toThrow()
    else expect(attempt).toThrow('Unauthorized account')
    expect(() => assertMailboxUnchanged({ account: null }, before, change)).not.toThrow()
    expect(() => assertMailboxUnchanged(null, before, change)).not.toThrow()
  })

  test('password login changed to OAuth2, throws', () => {
    const change = { oauth2: JSON.stringify(stored) }
    expect(() => assertMailboxUnchanged(bound, byPassword, change)).toThrow('Unauthorized account')
  })

  test('with the address as user, a new address throws', () => {
    const other = { email: 'you@mail.example' }
    const byAddress = { ...before, oauth2: { provider: 'app' } }
    expect(() => assertMailboxUnchanged(bound, byAddress, other)).toThrow('Unauthorized account')
    for (const independent of [before, byPassword])
      expect(() => assertMailboxUnchanged(bound, independent, other)).not.toThrow()
  })

  test('OAuth2 login with another host or proxy, throws', () => {
    const same = { imap: JSON.stringify({ ...imap, port: 993 }) }
    const other = { imap: JSON.stringify({ host: 'evil.example' }) }
    expect(() => assertMailboxUnchanged(bound, before, same)).not.toThrow()
    expect(() => assertMailboxUnchanged(bound, byPassword, other)).not.toThrow()
    expect(() => assertMailboxUnchanged(bound, before, other)).toThrow('Unauthorized account')
    const evil = { smtp: JSON.stringify({ host: 'evil.example' }) }
    const proxied = { proxy: 'socks5://evil.example' }
    for (const change of [evil, proxied])
      expect(() => assertMailboxUnchanged(bound, before, change)).toThrow('Unauthorized account')
  })
})

describe('assertTargetUnchanged', () => {
  const header = { key: 'Authorization', value: 'sealed~x' }
  const before = { webhooks: 'https://u:sealed~y@own.example/in', webhooksCustomHeaders: [header] }
  const evil = 'https://evil.example/'
  const headers = (...values: object[]) => ({ webhooksCustomHeaders: JSON.stringify(values) })

  test.each<[string, object, boolean]>([
    ['another path of the server', { webhooks: 'https://own.example/other' }, true],
    ['no target, so that the default target gets them', { webhooks: null }, true],
    ['another origin', { webhooks: evil }, false],
    ['the same host without TLS', { webhooks: 'http://own.example/in' }, false],
    [
      'another origin with an additional header',
      { webhooks: evil, ...headers(header, { key: 'X', value: 'new' }) },
      false,
    ],
    [
      'another origin with new headers only',
      { webhooks: evil, ...headers({ key: 'X', value: 'new' }) },
      true,
    ],
    ['another origin without headers', { webhooks: evil, ...headers() }, true],
    ['no change', {}, true],
  ])('account-bound token, stored headers and %s, allowed: %s', (_to, change, allowed) => {
    const attempt = () => assertTargetUnchanged(bound, before, change)
    if (allowed) expect(attempt).not.toThrow()
    else expect(attempt).toThrow('Unauthorized account')
    expect(() => assertTargetUnchanged({ account: null }, before, change)).not.toThrow()
    expect(() => assertTargetUnchanged(null, before, change)).not.toThrow()
  })

  test('without a target, stored headers are for the default target, so a new target throws', () => {
    const none = { ...before, webhooks: null }
    expect(() => assertTargetUnchanged(bound, none, { webhooks: evil })).toThrow(
      'Unauthorized account',
    )
    const bare = { webhooks: null, webhooksCustomHeaders: null }
    expect(() => assertTargetUnchanged(bound, bare, { webhooks: evil })).not.toThrow()
  })
})

describe('assertMailServerUnchanged', () => {
  const imap = { host: 'imap.mail.example', port: 143, secure: false }
  const passwords: PasswordKind[] = ['imap']
  const byPassword = { imap, smtp: null, proxy: null, passwords }
  const byAuthServer = { ...byPassword, imap: { ...imap, useAuthServer: true }, passwords: [] }

  const attempt = (before: typeof byPassword, server: object | null, more: object = {}) => {
    const columns = { ...(server ? { imap: JSON.stringify(server) } : {}), ...more }
    return () => assertMailServerUnchanged(bound, before, { columns, passwords: [] })
  }

  test.each<[string, object | null, object]>([
    ['a proxy', null, { proxy: 'socks5://evil.example' }],
    ['any certificate', { ...imap, tls: { rejectUnauthorized: false } }, {}],
    ['another port', { ...imap, port: 1143 }, {}],
    ['another host', { ...imap, host: 'evil.example' }, {}],
  ])('account-bound token, stored or fetched credential and %s, throws', (_to, server, more) => {
    const fetched = server && { ...server, useAuthServer: true }
    expect(attempt(byPassword, server, more)).toThrow('Unauthorized account')
    expect(attempt(byAuthServer, fetched, more)).toThrow('Unauthorized account')
    const columns = { ...(server ? { imap: JSON.stringify(server) } : {}), ...more }
    const sealed = [{ kind: 'imap', seal: 'new' }] as const
    for (const [token, passwords] of [
      [bound, sealed],
      [null, []],
      [{ account: null }, []],
    ] as const)
      expect(() =>
        assertMailServerUnchanged(token, byPassword, { columns, passwords }),
      ).not.toThrow()
  })

  test('password login changed to the authentication server, throws', () => {
    expect(attempt(byPassword, { ...imap, useAuthServer: true })).toThrow('Unauthorized account')
  })

  test('same network path, or no credential, does not throw', () => {
    const same = { ...imap, host: 'IMAP.mail.example', resyncDelay: 1 }
    expect(attempt(byPassword, same)).not.toThrow()
    expect(attempt({ ...byPassword, passwords: [] }, { ...imap, port: 993 })).not.toThrow()
  })
})

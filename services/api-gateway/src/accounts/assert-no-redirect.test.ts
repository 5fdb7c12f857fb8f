import { describe, expect, test } from '@jest/globals'
import type { StoredOAuth2 } from '@posthorn/db'
import type { LockedAccount } from '../store/accounts/accounts.ts'
import {
  assertLoginsUnchanged,
  assertNoOtherProxy,
  assertOneOrigin,
  assertTargetUnchanged,
} from './assert-no-redirect.ts'

const bound = { account: 'own' }

describe('assertLoginsUnchanged', () => {
  type Before = Pick<LockedAccount, 'imap' | 'smtp' | 'oauth2' | 'email' | 'proxy' | 'passwords'>
  type Change = Parameters<typeof assertLoginsUnchanged>[2]

  const server = { host: 'imap.mail.example', port: 143, secure: false }
  const none = { imap: null, smtp: null, oauth2: null, email: 'me@mail.example', proxy: null }
  const grant: StoredOAuth2 = { provider: 'app', auth: { user: 'me@mail.example' } }
  const byOAuth2: Before = { ...none, imap: server, oauth2: grant, passwords: ['oauth2'] }
  const own = { ...server, auth: { user: 'me' } }
  const byPassword: Before = { ...none, imap: own, passwords: ['imap'] }
  const fetched = { ...server, useAuthServer: true }
  const byAuthServer: Before = { ...none, imap: fetched, passwords: [] }

  const attempt = (before: Before, change: Partial<Change>, token: typeof bound | null = bound) => {
    return () => assertLoginsUnchanged(token, before, { columns: {}, passwords: [], ...change })
  }
  const imap = (column: object) => ({ columns: { imap: JSON.stringify(column) } })
  const oauth2 = (column: object | null) => ({
    columns: { oauth2: column && JSON.stringify(column) },
  })

  const logins: [string, Before][] = [
    ['password', byPassword],
    ['OAuth2', byOAuth2],
    ['authentication server', byAuthServer],
  ]
  const redirects: [string, object][] = [
    ['host', { host: 'evil.example' }],
    ['port', { port: 1143 }],
    ['security', { secure: true }],
    ['certificate check', { tls: { rejectUnauthorized: false } }],
    ['lowest TLS version', { tls: { minVersion: 'TLSv1' } }],
  ]

  test.each(
    logins.flatMap(([login, before]) =>
      redirects.map(([part, change]) => [login, part, before, change] as const),
    ),
  )('account-bound token, login by %s and another %s, throws', (...[, , before, change]) => {
    const redirect = imap({ ...before.imap, ...change })
    expect(attempt(before, redirect)).toThrow('Unauthorized account')
    expect(attempt(before, redirect, null)).not.toThrow()
    const unbound = { account: null }
    expect(() =>
      assertLoginsUnchanged(unbound, before, { ...redirect, passwords: [] }),
    ).not.toThrow()
  })

  test.each(logins)('account-bound token, login by %s and another proxy, throws', (_, before) => {
    const proxied = { ...before, proxy: 'socks5://u:sealed~x@proxy.example:1080' }
    const proxy = (url: string | null) => ({ columns: { proxy: url } })
    expect(attempt(before, proxy('socks5://evil.example'))).toThrow('Unauthorized account')
    expect(attempt(proxied, proxy('socks5://evil.example'))).toThrow('Unauthorized account')
    expect(attempt(proxied, proxy(null))).toThrow('Unauthorized account')
    expect(attempt(proxied, proxy('socks5://u:new@proxy.example:1080'))).not.toThrow()
  })

  test('account-bound token, stored password and another user, throws', () => {
    const other = imap({ ...own, auth: { user: 'you' } })
    expect(attempt(byPassword, other)).toThrow('Unauthorized account')
    const sealed = [{ kind: 'imap', seal: 'new' }] as const
    expect(attempt(byPassword, { ...other, passwords: sealed })).not.toThrow()
    expect(attempt({ ...byPassword, passwords: [] }, other)).not.toThrow()
  })

  test.each<[string, object | null, boolean]>([
    ['the same login from the authentication server', { ...grant, useAuthServer: true }, true],
    ['no OAuth2', null, true],
    ['another user', { ...grant, auth: { user: 'you@mail.example' } }, false],
    ['another application', { ...grant, provider: 'other' }, false],
    ['a shared mailbox', { ...grant, auth: { ...grant.auth, delegatedUser: 'x@y.z' } }, false],
    [
      'the grant of another account',
      { ...grant, auth: { ...grant.auth, delegatedAccount: 'other' } },
      false,
    ],
  ])('account-bound token, OAuth2 login changed to %s, allowed: %s', (_to, column, allowed) => {
    for (const before of [byOAuth2, { ...byOAuth2, imap: null }])
      for (const passwords of [[], [{ kind: 'oauth2', seal: 'new tokens' }] as const]) {
        const change = attempt(before, { ...oauth2(column), passwords })
        if (allowed) expect(change).not.toThrow()
        else expect(change).toThrow('Unauthorized account')
      }
  })

  test('another source of the credentials, throws', () => {
    for (const before of [byPassword, byOAuth2])
      expect(attempt(before, imap(fetched))).toThrow('Unauthorized account')
    expect(attempt(byPassword, oauth2(grant))).toThrow('Unauthorized account')
    // If a caller added a login for another mail server and removed the login, the account's access
    // token would be sent to that server.
    const redirected = { ...byOAuth2, imap: { ...own, host: 'evil.example' } }
    const back = imap({ ...server, host: 'evil.example' })
    expect(attempt(redirected, back)).toThrow('Unauthorized account')
  })

  test('OAuth2 login and a new server, throws', () => {
    const change = { columns: { smtp: JSON.stringify({ host: 'evil.example', port: 587 }) } }
    expect(attempt(byOAuth2, change)).toThrow('Unauthorized account')
    expect(attempt({ ...none, passwords: [] }, change)).not.toThrow()
  })

  test('with the address as user, a new address throws', () => {
    const change = { columns: { email: 'you@mail.example' } }
    const byAddress = { ...byOAuth2, oauth2: { provider: 'app' } }
    expect(attempt(byAddress, change)).toThrow('Unauthorized account')
    for (const independent of [byOAuth2, byPassword])
      expect(attempt(independent, change)).not.toThrow()
  })

  test('same network path and user, does not throw', () => {
    for (const [, before] of logins) {
      const same = { host: 'IMAP.mail.example', tls: { rejectUnauthorized: true }, resyncDelay: 1 }
      expect(attempt(before, imap({ ...before.imap, ...same }))).not.toThrow()
    }
  })
})

const header = { key: 'Authorization', value: 'sealed~x' }
const registered = {
  webhooks: 'https://u:sealed~y@own.example/in',
  webhooksCustomHeaders: [header],
  imap: null,
  smtp: null,
  tenantSet: [],
}
const evil = 'https://evil.example/'
const headers = (...values: object[]) => ({ webhooksCustomHeaders: JSON.stringify(values) })
const fresh = { key: 'X', value: 'new' }

describe('assertTargetUnchanged', () => {
  const attempt =
    (
      before: Parameters<typeof assertTargetUnchanged>[1],
      change: Parameters<typeof assertTargetUnchanged>[2],
    ) =>
    (token: Parameters<typeof assertTargetUnchanged>[0] = bound) =>
      assertTargetUnchanged(token, before, change)

  test.each<[string, Parameters<typeof assertTargetUnchanged>[2], boolean]>([
    ['another path of the server', { webhooks: 'https://own.example/other' }, false],
    ['another login', { webhooks: 'https://u:new@own.example/in' }, false],
    ['the same target', { webhooks: registered.webhooks }, true],
    ['no target, so that the default target gets them', { webhooks: null }, true],
    ['another origin', { webhooks: evil }, false],
    ['another origin with the masked headers', { webhooks: evil, ...headers(header) }, false],
    ['another origin with new headers', { webhooks: evil, ...headers(fresh) }, true],
    ['another origin without headers', { webhooks: evil, ...headers() }, true],
    ['new headers', headers(fresh), false],
    ['the masked headers', headers(header), true],
    ['no headers', headers(), true],
    ['no change', {}, true],
  ])("account-bound token, operator's headers and %s, allowed: %s", (_to, change, allowed) => {
    const changed = attempt(registered, change)
    if (allowed) expect(() => changed()).not.toThrow()
    else expect(() => changed()).toThrow('Unauthorized account')
    expect(() => changed({ account: null })).not.toThrow()
    expect(() => changed(null)).not.toThrow()
  })

  test('without a target, stored headers are for the default target, so a new target throws', () => {
    const change = { webhooks: evil }
    const none = { ...registered, webhooks: null }
    expect(() => attempt(none, change)()).toThrow('Unauthorized account')
    expect(() => attempt({ ...none, webhooksCustomHeaders: null }, change)()).not.toThrow()
  })

  test("headers of the tenant, go along to the tenant's target, unless their origin is unknown", () => {
    for (const webhooks of [null, registered.webhooks]) {
      const own = { ...registered, webhooks, tenantSet: ['webhooksCustomHeaders' as const] }
      const unknown = { ...own, tenantSet: [...own.tenantSet, 'unknownHeaders' as const] }
      expect(() => attempt(own, { webhooks: evil })()).not.toThrow()
      expect(() => attempt(unknown, { webhooks: evil })()).toThrow('Unauthorized account')
      expect(() => attempt(unknown, { webhooks: evil, ...headers(fresh) })()).not.toThrow()
    }
  })
})

describe('assertOneOrigin', () => {
  const tenants = { ...registered, tenantSet: ['webhooksCustomHeaders' as const] }
  const unknown = { ...tenants, tenantSet: [...tenants.tenantSet, 'unknownHeaders' as const] }
  const mixed = headers(header, fresh)

  test('masked headers of the other party beside new ones, throw', () => {
    for (const before of [registered, unknown])
      expect(() => assertOneOrigin('tenant', mixed, before)).toThrow('Unauthorized account')
    for (const before of [tenants, unknown])
      expect(() => assertOneOrigin('operator', mixed, before)).toThrow()
  })

  test('own headers beside new ones, and masked headers alone, do not throw', () => {
    expect(() => assertOneOrigin('tenant', mixed, tenants)).not.toThrow()
    expect(() => assertOneOrigin('operator', mixed, registered)).not.toThrow()
    for (const by of ['tenant', 'operator'] as const)
      for (const before of [registered, tenants, undefined])
        expect(() => assertOneOrigin(by, headers(header), before)).not.toThrow()
  })
})

describe('assertNoOtherProxy', () => {
  const stored = { proxy: 'socks5://u:sealed~x@proxy.example:1080' }
  const attempt = (proxy: string | null, before: { proxy: string | null } = stored) => {
    return (token: typeof bound | null = bound) => assertNoOtherProxy(token, before, { proxy })
  }

  test.each<[string, ReturnType<typeof attempt>]>([
    ['another proxy', attempt('socks5://evil.example')],
    ['the first proxy', attempt('socks5://evil.example', { proxy: null })],
    ['another login at the proxy', attempt('socks5://v:x@proxy.example:1080')],
  ])('account-bound token, %s, throws', (_what, change) => {
    expect(() => change(bound)).toThrow('A token that is bound to an account can not set a proxy')
    expect(() => change(null)).not.toThrow()
  })

  test('account-bound token, no proxy or a new password at the stored one, is accepted', () => {
    expect(attempt(null)).not.toThrow()
    expect(attempt('socks5://u:new@proxy.example:1080')).not.toThrow()
  })
})

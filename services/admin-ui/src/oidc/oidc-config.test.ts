import { expect, test } from '@jest/globals'
import { readOidcConfig } from './oidc-config.ts'

const env = {
  SVC_ADMIN_OIDC_ISSUER: 'https://id.example/realm',
  SVC_ADMIN_OIDC_CLIENT_ID: 'posthorn',
  SVC_ADMIN_OIDC_CLIENT_SECRET: 'secret',
}

test('readOidcConfig: without an issuer, undefined', () => {
  expect(readOidcConfig({})).toBeUndefined()
})

test('readOidcConfig: groups of roles are admitted, lists are split', () => {
  const config = readOidcConfig({
    ...env,
    SVC_ADMIN_OIDC_USERS: 'Ann@Example.com, example.org',
    SVC_ADMIN_OIDC_GROUPS: 'mail',
    SVC_ADMIN_OIDC_ROLES: 'cn=ops=operator, admins=owner',
  })
  expect(config).toMatchObject({
    scopes: 'openid email profile',
    users: ['ann@example.com', 'example.org'],
    groups: ['mail', 'cn=ops', 'admins'],
    groupsClaim: 'groups',
    only: false,
    logoutUrl: undefined,
  })
})

test.each([
  [{ SVC_ADMIN_OIDC_CLIENT_SECRET: '' }, 'SVC_ADMIN_OIDC_CLIENT_SECRET'],
  [{ SVC_ADMIN_OIDC_CLIENT_ID: '' }, 'SVC_ADMIN_OIDC_CLIENT_ID'],
  [{ SVC_ADMIN_OIDC_ISSUER: 'http://id.example' }, 'SVC_ADMIN_OIDC_ISSUER'],
  [{ SVC_ADMIN_OIDC_ROLES: 'ops=admin' }, 'SVC_ADMIN_OIDC_ROLES'],
  [{ SVC_ADMIN_OIDC_ROLES: '=owner' }, 'SVC_ADMIN_OIDC_ROLES'],
  [{ SVC_ADMIN_OIDC_LOGOUT: 'javascript:alert(1)' }, 'SVC_ADMIN_OIDC_LOGOUT'],
])('readOidcConfig: %j, is rejected', (changes, name) => {
  expect(() => readOidcConfig({ ...env, ...changes })).toThrow(name)
})

import { afterAll, expect, test } from '@jest/globals'
import { createOAuth2World } from './oauth2-world.ts'

// OAuth2 applications for the Gmail API at an independent OpenID provider: consent, refresh and
// revocation of grants.

const modify = 'https://www.googleapis.com/auth/gmail.modify'
const world = await createOAuth2World()
const { provider } = world
afterAll(() => world[Symbol.asyncDispose]())
const { authorizeUrl, tokenUrl, userinfoUrl, revokeUrl, clientId, clientSecret } = provider
await world.insertApp('gmail', 'gmail', {
  baseScopes: 'api',
  clientId,
  clientSecret,
  authorizeUrl,
  tokenUrl,
  userinfoUrl,
  revokeUrl,
  redirectUrl: 'http://127.0.0.1:1/oauth',
})

const refreshes = () => provider.counts.granted['refresh_token'] ?? 0

async function register(account: string): Promise<string> {
  const user = `${account}@gmail.example`
  const { sealedGrant } = await world.consent('gmail', account, user)
  await world.insertApiAccount(account, 'gmail', { provider: 'gmail', auth: { user } })
  await world.putGrant(account, sealedGrant)
  return user
}

test('completeOAuth2Login: Gmail API, grants gmail.modify and names the mailbox', async () => {
  const login = await world.consent('gmail', 'first', 'first@gmail.example')
  expect(login).toMatchObject({
    user: 'first@gmail.example',
    scopes: expect.arrayContaining([modify]),
    missingScopes: [],
  })
})

test('completeOAuth2Login: Gmail API without gmail.modify, is missing it', async () => {
  provider.withheldScopes.add(modify)
  const login = await world.consent('gmail', 'unwilling', 'unwilling@gmail.example')
  provider.withheldScopes.clear()
  expect(login).toMatchObject({ missingScopes: [modify] })
})

test('getCredentials: Gmail API, a rejected token is renewed once with the single-use refresh token', async () => {
  const user = await register('renewed')
  const first = await world.getCredentials('renewed', 'api')
  expect(first).toMatchObject({ user, application: 'gmail', accessToken: expect.any(String) })
  const before = refreshes()
  const second = await world.getCredentials('renewed', 'api', true)
  expect(second).toMatchObject({ user, accessToken: expect.any(String) })
  expect(second).not.toMatchObject({ accessToken: Reflect.get(first, 'accessToken') })
  expect(await world.getCredentials('renewed', 'api')).toEqual(second)
  expect(refreshes() - before).toBe(1)
})

test('getCredentials: Gmail API, a revoked grant is rejected until a new consent', async () => {
  const user = await register('revoked')
  await world.getCredentials('revoked', 'api')
  await provider.revoke(user)
  await expect(world.getCredentials('revoked', 'api', true)).rejects.toMatchObject({
    code: 'OauthRenewError',
  })
  const { sealedGrant } = await world.consent('gmail', 'revoked', user)
  await world.putGrant('revoked', sealedGrant)
  expect(await world.getCredentials('revoked', 'api')).toMatchObject({ user })
})

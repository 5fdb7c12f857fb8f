import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { createOAuth2World } from './oauth2-world.ts'

const world = await createOAuth2World({ replicas: 2 })
const { db, provider } = world
afterAll(() => world[Symbol.asyncDispose]())
await world.insertProviderApp('app')

async function register(account: string): Promise<void> {
  const { sealedGrant, user } = await world.consent('app', account, `${account}@mail.test`)
  await world.insertAccount(account, { provider: 'app', auth: { user } }, sealedGrant)
}
const refreshes = () => provider.counts.granted['refresh_token'] ?? 0

test('completeOAuth2Login: consent, stores a grant and getCredentials returns its token', async () => {
  const login = await world.consent('app', 'first', 'first@mail.test')
  expect(login).toMatchObject({
    user: 'first@mail.test',
    name: 'Name of first@mail.test',
    scopes: expect.arrayContaining(['mail', 'openid']),
    missingScopes: [],
  })
  await world.insertAccount(
    'first',
    { provider: 'app', auth: { user: login.user } },
    login.sealedGrant,
  )
  const before = refreshes()
  const credentials = await world.getCredentials('first')
  expect(credentials).toEqual({ user: 'first@mail.test', accessToken: expect.any(String) })
  expect(await world.getCredentials('first', 'smtp')).toEqual(credentials)
  expect(refreshes()).toBe(before)
})

test('completeOAuth2Login: scope not granted, is in missingScopes', async () => {
  provider.withheldScopes.add('mail')
  const login = await world.consent('app', 'unwilling', 'unwilling@mail.test')
  provider.withheldScopes.clear()
  expect(login).toMatchObject({ missingScopes: ['mail'] })
})

test('completeOAuth2Login: email_verified false, returns unverified', async () => {
  provider.unverified.add('claimed@mail.test')
  const login = await world.consent('app', 'claims', 'claimed@mail.test')
  expect(login).toMatchObject({ user: 'claimed@mail.test', unverified: true })
})

const setTokensApi = (value: boolean) =>
  world.db
    .insertInto('settings')
    .values({ key: 'enableOAuthTokensApi', value: JSON.stringify(value) })
    .onConflict((on) => on.column('key').doUpdateSet({ value: JSON.stringify(value) }))
    .execute()

test('getOAuth2Token: setting enableOAuthTokensApi not true, forbidden', async () => {
  await register('read')
  const disabled = { kind: 'forbidden', code: 'ApiEndpointDisabled' }
  await expect(world.getOAuth2Token('read')).rejects.toMatchObject(disabled)
  await setTokensApi(true)
  expect(await world.getOAuth2Token('read')).toMatchObject({ user: 'read@mail.test' })
  await setTokensApi(false)
  await expect(world.getOAuth2Token('read')).rejects.toMatchObject(disabled)
})

test.each(['gmailService', 'outlookService'] as const)(
  'getOAuth2Token: account of %s, or one that delegates to it, rejected without a request',
  async (kind) => {
    const [app, holder, shared] = [kind, `${kind}-holder`, `${kind}-shared`]
    await world.insertApp(app, kind, { tokenUrl: `${provider.issuer}/token` })
    await world.insertAccount(holder, { provider: app, auth: { user: 'boss@mail.test' } })
    const auth = { delegatedUser: 'shared@mail.test', delegatedAccount: holder }
    await world.insertAccount(shared, { provider: app, auth })
    await setTokensApi(true)
    for (const account of [holder, shared])
      await expect(world.getOAuth2Token(account)).rejects.toMatchObject({
        kind: 'invalid',
        code: 'UnsupportedOperation',
        message: 'Access tokens of service accounts cannot be read',
      })
    await setTokensApi(false)
  },
)

test('startOAuth2Login: returns the issuer of the discovery document', async () => {
  const request = { app: 'app', state: 'x'.repeat(43), codeChallenge: 'x'.repeat(43) }
  expect(await world.start(request)).toMatchObject({ issuer: provider.issuer, requiresIss: true })
})

test('AccessTokens: concurrent requests to two replicas, renew once', async () => {
  await register('many')
  const before = refreshes()
  const replies = await Promise.all(
    Array.from({ length: 40 }, () => world.getCredentials('many', 'imap', true)),
  )
  expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1)
  expect(refreshes()).toBe(before + 1)
})

test('AccessTokens: lease expired before the token request, sends none and uses the newer token', async () => {
  await register('stalled')
  const [requested, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  provider.holdDiscovery = async () => {
    requested.resolve()
    await release.promise
  }
  const stalled = world.getCredentials('stalled', 'imap', true)
  await requested.promise
  provider.holdDiscovery = undefined
  // The lease for renewing the token expires, as it would after 20 s. A replica that was not
  // interrupted then renews the token.
  const row = db.updateTable('oauth2Tokens').where('account', '=', 'stalled')
  await row.set({ refreshingUntil: sql<Date>`now() - interval '1 second'` }).execute()
  const [before, refused] = [refreshes(), provider.counts.refused['refresh_token']]
  await world.verify('app', 'stalled')
  expect(refreshes()).toBe(before + 1)
  release.resolve()
  expect(await stalled).toEqual(await world.getCredentials('stalled'))
  expect([refreshes(), provider.counts.refused['refresh_token']]).toEqual([before + 1, refused])
})

test('isJustRenewed: a rejected new token, is not renewed for 5 min or until a reconnect', async () => {
  await register('rejecting')
  const before = refreshes()
  const first = await world.getCredentials('rejecting', 'imap', true)
  for (let count = 0; count < 10; count += 1)
    expect(await world.getCredentials('rejecting', count % 2 ? 'imap' : 'smtp', true)).toEqual(
      first,
    )
  expect(refreshes()).toBe(before + 1)

  await world.db
    .updateTable('oauth2Tokens')
    .set({ updatedAt: sql<Date>`now() - interval '5 minutes'` })
    .where('account', '=', 'rejecting')
    .execute()
  const next = await world.getCredentials('rejecting', 'imap', true)
  expect(next).not.toEqual(first)
  expect(await world.getCredentials('rejecting', 'imap', true)).toEqual(next)
  expect(refreshes()).toBe(before + 2)

  await world.reconnect('rejecting')
  expect(await world.getCredentials('rejecting', 'imap', true)).not.toEqual(next)
  expect(refreshes()).toBe(before + 3)
})

test('mayRetry: after a rejection, no replica retries until a new grant or a reconnect', async () => {
  await register('gone')
  await provider.revoke('gone@mail.test')
  const rejections = () => provider.counts.refused['refresh_token'] ?? 0
  const before = rejections()
  const rejection = { kind: 'rejected', code: 'OauthRenewError' }
  const requestMany = async () => {
    const requests = Array.from({ length: 40 }, () => world.getCredentials('gone', 'imap', true))
    for (const each of await Promise.allSettled(requests))
      expect(each).toMatchObject({
        reason: { ...rejection, extras: { info: { tokenRequest: { code: 'invalid_grant' } } } },
      })
  }
  /**
   * Dates a stored first failure of a token renewal back by 1 h. Within 5 s after the failure, the
   * last requests might otherwise retry the renewal.
   */
  const makeOld = () =>
    eventually(async () => {
      const { numAffectedRows } = await sql`
        update oauth2_tokens set failing_since = now() - interval '1 hour'
        where account = 'gone' and failing_since = updated_at`.execute(world.db)
      expect(numAffectedRows).toBe(1n)
    })
  await Promise.all([requestMany(), makeOld()])
  await requestMany()
  expect(rejections()).toBe(before + 1)

  await world.reconnect('gone')
  await Promise.all([requestMany(), makeOld()])
  expect(rejections()).toBe(before + 2)

  const { sealedGrant } = await world.consent('app', 'gone', 'gone@mail.test')
  await world.putGrant('gone', sealedGrant)
  expect(await world.getCredentials('gone')).toEqual({
    user: 'gone@mail.test',
    accessToken: expect.any(String),
  })
})

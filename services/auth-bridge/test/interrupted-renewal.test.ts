import { once } from 'node:events'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { createOAuth2World } from './oauth2-world.ts'

const world = await createOAuth2World({ asProcess: true })
const { provider, db } = world
afterAll(() => world[Symbol.asyncDispose]())
await world.insertProviderApp('app')

async function register(account: string): Promise<void> {
  const { sealedGrant, user } = await world.consent('app', account, `${account}@mail.test`)
  await world.insertAccount(account, { provider: 'app', auth: { user } }, sealedGrant)
}

/**
 * Starts a token renewal. Resolves when the provider has replaced the refresh token and delays its
 * response.
 */
async function renewHalfway(account: string) {
  const [replaced, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  provider.holdTokenReplies = async () => {
    replaced.resolve()
    await release.promise
  }
  const request = Promise.allSettled([world.getCredentials(account, 'imap', true)])
  await replaced.promise
  provider.holdTokenReplies = undefined
  return { request, release: () => release.resolve() }
}

let bridge = world.bridge

test('AccessTokens: killed before storing a token, a strict provider requires a new consent', async () => {
  await register('forgiven')
  await register('strict')
  const consented = await world.getCredentials('forgiven')
  provider.acceptsReplacedRefreshTokens = true
  const first = await renewHalfway('forgiven')
  provider.acceptsReplacedRefreshTokens = false
  const second = await renewHalfway('strict')
  bridge?.kill('SIGKILL')
  for (const { release } of [first, second]) release()

  bridge = world.startBridge()
  await eventually(() => world.isServing(), { timeoutMs: 120_000 })
  // Expires the leases for renewing tokens, which otherwise takes 20 s.
  await db
    .updateTable('oauth2Tokens')
    .set({ refreshingUntil: sql<Date>`now()` })
    .execute()
  const forgiven = { user: 'forgiven@mail.test', accessToken: expect.any(String) }
  expect(await world.getCredentials('forgiven')).toEqual(forgiven)
  // The OAuth2 tokens are renewed by this request, or by the request that the kill has interrupted.
  // The new auth-bridge process executes the interrupted request again, perhaps still at this time.
  await eventually(async () => {
    const renewed = await world.getCredentials('forgiven', 'imap', true)
    expect(renewed).toEqual(forgiven)
    expect(renewed).not.toEqual(consented)
  })

  const rejectOne = async () => {
    await expect(world.getCredentials('strict', 'imap', true)).rejects.toMatchObject({
      kind: 'rejected',
      code: 'OauthRenewError',
      extras: { info: { tokenRequest: { response: { error: 'invalid_grant' } } } },
    })
    await world.failForAnHour('strict')
  }
  await rejectOne()
  // The new auth-bridge process executes the interrupted token renewal again. The provider may have
  // rejected the repeated renewal more than 5 s ago, so rejections are counted only from here on.
  const refused = provider.counts.refused['refresh_token']
  for (let count = 0; count < 20; count += 1) await rejectOne()
  expect(provider.counts.refused['refresh_token']).toBe(refused)
  const { sealedGrant } = await world.consent('app', 'strict', 'strict@mail.test')
  await world.putGrant('strict', sealedGrant)
  expect(await world.getCredentials('strict')).toHaveProperty('accessToken')
})

test('SIGTERM: a renewal in flight, is stored before the exit', async () => {
  await register('last')
  const { request, release } = await renewHalfway('last')
  bridge?.kill('SIGTERM')
  // Waits until auth-bridge serves no more commands.
  await eventually(() => expect(world.isServing()).rejects.toThrow())
  const ended = bridge && once(bridge, 'exit')
  release()
  expect(await request).toMatchObject([{ value: { user: 'last@mail.test' } }])
  expect(await ended).toEqual([0, null])
  const stored = db.selectFrom('oauth2Tokens').select('revision').where('account', '=', 'last')
  expect(await stored.execute()).toEqual([{ revision: '1' }])
})

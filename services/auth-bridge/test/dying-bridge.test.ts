import { once } from 'node:events'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { openOAuth2World } from './oauth2-world.ts'

const world = await openOAuth2World({ asProcess: true })
const { provider, db } = world
afterAll(() => world[Symbol.asyncDispose]())
await world.insertProviderApp('app')

async function register(account: string): Promise<void> {
  const { sealedGrant, user } = await world.consent('app', account, `${account}@mail.test`)
  await world.insertAccount(account, { provider: 'app', auth: { user } }, sealedGrant)
}

/** Asks for another token; resolves when the provider has replaced the refresh token, and waits with its answer. */
async function renewHalfway(account: string) {
  const [given, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  provider.holdTokenReplies = async () => {
    given.resolve()
    await release.promise
  }
  const asked = Promise.allSettled([world.ask(account, 'imap', true)])
  await given.promise
  provider.holdTokenReplies = undefined
  return { asked, release: () => release.resolve() }
}

let bridge = world.bridge

test('who dies between the answer of a provider and storing it has the owner asked again, where the old token is worth nothing', async () => {
  await register('forgiven')
  await register('strict')
  provider.acceptsReplacedRefreshTokens = true
  const first = await renewHalfway('forgiven')
  provider.acceptsReplacedRefreshTokens = false
  const second = await renewHalfway('strict')
  bridge?.kill('SIGKILL')
  for (const { release } of [first, second]) release()

  bridge = world.startBridge()
  await eventually(() => world.isAnswering(), { timeoutMs: 120_000 })
  // Twenty seconds later: nobody else is to ask as long as who has the turn may still come with an answer.
  await db
    .updateTable('oauth2Tokens')
    .set({ refreshingUntil: sql<Date>`now()` })
    .execute()
  const forgiven = await world.ask('forgiven')
  expect(forgiven).toEqual({ user: 'forgiven@mail.test', accessToken: expect.any(String) })
  expect(await world.ask('forgiven', 'imap', true)).not.toEqual(forgiven)

  for (let count = 0; count < 20; count += 1) {
    await expect(world.ask('strict', 'imap', true)).rejects.toMatchObject({
      kind: 'rejected',
      code: 'OauthRenewError',
      extras: { info: { tokenRequest: { response: { error: 'invalid_grant' } } } },
    })
    await world.refusedForLong('strict')
  }
  expect(provider.counts.refused['refresh_token']).toBe(1)
  const { sealedGrant } = await world.consent('app', 'strict', 'strict@mail.test')
  await world.putGrant('strict', sealedGrant)
  expect(await world.ask('strict')).toHaveProperty('accessToken')
})

test('who is told to stop stores what it has asked for first', async () => {
  await register('last')
  const { asked, release } = await renewHalfway('last')
  bridge?.kill('SIGTERM')
  // It takes no more questions by now.
  await eventually(() => expect(world.isAnswering()).rejects.toThrow())
  const ended = bridge && once(bridge, 'exit')
  release()
  expect(await asked).toMatchObject([{ value: { user: 'last@mail.test' } }])
  expect(await ended).toEqual([0, null])
  const stored = db.selectFrom('oauth2Tokens').select('revision').where('account', '=', 'last')
  expect(await stored.execute()).toEqual([{ revision: '1' }])
})

import { afterAll, expect, test } from '@jest/globals'
import { sql } from 'kysely'
import { openOAuth2World } from './oauth2-world.ts'

const world = await openOAuth2World({ replicas: 2 })
const { provider } = world
afterAll(() => world[Symbol.asyncDispose]())
await world.insertProviderApp('app')

async function register(account: string): Promise<void> {
  const { sealedGrant, user } = await world.consent('app', account, `${account}@mail.test`)
  await world.insertAccount(account, { provider: 'app', auth: { user } }, sealedGrant)
}
const refreshes = () => provider.counts.granted['refresh_token'] ?? 0

test('a person who consents becomes a grant, and the grant a login', async () => {
  const done = await world.consent('app', 'first', 'first@mail.test')
  expect(done).toMatchObject({
    user: 'first@mail.test',
    name: 'Name of first@mail.test',
    scopes: expect.arrayContaining(['mail', 'openid']),
    missingScopes: [],
  })
  await world.insertAccount(
    'first',
    { provider: 'app', auth: { user: done.user } },
    done.sealedGrant,
  )
  const before = refreshes()
  const credentials = await world.ask('first')
  expect(credentials).toEqual({ user: 'first@mail.test', accessToken: expect.any(String) })
  expect(await world.ask('first', 'smtp')).toEqual(credentials)
  expect(refreshes()).toBe(before)
})

test('what a person did not allow of that which mail needs is told', async () => {
  provider.withheldScopes.add('mail')
  const done = await world.consent('app', 'unwilling', 'unwilling@mail.test')
  provider.withheldScopes.clear()
  expect(done).toMatchObject({ missingScopes: ['mail'] })
})

test('an address that the provider calls unverified is told as such', async () => {
  provider.unverified.add('claimed@mail.test')
  const done = await world.consent('app', 'claims', 'claimed@mail.test')
  expect(done).toMatchObject({ user: 'claimed@mail.test', unverified: true })
})

test('two replicas that are asked at once renew once, and the renewed refresh token is kept', async () => {
  await register('many')
  const before = refreshes()
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => world.ask('many', 'imap', true)),
  )
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(refreshes()).toBe(before + 1)
})

test('a mail server that refuses what the provider has just given has nobody ask for more, until it is old or somebody asks for a try', async () => {
  await register('refused')
  const before = refreshes()
  const given = await world.ask('refused', 'imap', true)
  for (let count = 0; count < 10; count += 1)
    expect(await world.ask('refused', count % 2 ? 'imap' : 'smtp', true)).toEqual(given)
  expect(refreshes()).toBe(before + 1)

  await world.db
    .updateTable('oauth2Tokens')
    .set({ updatedAt: sql<Date>`now() - interval '5 minutes'` })
    .where('account', '=', 'refused')
    .execute()
  const next = await world.ask('refused', 'imap', true)
  expect(next).not.toEqual(given)
  expect(await world.ask('refused', 'imap', true)).toEqual(next)
  expect(refreshes()).toBe(before + 2)

  await world.reconnect('refused')
  expect(await world.ask('refused', 'imap', true)).not.toEqual(next)
  expect(refreshes()).toBe(before + 3)
})

test('a provider that has said no is left alone by all replicas, until there is another grant or somebody asks for a try', async () => {
  await register('gone')
  await provider.revoke('gone@mail.test')
  const refused = () => provider.counts.refused['refresh_token'] ?? 0
  const before = refused()
  const says = { kind: 'rejected', code: 'OauthRenewError' }
  const askMany = async () => {
    const asked = Array.from({ length: 40 }, () => world.ask('gone', 'imap', true))
    for (const each of await Promise.allSettled(asked))
      expect(each).toMatchObject({
        reason: { ...says, extras: { info: { tokenRequest: { code: 'invalid_grant' } } } },
      })
  }
  await askMany()
  await world.refusedForLong('gone')
  await askMany()
  expect(refused()).toBe(before + 1)

  await world.reconnect('gone')
  await askMany()
  expect(refused()).toBe(before + 2)

  const { sealedGrant } = await world.consent('app', 'gone', 'gone@mail.test')
  await world.putGrant('gone', sealedGrant)
  expect(await world.ask('gone')).toEqual({
    user: 'gone@mail.test',
    accessToken: expect.any(String),
  })
})

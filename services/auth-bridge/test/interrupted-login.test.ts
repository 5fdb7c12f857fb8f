import { createHash, randomBytes } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { createOAuth2World } from './oauth2-world.ts'

const world = await createOAuth2World({ asProcess: true })
const { provider } = world
afterAll(() => world[Symbol.asyncDispose]())
await world.insertProviderApp('app')

/**
 * Consents to an OAuth2 sign-in as the user. Returns the command that exchanges the authorization
 * code for a grant.
 */
async function requestCode(account: string) {
  const codeVerifier = randomBytes(32).toString('base64url')
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const state = randomBytes(16).toString('base64url')
  const loginHint = `${account}@mail.test`
  const { url } = await world.start({ app: 'app', state, codeChallenge, loginHint })
  const { code } = await provider.consent(url)
  return { app: 'app', account, code, codeVerifier }
}

/**
 * Holds back responses of the token endpoint. Resolves when the endpoint has executed a token
 * request.
 */
async function executedToken(start: () => void): Promise<() => void> {
  const [executed, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  provider.holdTokenReplies = async () => {
    executed.resolve()
    await release.promise
  }
  start()
  await executed.promise
  provider.holdTokenReplies = undefined
  return release.resolve
}

test('completeOAuth2Login: killed while it redeems a code, no replica redeems the code again', async () => {
  const login = await requestCode('once')
  const abort = new AbortController()
  let result: Promise<unknown> = Promise.resolve()
  const release = await executedToken(() => {
    result = Promise.allSettled([world.complete(login, abort.signal)])
  })
  world.bridge?.kill('SIGKILL')
  release()
  world.startBridge()
  await eventually(() => world.isServing(), { timeoutMs: 120_000 })
  // The OAuth2 login of the account `next` is completed after the command that RabbitMQ has
  // returned to the queue.
  const { account, ...next } = await requestCode('next')
  expect(await world.complete({ account, ...next })).toHaveProperty('sealedGrant')
  abort.abort(new Error('nothing redeems the code'))
  expect(await result).toMatchObject([{ status: 'rejected' }])
  // A second token request with the same authorization code would have revoked the tokens of the
  // first request.
  expect(provider.counts.granted['authorization_code']).toBe(2)
  expect(provider.counts.refused).toEqual({})
})

test('completeOAuth2Login: a code that is redeemed twice, costs the grant of the first time', async () => {
  const login = await requestCode('twice')
  const { user, sealedGrant } = await world.complete(login)
  await world.insertAccount('twice', { provider: 'app', auth: { user } }, sealedGrant)
  await expect(world.complete(login)).rejects.toMatchObject({ kind: 'rejected' })
  // The provider has revoked the access token as well, so a mail server rejects the access token.
  await expect(world.getCredentials('twice', 'imap', true)).rejects.toMatchObject({
    code: 'OauthRenewError',
    extras: { info: { tokenRequest: { response: { error: 'invalid_grant' } } } },
  })
})

import { generateKeyPairSync, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test } from '@jest/globals'
import { AppError } from '@posthorn/errors'
import { createOAuth2World } from './oauth2-world.ts'

/** Token endpoint with scripted responses in the form of large providers. */
const requests: URLSearchParams[] = []
const plan: { status: number; body: string | object }[] = []
const endpoint = createServer((request, response) => {
  void text(request).then((body) => {
    requests.push(new URLSearchParams(body))
    const { status, body: answer } = plan.shift() ?? { status: 500, body: 'not planned' }
    const content = typeof answer === 'string' ? answer : JSON.stringify(answer)
    response.writeHead(status, { 'content-type': 'application/json' }).end(content)
  })
}).listen(0, '127.0.0.1')
await once(endpoint, 'listening')
const tokenUrl = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/token`
const world = await createOAuth2World()
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  endpoint.close()
})

const clientSecret = 'the secret of the application'
await world.insertApp('google', 'gmail', { tokenUrl, clientId: 'g', clientSecret })
await world.insertApp('microsoft', 'outlook', { tokenUrl, clientId: 'm', clientSecret })
const grant = { refreshToken: 'rt-of-before' }
const token = (more: object = {}) => ({
  status: 200,
  body: { access_token: 'at', token_type: 'Bearer', expires_in: 3599, ...more },
})
let accounts = 0
/**
 * Renews the OAuth2 token of a new account. Returns the credentials, or the error of the renewal.
 */
async function renew(app: string, ...answers: (typeof plan)[number][]) {
  const account = `renewing-${++accounts}`
  await world.insertAccount(account, { provider: app, auth: { user: 'u@x.example' } }, grant)
  plan.push(...answers)
  return {
    account,
    result: await world.getCredentials(account).catch((error: unknown) => error as AppError),
  }
}

const stateOf = (app: string) =>
  world.db
    .selectFrom('oauth2AppStates')
    .select('lastError')
    .where('app', '=', app)
    .executeTakeFirstOrThrow()

const microsoftBody = (code: number, error: string) => ({
  error,
  error_description: `AADSTS${code}: Words.\r\nTrace ID: 1\r\nTimestamp: 2026-01-01 00:00:00Z`,
  error_codes: [code],
  trace_id: '1',
  correlation_id: '2',
})

test.each<[string, string, { status: number; body: string | object }, string, string]>([
  [
    'google',
    'revoked',
    {
      status: 400,
      body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
    },
    'rejected',
    'OauthRenewError',
  ],
  [
    'google',
    'wrong secret',
    { status: 401, body: { error: 'invalid_client', error_description: 'Unauthorized' } },
    'rejected',
    'OauthRenewError',
  ],
  [
    'google',
    'outage in HTML',
    { status: 502, body: '<html>Temporary</html>' },
    'unreachable',
    'ETokenRefresh',
  ],
  [
    'google',
    'outage in JSON',
    { status: 500, body: { error: 'internal_failure' } },
    'unreachable',
    'ETokenRefresh',
  ],
  [
    'google',
    'HTML with 200',
    { status: 200, body: '<html>Sign in</html>' },
    'unreachable',
    'ETokenRefresh',
  ],
  [
    'google',
    'invalid token',
    { status: 200, body: { access_token: 'a\r\nb' } },
    'unreachable',
    'ETokenRefresh',
  ],
  [
    'microsoft',
    'unused for a long time',
    { status: 400, body: microsoftBody(700082, 'invalid_grant') },
    'rejected',
    'OauthRenewError',
  ],
  [
    'microsoft',
    'too many requests',
    { status: 400, body: microsoftBody(50196, 'invalid_grant') },
    'unreachable',
    'ETokenRefresh',
  ],
  [
    'microsoft',
    'expired secret',
    { status: 401, body: microsoftBody(7000222, 'invalid_client') },
    'rejected',
    'OauthRenewError',
  ],
])('failureOfToken: %s, %s', async (...[app, , answer, kind, code]) => {
  const { result } = await renew(app, answer)
  expect(result).toMatchObject({ kind, code })
})

test('tokenRequest: rejection, has the text of the provider and no secret', async () => {
  const body = microsoftBody(7000222, 'invalid_client')
  const leak = `${body.error_description} ${clientSecret} ${grant.refreshToken}`
  const { result, account } = await renew('microsoft', {
    status: 401,
    body: { ...body, error_description: leak },
  })
  const { tokenRequest } = (result as AppError).extras.info as { tokenRequest: unknown }
  expect(tokenRequest).toMatchObject({
    url: tokenUrl,
    grant: 'refresh_token',
    provider: 'outlook',
    status: 401,
    clientId: 'm',
    flag: { message: 'The client secret has expired', code: 'invalid_client' },
    response: { error: 'invalid_client', error_codes: [7000222] },
  })
  for (const secret of [clientSecret, grant.refreshToken])
    expect(JSON.stringify([tokenRequest, (result as AppError).message])).not.toContain(secret)
  const failed = await stateOf('microsoft')
  expect(failed.lastError).toMatchObject({ serverResponseCode: 'OauthRenewError' })

  // An issued token clears the last error of the OAuth2 application.
  plan.push(token({ refresh_token: 'rt-of-then' }))
  await world.reconnect(account)
  await world.getCredentials(account)
  expect((await stateOf('microsoft')).lastError).toBeNull()
})

test('requestToken: Google keeps the refresh token, Microsoft replaces it and gets the scopes', async () => {
  const google = await renew('google', token())
  plan.push(token())
  await world.reconnect(google.account)
  await world.getCredentials(google.account, 'imap', true)
  expect(requests.slice(-2).map((body) => body.get('refresh_token'))).toEqual([
    'rt-of-before',
    'rt-of-before',
  ])
  expect(requests.at(-1)?.has('scope')).toBe(false)

  const microsoft = await renew('microsoft', token({ refresh_token: 'second' }))
  plan.push(token({ refresh_token: 'third' }))
  await world.reconnect(microsoft.account)
  await world.getCredentials(microsoft.account, 'imap', true)
  expect(requests.slice(-2).map((body) => body.get('refresh_token'))).toEqual([
    'rt-of-before',
    'second',
  ])
  expect(requests.at(-1)?.get('scope')).toContain(
    'https://outlook.office.com/IMAP.AccessAsUser.All',
  )
})

test('completeOAuth2Login: no refresh token, rejected unless the token does not expire', async () => {
  const login = { app: 'google', account: 'x', code: 'c', codeVerifier: 'v'.repeat(43) }
  const claims = { aud: 'g', exp: 9_999_999_999, iss: 'accounts.google.com', email: 'u@x.example' }
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
  const id_token = `e30.${payload}.`
  plan.push(token({ id_token }))
  await expect(world.complete(login)).rejects.toMatchObject({
    kind: 'rejected',
    code: 'TokenGenerationError',
  })
  plan.push(token({ id_token, expires_in: undefined }))
  expect(await world.complete(login)).toMatchObject({ user: 'u@x.example', missingScopes: [] })
  plan.push(token({ id_token, refresh_token: 'rt' }))
  expect(await world.complete(login)).toMatchObject({ user: 'u@x.example' })
})

test('AccessTokens: grant registered again, replaces the tokens of the old one', async () => {
  const { account } = await renew('google', {
    status: 400,
    body: { error: 'invalid_grant' },
  })
  await world.putGrant(account, { refreshToken: 'of a new consent' })
  plan.push(token())
  expect(await world.getCredentials(account)).toEqual({ user: 'u@x.example', accessToken: 'at' })
  expect(requests.at(-1)?.get('refresh_token')).toBe('of a new consent')
})

/** Inserts an account with an access token that expires after a number of seconds. */
async function registerToken(seconds: number): Promise<string> {
  const account = `ending-${++accounts}`
  const stored = { ...grant, accessToken: 'stored', expires: Date.now() + seconds * 1_000 }
  await world.insertAccount(account, { provider: 'google', auth: { user: 'u@x.example' } }, stored)
  return account
}

test('AccessTokens: token with less than 5 min left, is renewed, others are not', async () => {
  const before = requests.length
  expect(await world.getCredentials(await registerToken(600))).toMatchObject({
    accessToken: 'stored',
  })
  expect(requests).toHaveLength(before)
  plan.push(token())
  expect(await world.getCredentials(await registerToken(270))).toMatchObject({ accessToken: 'at' })
  expect(requests).toHaveLength(before + 1)
})

test('AccessTokens: renewal fails before the end of the token, which is used until shortly before it', async () => {
  const account = await registerToken(270)
  plan.push({ status: 502, body: '<html>Temporary</html>' })
  for (let count = 0; count < 3; count += 1)
    expect(await world.getCredentials(account)).toMatchObject({ accessToken: 'stored' })
  plan.length = 0
  plan.push({ status: 502, body: '<html>Temporary</html>' })
  await expect(world.getCredentials(await registerToken(20))).rejects.toMatchObject({
    kind: 'unreachable',
  })
})

test('AccessTokens: token with a lifetime of 2 min, is not renewed for every request', async () => {
  const before = requests.length
  const { account, result } = await renew('google', token({ expires_in: 120 }))
  expect(result).toMatchObject({ accessToken: 'at' })
  for (let count = 0; count < 3; count += 1)
    expect(await world.getCredentials(account)).toMatchObject({ accessToken: 'at' })
  expect(requests).toHaveLength(before + 1)
})

test('requestToken: service account signs per mailbox, outlookService uses client credentials', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const serviceKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const serviceClientEmail = 's@project.example'
  await world.insertApp('signing', 'gmailService', {
    tokenUrl,
    serviceClient: '1',
    serviceClientEmail,
  })
  await world.putSecret('signing', 'serviceKey', serviceKey)
  await world.insertAccount('signed', { provider: 'signing', auth: { user: 'boss@x.example' } })
  plan.push(token())
  expect(await world.getCredentials('signed')).toEqual({
    user: 'boss@x.example',
    accessToken: 'at',
  })
  const [head = '', claims = '', signature = ''] = (requests.at(-1)?.get('assertion') ?? '').split(
    '.',
  )
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    iss: serviceClientEmail,
    sub: 'boss@x.example',
    scope: 'https://mail.google.com/',
    aud: tokenUrl,
  })
  const signed = Buffer.from(signature, 'base64url')
  expect(verify('RSA-SHA256', Buffer.from(`${head}.${claims}`), publicKey, signed)).toBe(true)

  await world.insertApp('tenant', 'outlookService', { tokenUrl, clientId: 't', clientSecret })
  await world.insertAccount('owned', { provider: 'tenant', auth: { user: 'info@x.example' } })
  plan.push({ status: 401, body: microsoftBody(7000215, 'invalid_client') }, token())
  await expect(world.getCredentials('owned')).rejects.toMatchObject({
    code: 'TokenGenerationError',
  })
  await world.reconnect('owned')
  await world.getCredentials('owned')
  expect(requests.at(-1)?.get('scope')).toBe('https://outlook.office365.com/.default')
})

test('resolveGrant: shared mailbox, read as itself and sent as the delegate with the delegated grant', async () => {
  const delegated = { delegatedUser: 'info@x.example', delegatedAccount: 'hop' }
  const { account } = await renew('google', token())
  await world.insertAccount('hop', {
    provider: 'google',
    auth: { delegatedUser: 'x', delegatedAccount: account },
  })
  await world.insertAccount('shared', { provider: 'google', auth: delegated })
  expect(await world.getCredentials('shared')).toEqual({
    user: 'info@x.example',
    accessToken: 'at',
  })
  expect(await world.getCredentials('shared', 'smtp')).toEqual({
    user: 'u@x.example',
    accessToken: 'at',
  })

  await world.insertAccount('round', {
    provider: 'google',
    auth: { delegatedUser: 'x', delegatedAccount: 'round' },
  })
  await expect(world.getCredentials('round')).rejects.toMatchObject({
    code: 'TokenGenerationError',
  })
})

test('loadGrantApplication: disabled or for an API, no token', async () => {
  const { account } = await renew('google', token())
  await world.db
    .updateTable('oauth2Apps')
    .set({ enabled: false })
    .where('id', '=', 'google')
    .execute()
  await expect(world.getCredentials(account)).rejects.toMatchObject({
    kind: 'internal',
    code: 'AppNotFound',
    message: 'The OAuth2 application of this account is disabled',
  })
  await world.insertApp('api', 'gmail', {
    tokenUrl,
    clientId: 'a',
    clientSecret,
    baseScopes: 'api',
  })
  await world.insertAccount('of-api', { provider: 'api', auth: { user: 'u' } }, grant)
  await expect(world.getCredentials('of-api')).rejects.toMatchObject({ code: 'InvalidBaseScopes' })
})

test.each(['javascript:alert(1)//', 'data:text/html,x', 'nonsense', '//evil.example/'])(
  'startOAuth2Login: authorization endpoint %s, is rejected',
  async (authorizeUrl) => {
    const issuer = new URL('/', tokenUrl).href
    const id = `lying-${authorizeUrl}`
    const redirectUrl = 'http://127.0.0.1:1/oauth'
    await world.insertApp(id, 'generic', { issuer, clientId: 'l', redirectUrl })
    const metadata = { issuer, authorization_endpoint: authorizeUrl, token_endpoint: tokenUrl }
    plan.push({ status: 200, body: metadata })
    await expect(
      world.start({ app: id, state: 's'.repeat(43), codeChallenge: 'c'.repeat(43) }),
    ).rejects.toMatchObject({ kind: 'invalid' })
  },
)

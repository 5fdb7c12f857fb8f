import { constants, createHash, createPublicKey, verify, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { selfSigned } from '@posthorn/testkit'
import { createOAuth2World } from './oauth2-world.ts'

/** Request to Google's token service, its IAM Credentials API or a token endpoint. */
interface ProviderRequest {
  path: string
  authorization: string | undefined
  body: string
}

const requests: ProviderRequest[] = []
/**
 * Responses of the fake provider by path. Responses with a status other than 200 have the form
 * `[status, body]`.
 */
let responses: Record<string, object | [number, object]>
const provider = createServer((request, response) => {
  void text(request).then((body) => {
    const path = request.url ?? ''
    requests.push({ path, authorization: request.headers.authorization, body })
    const scripted = responses[path] ?? [404, {}]
    const [status, content] = Array.isArray(scripted) ? scripted : [200, scripted]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
  })
}).listen(0, '127.0.0.1')
await once(provider, 'listening')
const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
const tokenUrl = `${origin}/token`
const directory = await mkdtemp(join(tmpdir(), 'identity-'))
const identityTokenFile = join(directory, 'token')
await writeFile(identityTokenFile, 'token of the pod\n')
const world = await createOAuth2World({
  config: {
    identityTokenFile,
    providerOrigins: {
      'https://sts.googleapis.com': origin,
      'https://iamcredentials.googleapis.com': origin,
    },
  },
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  provider.close()
  await rm(directory, { recursive: true })
})

const email = 'robot@project.example'
const signPath = `/v1/projects/-/serviceAccounts/${encodeURIComponent(email)}:signJwt`
beforeEach(() => {
  requests.length = 0
  responses = {
    '/v1/token': { access_token: 'federated', expires_in: 3_600, token_type: 'Bearer' },
    [signPath]: { keyId: '1', signedJwt: 'signed.by.google' },
    '/token': { access_token: 'at', token_type: 'Bearer', expires_in: 3_599 },
    '/identity': { id: 'token of a URL' },
  }
})

const federation = {
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
}

let apps = 0
/**
 * Inserts an OAuth2 application with Workload Identity Federation and an account, and requests an
 * access token for the account.
 */
async function requestFederated(source: object, more: object = {}) {
  const id = `federated-${++apps}`
  await world.insertApp(id, 'gmailService', {
    tokenUrl,
    serviceClient: '1',
    serviceClientEmail: email,
    authMethod: 'externalAccount',
  })
  // A project id per OAuth2 application separates the cached federated tokens of the tests.
  const external = { ...federation, credential_source: source, quota_project_id: id, ...more }
  await world.putSecret(id, 'externalAccount', JSON.stringify(external))
  await world.insertAccount(id, { provider: id, auth: { user: 'boss@x.example' } })
  const accessToken = await world.getCredentials(id).then(
    (credentials) => credentials,
    (error: unknown) => error,
  )
  return { id, result: accessToken }
}

test('Federation: exchanges the identity token, signs for the mailbox and requests its token', async () => {
  const { id, result } = await requestFederated({ file: identityTokenFile })
  expect(result).toEqual({ user: 'boss@x.example', accessToken: 'at' })
  const [exchanged, signed, requested] = requests
  expect(Object.fromEntries(new URLSearchParams(exchanged?.body))).toEqual({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience: federation.audience,
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    subject_token_type: federation.subject_token_type,
    subject_token: 'token of the pod',
  })
  expect(signed).toMatchObject({ path: signPath, authorization: 'Bearer federated' })
  const { payload } = JSON.parse(signed?.body ?? '') as { payload: string }
  const claims = JSON.parse(payload) as { iat: number; exp: number }
  expect(claims).toMatchObject({
    iss: email,
    sub: 'boss@x.example',
    scope: 'https://mail.google.com/',
    aud: tokenUrl,
  })
  // An assertion is valid for at most 1 h, minus a minute because Google's clock may differ.
  expect(claims.exp - claims.iat).toBe(3_540)
  expect(new URLSearchParams(requested?.body).get('assertion')).toBe('signed.by.google')

  // The cached federated token also serves further mailboxes of the application.
  await world.insertAccount('second', { provider: id, auth: { user: 'other@x.example' } })
  await world.getCredentials('second')
  expect(requests.filter(({ path }) => path === '/v1/token')).toHaveLength(1)
})

test('Federation: identity token from a URL, in a member of JSON', async () => {
  const source = { url: `${origin}/identity`, headers: { Authorization: 'Basic eA==' } }
  const format = { type: 'json', subject_token_field_name: 'id' }
  const { result } = await requestFederated({ ...source, format })
  expect(result).toMatchObject({ accessToken: 'at' })
  expect(requests[0]).toMatchObject({ path: '/identity', authorization: 'Basic eA==' })
  expect(requests[1]?.body).toContain('subject_token=token+of+a+URL')
})

test.each<[string, object, object]>([
  ['another file', { file: '/etc/hostname' }, {}],
  ['another token service', { file: identityTokenFile }, { token_url: 'https://evil.example/' }],
  ['a command', { executable: { command: 'id' } }, {}],
])('Federation: %s, rejected without a request', async (_case, source, more) => {
  const { id, result } = await requestFederated(source, more)
  expect(result).toMatchObject({ kind: 'rejected', code: 'TokenGenerationError' })
  expect(requests).toEqual([])
  const state = await world.db
    .selectFrom('oauth2AppStates')
    .select('lastError')
    .where('app', '=', id)
    .executeTakeFirstOrThrow()
  expect(state.lastError).toMatchObject({ serverResponseCode: 'TokenGenerationError' })
})

test.each<[number, object, string, string]>([
  [400, { error: 'invalid_grant', error_description: 'hush' }, 'rejected', 'TokenGenerationError'],
  [503, {}, 'unreachable', 'ETokenRefresh'],
  [429, {}, 'unreachable', 'ETokenRefresh'],
])('Federation: token service returns %i, fails without its text', async (...row) => {
  const [status, body, kind, code] = row
  responses['/v1/token'] = [status, body]
  const { result } = await requestFederated({ file: identityTokenFile })
  expect(result).toMatchObject({ kind, code })
  expect((result as Error).message).not.toContain('hush')
})

const { key, cert } = selfSigned(['client'], { keyType: 'rsa' })

/**
 * Inserts an OAuth2 application of a Microsoft tenant with a certificate, and requests an access
 * token for a mailbox.
 */
async function requestCertified(pem: string) {
  const id = `certified-${++apps}`
  await world.insertApp(id, 'outlookService', { tokenUrl, clientId: 'client id' })
  await world.putSecret(id, 'serviceKey', pem)
  await world.insertAccount(id, { provider: id, auth: { user: 'info@x.example' } })
  return world.getCredentials(id)
}

test.each([
  ['key first', key + cert],
  ['certificate first, with escaped line breaks', (cert + key).replaceAll('\n', '\\n')],
])('client credentials: by certificate, %s', async (_case, pem) => {
  expect(await requestCertified(pem)).toEqual({ user: 'info@x.example', accessToken: 'at' })
  const form = new URLSearchParams(requests[0]?.body)
  expect(Object.fromEntries(form)).toMatchObject({
    grant_type: 'client_credentials',
    client_id: 'client id',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  })
  expect(form.has('client_secret')).toBe(false)
  const [head = '', claims = '', signature = ''] = (form.get('client_assertion') ?? '').split('.')
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object
  const { raw } = new X509Certificate(cert)
  expect(parse(head)).toEqual({
    alg: 'PS256',
    typ: 'JWT',
    'x5t#S256': createHash('sha256').update(raw).digest('base64url'),
  })
  expect(parse(claims)).toMatchObject({ iss: 'client id', sub: 'client id', aud: tokenUrl })
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
  const signed = Buffer.from(`${head}.${claims}`)
  expect(
    verify(
      'sha256',
      signed,
      { key: createPublicKey(key), ...pss },
      Buffer.from(signature, 'base64url'),
    ),
  ).toBe(true)
})

test.each([
  ['without a certificate', key],
  ['with the certificate of another key', key + selfSigned(['x'], { keyType: 'rsa' }).cert],
  ['that is no PEM', 'nonsense'],
])('client credentials: service key %s, rejected without a request', async (_case, pem) => {
  await expect(requestCertified(pem)).rejects.toMatchObject({
    kind: 'rejected',
    code: 'TokenGenerationError',
  })
  expect(requests).toEqual([])
})

test('getPubSubToken: a token of the service account itself, for applications for Pub/Sub only', async () => {
  const common = {
    tokenUrl,
    serviceClient: '1',
    serviceClientEmail: email,
    authMethod: 'externalAccount' as const,
  }
  for (const [id, baseScopes] of [
    ['pubsub', 'pubsub'],
    ['mail', 'imap'],
  ] as const) {
    await world.insertApp(id, 'gmailService', { ...common, baseScopes })
    const external = { ...federation, credential_source: { file: identityTokenFile } }
    await world.putSecret(id, 'externalAccount', JSON.stringify({ ...external, quota: id }))
  }
  const token = await world.getPubSubToken('pubsub')
  expect(token).toEqual({ accessToken: 'at', expires: expect.any(Number) })
  const signed = requests.find(({ path }) => path === signPath)
  const { payload } = JSON.parse(signed?.body ?? '') as { payload: string }
  expect(JSON.parse(payload)).toMatchObject({
    iss: email,
    sub: email,
    scope: 'https://www.googleapis.com/auth/pubsub',
  })
  requests.length = 0
  await expect(world.getPubSubToken('mail')).rejects.toMatchObject({ code: 'InvalidBaseScopes' })
  await expect(world.getPubSubToken('none')).rejects.toMatchObject({ code: 'AppNotFound' })
  expect(requests).toEqual([])
})

import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, expect, test } from '@jest/globals'
import { gmailPushUrl, graphNotificationUrls } from '@posthorn/contracts/notification-urls'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually } from '@posthorn/testkit'
import { testServers } from './gateway.ts'
import { receiveNotifications } from './notification-receiver.ts'
import { recordQueries } from './query-recorder.ts'

const servers = await testServers()
const queries = await recordQueries(servers.env.DATABASE_URL)
const baseUrl = 'https://notify.example'
const audience = gmailPushUrl(baseUrl)
const signer = 'push@project.iam.gserviceaccount.com'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
/**
 * Fake of Google that publishes the signing keys of Pub/Sub pushes and counts requests of the keys.
 */
const google = {
  keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }],
  requests: 0,
  status: 200,
}
const keyServer = createServer((_request, response) => {
  google.requests += 1
  response.writeHead(google.status).end(JSON.stringify({ keys: google.keys }))
}).listen(0, '127.0.0.1')
await once(keyServer, 'listening')
const keyOrigin = `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}`

await servers.db
  .insertInto('settings')
  .values({ key: 'notificationBaseUrl', value: JSON.stringify(baseUrl) })
  .execute()
const app = (id: string, config: object) =>
  servers.db
    .insertInto('oauth2Apps')
    .values({ id, provider: 'gmail', name: id, enabled: true, config: JSON.stringify(config) })
    .execute()
await app('pubsub', { baseScopes: 'pubsub', serviceClientEmail: signer })
await app('gmail', { baseScopes: 'api', pubSubApp: 'pubsub' })
await app('other', { baseScopes: 'api' })
// Two OAuth2 applications for Pub/Sub share one service account.
await app('pubsub-2', { baseScopes: 'pubsub', serviceClientEmail: signer.toUpperCase() })
await app('gmail-2', { baseScopes: 'api', pubSubApp: 'pubsub-2' })
const account = (id: string, provider: string, user: string) =>
  servers.db
    .insertInto('accounts')
    .values({
      account: id,
      shard: shardOf(id),
      name: id,
      backend: 'gmail',
      oauth2: JSON.stringify({ provider, auth: { user } }),
    })
    .execute()
await account('ann', 'gmail', 'Ann@mail.example')
await account('bob', 'gmail-2', 'bob@mail.example')
await account('eve', 'gmail', 'eve@mail.example')
await account('eve-2', 'gmail-2', 'eve@mail.example')
await account('ann-elsewhere', 'other', 'ann@mail.example')

const gateway = await servers.start({
  DATABASE_URL: queries.url,
  // The limit of unverified notifications is off, because all forged notifications of these tests
  // come from one IP address.
  SVC_UNVERIFIED_NOTIFICATIONS_PER_ADDRESS: '0',
  SVC_PROVIDER_ORIGINS: `https://www.googleapis.com=${keyOrigin}`,
})
const worker = await receiveNotifications(servers, { gateway, unheldShard: shardOf('unheld') })
const { received } = worker
beforeEach(() => worker.clear())
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await servers.stop()
  await queries[Symbol.asyncDispose]()
  keyServer.close()
})

const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body ?? {}),
  })
const pathOf = (url: string) => url.slice(baseUrl.length)
const notify = (id: string, ...value: object[]) =>
  post(pathOf(graphNotificationUrls(baseUrl, id).changes), { value })
/**
 * Sends a notification until the gateway responds 202: a busy RabbitMQ may not confirm a
 * notification within 2 s.
 */
const untilAccepted = (send: () => Promise<Response>) =>
  eventually(async () => expect((await send()).status).toBe(202))
const receivedAccounts = () => [...new Set(received.map(({ account: id }) => id))]
const hash = (secret: string) => createHash('sha256').update(secret).digest('base64url')

test('POST /oauth/msg/notification: the hash of each secret reaches the worker, once', async () => {
  let attempts = 0
  // A notification that RabbitMQ did not confirm in time may have been forwarded, so each attempt
  // has a new secret.
  const secret = await eventually(async () => {
    const clientState = `secret ${(attempts += 1)}`
    const created = { clientState, changeType: 'created', subscriptionId: 's' }
    const response = await notify('a b/ü', created, { ...created, changeType: 'updated' }, {})
    expect([response.status, await response.text()]).toEqual([202, ''])
    return clientState
  })
  const secretHash = hash(secret)
  await eventually(() =>
    expect(received.filter((notification) => notification.secretHash === secretHash)).toEqual([
      { account: 'a b/ü', kind: 'changed', secretHash },
    ]),
  )
})

test('POST /oauth/msg/lifecycle: each event has its kind, unknown ones are ignored', async () => {
  const events = ['missed', 'reauthorizationRequired', 'subscriptionRemoved', 'constructor', 7]
  const value = events.map((lifecycleEvent) => ({ clientState: 's', lifecycleEvent }))
  let account = ''
  let attempts = 0
  await untilAccepted(() => {
    account = `a ${(attempts += 1)}`
    return post(pathOf(graphNotificationUrls(baseUrl, account).lifecycle), { value })
  })
  await eventually(() => {
    const kinds = received
      .filter((notification) => notification.account === account)
      .map(({ kind }) => kind)
    expect(kinds.sort()).toEqual(['expiring', 'missed', 'removed'])
  })
})

test.each([
  ['plain', 'plain'],
  ['Validation%3a+Testing+%26+more%2B+100%25', 'Validation: Testing & more+ 100%'],
  ['%3Cscript%3Ealert(1)%3C%2Fscript%3E', '<script>alert(1)</script>'],
])(
  'validationToken %s: is returned as text, decoded once, without an effect',
  async (sent, token) => {
    for (const route of ['notification', 'lifecycle']) {
      const path = `/oauth/msg/${route}?account=a&validationToken=${sent}`
      const response = await post(path, { value: [{ clientState: 'secret' }] })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(await response.text()).toBe(token)
    }
    await untilAccepted(() => notify('last', { clientState: 's' }))
    await eventually(() => expect(receivedAccounts()).toEqual(['last']))
  },
)

test('validationToken: above 4,096 characters, 400 without the token', async () => {
  const path = `/oauth/msg/notification?account=a&validationToken=${'x'.repeat(4_097)}`
  const response = await post(path)
  expect([response.status, await response.text()]).toEqual([
    400,
    'The validation token is not valid\n',
  ])
})

test.each([
  ['no JSON', '?account=a', '{'],
  ['no list', '?account=a', { value: {} }],
  ['more than 1,000 notifications', '?account=a', { value: Array(1_001).fill({}) }],
  ['no account', '', { value: [] }],
  ['an account of 257 characters', `?account=${'a'.repeat(257)}`, { value: [] }],
])('POST /oauth/msg/notification: with %s, 400', async (_name, query, body) => {
  for (const route of ['notification', 'lifecycle']) {
    const response = await post(`/oauth/msg/${route}${query}`, body)
    const problem = {
      statusCode: 400,
      error: 'Bad Request',
      message: expect.stringMatching(/^The /),
    }
    expect([response.status, await response.json()]).toEqual([400, problem])
  }
})

test('POST /oauth/msg/notification: above 1 MiB, 413', async () => {
  const response = await post('/oauth/msg/notification?account=a', ' '.repeat(1024 * 1024 + 1))
  expect(response.status).toBe(413)
})

test('POST /oauth/msg/notification: without a worker for the shard, 202', async () => {
  await untilAccepted(() => notify('unheld', { clientState: 's' }))
})

test('POST /oauth/msg/notification: while RabbitMQ is down, 503 with Retry-After', async () => {
  await using isolated = await servers.start({ AMQP_URL: 'amqp://guest:guest@127.0.0.1:1/none' })
  const body = JSON.stringify({ value: [{ clientState: 's' }] })
  const response = await fetch(`${isolated.url}/oauth/msg/notification?account=a`, {
    method: 'POST',
    body,
  })
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '30'])
  expect(await response.json()).toEqual({
    statusCode: 503,
    error: 'Service Unavailable',
    message: 'Notifications cannot be accepted now, retry later',
  })
})

test('POST /oauth/msg/notification: a flood of forged ones causes no query', async () => {
  const before = queries.statements.length
  const flood = async (client: number) => {
    for (let at = 0; at < 100; at += 1) {
      const forged = { clientState: `guess ${client} ${at}`, subscriptionId: 's' }
      const response = await notify(`account ${at}`, forged)
      expect([202, 503]).toContain(response.status)
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: 20 }, (_, client) => flood(client)))
  const executed = queries.statements.slice(before)
  // Periodic tasks also run SQL statements, whose number does not depend on the requests. Every
  // minute, a periodic task reads the OAuth2 applications, and a flood of requests on a busy
  // machine takes longer.
  const isPeriodic = (text: string) => text.includes('from "oauth2_apps" as "app"')
  const caused = executed.filter((text) => /account|watch|oauth2/.test(text) && !isPeriodic(text))
  expect(caused).toEqual([])
  expect(executed.length).toBeLessThan(1_000)
  expect(received.length).toBeLessThanOrEqual(2_000)
})

interface Claims {
  [name: string]: unknown
}
const seconds = () => Math.floor(Date.now() / 1_000)
const claims = (): Claims => ({
  iss: 'https://accounts.google.com',
  aud: audience,
  email: signer,
  email_verified: true,
  iat: seconds(),
  exp: seconds() + 3_600,
})
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
function jwt(payload: Claims, header: Claims = { alg: 'RS256', kid: 'k1' }): string {
  const text = `${encode(header)}.${encode(payload)}`
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`
}
const dataOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
const push = (token: string | undefined, emailAddress: unknown = 'ann@mail.example') =>
  post(
    '/oauth/gmail/push',
    { message: { data: dataOf({ emailAddress, historyId: 9876543210 }) }, subscription: 's' },
    token === undefined ? {} : { authorization: `Bearer ${token}` },
  )

test('POST /oauth/gmail/push: reaches the accounts of the mailbox and its application', async () => {
  await untilAccepted(() => push(jwt(claims())))
  await eventually(() => expect(received).toContainEqual({ account: 'ann', kind: 'changed' }))
  expect(receivedAccounts()).not.toContain('ann-elsewhere')
})

test('POST /oauth/gmail/push: reaches the accounts of all applications of the service account', async () => {
  await untilAccepted(() => push(jwt(claims()), 'bob@mail.example'))
  await untilAccepted(() => push(jwt(claims()), 'eve@mail.example'))
  await eventually(() => expect(receivedAccounts().sort()).toEqual(['bob', 'eve', 'eve-2']))
})

test.each([
  ['an unknown mailbox', 'nobody@mail.example'],
  ['no mailbox', 7],
  ['a huge mailbox', 'a'.repeat(400)],
])('POST /oauth/gmail/push: for %s, 202 without a notification', async (_name, mailbox) => {
  await untilAccepted(() => push(jwt(claims()), mailbox))
  await untilAccepted(() => notify('last', { clientState: 's' }))
  await eventually(() => expect(receivedAccounts()).toEqual(['last']))
})

const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
function forgedSignature(): string {
  const text = `${encode({ alg: 'RS256', kid: 'k1' })}.${encode(claims())}`
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), stranger).toString('base64url')}`
}
const altered = (change: Claims) => jwt({ ...claims(), ...change })

test.each<[string, () => string | undefined]>([
  ['no token', () => undefined],
  ['no JWT', () => 'x'],
  ['another issuer', () => altered({ iss: 'https://accounts.evil.example' })],
  ['another audience', () => altered({ aud: `${audience}/` })],
  ['another service account', () => altered({ email: 'evil@project.iam.gserviceaccount.com' })],
  ['an unverified address', () => altered({ email_verified: false })],
  ['an expired token', () => altered({ iat: seconds() - 4_000, exp: seconds() - 400 })],
  ['a token of the future', () => altered({ iat: seconds() + 400, exp: seconds() + 3_600 })],
  ['a token for 2 h', () => altered({ exp: seconds() + 7_200 })],
  ['no expiry', () => altered({ exp: undefined })],
  ['the signature of another key', forgedSignature],
  ['an unknown key', () => jwt(claims(), { alg: 'RS256', kid: 'unknown' })],
  ['no algorithm', () => `${encode({ alg: 'none', kid: 'k1' })}.${encode(claims())}.`],
  ['a symmetric algorithm', () => jwt(claims(), { alg: 'HS256', kid: 'k1' })],
])('POST /oauth/gmail/push: with %s, 403 without a query', async (_name, token) => {
  const before = queries.statements.length
  const response = await push(token(), `forged ${crypto.randomUUID()}@mail.example`)
  expect([response.status, await response.json()]).toEqual([
    403,
    {
      statusCode: 403,
      error: 'Forbidden',
      message: 'The token of the notification is not valid',
    },
  ])
  expect(queries.statements.slice(before).filter((text) => /from "accounts"/.test(text))).toEqual(
    [],
  )
  expect(received).toEqual([])
})

test('POST /oauth/gmail/push: unknown keys cause at most one request for keys a minute', async () => {
  const before = google.requests
  for (let at = 0; at < 20; at += 1)
    await push(jwt(claims(), { alg: 'RS256', kid: `unknown ${at}` }))
  expect(google.requests - before).toBeLessThanOrEqual(1)
})

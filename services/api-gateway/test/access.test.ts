import { afterAll, expect, test } from '@jest/globals'
import type { Operation } from '@posthorn/contracts/define'
import { allOperations } from '@posthorn/contracts/operations'
import { hashToken } from '@posthorn/secrets'
import { eventually, RawClient } from '@posthorn/testkit'
import { cacheTokens } from '../src/access/tokens.ts'
import { admin, type Answer, mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const first = await servers.start()
const second = await servers.start({ SVC_TRUSTED_PROXIES: '127.0.0.0/8' })
const anonymous = await servers.start({
  SVC_REQUIRE_API_AUTH: 'false',
  SVC_ALLOWED_HOSTS: 'posthorn',
})
const { call } = first

await call('POST', '/v1/account', { body: registration('mine') })
/**
 * Longest time window of a rate limit, one year in seconds. The end of such a window is unlikely to
 * fall into a test.
 */
const year = 31_536_000
const outcome = ({ status, body: { message } }: Answer) => [status, message]

/** Request that passes authorization and fails validation: no operation has a field `nope`. */
function invalidRequest(operation: Operation) {
  const path = operation.path
    .replace(':account', 'mine')
    .replace(':message', 'AAAAAQAAAAE')
    .replace(':token', 'x')
    .replace(':listId', 'list.example')
    .replace(':queue', 'submit')
    .replace(':event', '3f0c2c1e-6a0b-4d0e-9a53-5f7f0a4f2d11')
  const needsPath = operation.query && 'path' in operation.query.properties
  const query = operation.query && !operation.body ? '?nope=1' : needsPath ? '?path=INBOX' : ''
  return [
    operation.method.toUpperCase(),
    path + query,
    operation.body ? { body: { nope: 1 } } : {},
  ] as const
}

const wrongScope = await mint(call, { scopes: ['smtp'] })
const powerless = await mint(call, { permissions: { actions: ['send'], groups: ['logs'] } })
const foreign = await mint(call, { account: 'mine' })
const elsewhere = await mint(call, {
  restrictions: { addresses: ['192.0.2.0/24', '2001:db8::/32'] },
})
const referred = await mint(call, { restrictions: { referrers: ['https://app.example/*'] } })
const expiring = await mint(call, { expires: new Date(Date.now() + 86_400_000).toISOString() })
await db
  .updateTable('tokens')
  .set({ expiresAt: new Date(Date.now() - 1) })
  .where('expiresAt', 'is not', null)
  .execute()

const bad = {
  statusCode: 401,
  error: 'Unauthorized',
  message: 'Bad token',
  attributes: { error: 'Bad token' },
}
const forbidden = (message: string, extras: object) => ({
  statusCode: 403,
  error: 'Forbidden',
  message,
  ...extras,
})

test.each(allOperations.map((operation) => [operation.id, operation] as const))(
  '%s: rejects unauthorized tokens in the order of the spec',
  async (_id, operation) => {
    const [method, path, options] = invalidRequest(operation)
    const rejection = async (token: string | null) =>
      (await call(method, path.replace('mine', 'other'), { ...options, token })).body
    expect(await rejection(null)).toEqual({
      statusCode: 401,
      error: 'Unauthorized',
      message: 'Unauthorized',
    })
    expect(await rejection('b'.repeat(64))).toEqual(bad)
    expect(await rejection(expiring)).toEqual(bad)
    expect(await rejection(wrongScope)).toEqual(
      forbidden('Unauthorized scope', { requestedScope: operation.scope }),
    )
    if (operation.scope === '*') {
      // Operator operations check the scope before permission, account and restrictions.
      for (const token of [powerless, foreign, elsewhere, referred])
        expect(await rejection(token)).toMatchObject({ message: 'Unauthorized scope' })
      return
    }
    const { action, group, byKey } = operation.permission
    if (!byKey)
      expect(await rejection(powerless)).toEqual(
        forbidden('Unauthorized permission', { requiredPermission: { action, group } }),
      )
    if (operation.boundBy !== 'handler')
      expect(await rejection(foreign)).toEqual(forbidden('Unauthorized account', {}))
    expect(await rejection(elsewhere)).toEqual(
      forbidden('Unauthorized address', { remoteAddress: '127.0.0.1' }),
    )
    expect(await rejection(referred)).toEqual(forbidden('Unauthorized referrer', {}))
  },
)

test.each(
  allOperations
    .filter(({ body, query }) => body ?? query)
    .map((operation) => [operation.id, operation] as const),
)('%s: 400 for an unknown field', async (_id, operation) => {
  const [method, path, options] = invalidRequest(operation)
  const { status, body } = await call(method, path, options)
  expect([status, body['error']]).toEqual([400, 'Bad Request'])
  expect(body).not.toHaveProperty('code')
  expect(body.fields).toContainEqual({
    message: '"nope" is not allowed',
    key: 'nope',
    path: 'nope',
  })
})

test('tokens: accepted as access_token; an account token works for its account only', async () => {
  expect(
    (await call('GET', `/v1/account/mine?access_token=${admin}`, { token: null })).status,
  ).toBe(200)
  expect((await call('GET', '/v1/account/mine', { token: foreign })).status).toBe(200)
  expect(outcome(await call('GET', '/v1/accounts', { token: foreign }))).toEqual([
    403,
    'Unauthorized account',
  ])
  expect(
    outcome(
      await call('GET', '/v1/accounts', { token: null, headers: { authorization: 'Basic eDp5' } }),
    ),
  ).toEqual([401, 'Unauthorized'])
})

test('permissions: allow the actions on the groups, never token administration', async () => {
  const token = await mint(call, { permissions: { actions: ['read', 'write'] } })
  expect((await call('GET', '/v1/accounts', { token })).status).toBe(200)
  expect(outcome(await call('DELETE', '/v1/account/none', { token }))).toEqual([
    403,
    'Unauthorized permission',
  ])
  expect(outcome(await call('POST', '/v1/account', { token, body: registration('x') }))).toEqual([
    403,
    'Unauthorized permission',
  ])
  expect(outcome(await call('POST', '/v1/tokens', { token, body: {} }))).toEqual([
    403,
    'Unauthorized permission',
  ])
})

test('restrictions.referrers: match the complete URL', async () => {
  const from = (referer: string) =>
    call('GET', '/v1/accounts', { token: referred, headers: { referer } })
  expect((await from('https://app.example/page?x=1')).status).toBe(200)
  expect((await from('https://evil.example/https://app.example/')).status).toBe(403)
})

test('restrictions.addresses: X-Forwarded-For counts from trusted proxies only', async () => {
  const from = (gateway: typeof first, forwarded: string) =>
    gateway.call('GET', '/v1/accounts', {
      token: elsewhere,
      headers: { 'x-forwarded-for': forwarded },
    })
  expect((await from(first, '192.0.2.7')).status).toBe(403)
  expect((await from(second, '192.0.2.7')).status).toBe(200)
  expect((await from(second, '198.51.100.1, 192.0.2.7, 127.0.0.9')).status).toBe(200)
  expect((await from(second, '2001:db8::1')).status).toBe(200)
  expect((await from(second, '192.0.2.7, 198.51.100.1')).body).toMatchObject({
    remoteAddress: '198.51.100.1',
  })
  expect((await from(second, 'nonsense')).body).toMatchObject({ remoteAddress: '127.0.0.1' })
})

test('SVC_REQUIRE_API_AUTH=false: no token needed, except for tokens and cross-origin requests', async () => {
  expect((await anonymous.call('GET', '/v1/account/mine', { token: null })).status).toBe(200)
  expect(outcome(await anonymous.call('POST', '/v1/tokens', { token: null, body: {} }))).toEqual([
    401,
    'Unauthorized',
  ])
  expect((await anonymous.call('GET', '/v1/account/mine', { token: 'c'.repeat(64) })).body).toEqual(
    bad,
  )
  const headers = { origin: 'https://evil.example' }
  expect(
    outcome(await anonymous.call('GET', '/v1/account/mine', { token: null, headers })),
  ).toEqual([401, 'Unauthorized'])
})

/** Status of an anonymous request with a Host header of choice. */
async function statusFor(host: string): Promise<number> {
  const client = await RawClient.open(Number(new URL(anonymous.url).port))
  client.send(`GET /v1/account/mine HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  return Number((await client.untilClosed()).slice('HTTP/1.1 '.length).slice(0, 3))
}

test('SVC_REQUIRE_API_AUTH=false: a request without a token needs a known Host', async () => {
  expect(await statusFor('localhost:3000')).toBe(200)
  expect(await statusFor('posthorn:3000')).toBe(200)
  expect(await statusFor('rebound.example')).toBe(401)
  expect(await statusFor('mail.known.example')).toBe(401)
  await call('POST', '/v1/settings', { body: { serviceUrl: 'https://mail.known.example' } })
  await eventually(async () => expect(await statusFor('mail.known.example')).toBe(200))
  await call('POST', '/v1/settings', { body: { serviceUrl: null } })
})

test('SVC_RATE_LIMIT_PER_ADDRESS: limits an address before its token is looked up', async () => {
  const limits = { SVC_RATE_LIMIT_PER_ADDRESS: '3', SVC_TRUSTED_PROXIES: '127.0.0.0/8' }
  const [limited, replica] = [await servers.start(limits), await servers.start(limits)]
  const request = (token: string, address: string, gateway = limited) =>
    gateway.call('GET', '/v1/account/mine', { token, headers: { 'x-forwarded-for': address } })
  const allowed = await request(admin, '192.0.2.50')
  expect(allowed.status).toBe(200)
  expect(allowed.headers.get('x-ratelimit-limit')).toBe('3')
  expect(allowed.headers.get('x-ratelimit-remaining')).toBe('2')
  for (let n = 0; n < 2; n += 1)
    expect((await request('c'.repeat(64), '192.0.2.50')).body).toEqual(bad)
  for (const token of ['c'.repeat(64), admin]) {
    const { status, headers, body } = await request(token, '192.0.2.50')
    expect([status, body['message']]).toEqual([429, 'Rate limit exceeded'])
    expect(headers.get('x-ratelimit-limit')).toBe('3')
    expect(headers.get('x-ratelimit-reset')).toBe(String(body['ttl']))
    expect(headers.get('x-ratelimit-remaining')).toBeNull()
  }
  expect((await request(admin, '192.0.2.51')).status).toBe(200)
  expect((await request(admin, '192.0.2.50', replica)).status).toBe(200)
})

test('cacheTokens: 4,000 concurrent lookups, need fewer than 10 queries', async () => {
  let lookups = 0
  const tokens = cacheTokens(
    db.withPlugin({
      transformQuery({ node }) {
        lookups += 1
        return node
      },
      transformResult: async ({ result }) => result,
    }),
  )
  const unknown = Array.from({ length: 4_000 }, (_, n) => String(n).padStart(64, '0'))
  const cachedTokens = await Promise.all(
    [admin, ...unknown, foreign].map((value) => tokens.find(value)),
  )
  expect(cachedTokens.map((token) => token?.id).filter(Boolean)).toEqual(
    [admin, foreign].map(hashToken),
  )
  expect(lookups).toBeLessThan(10)
})

test('restrictions.rateLimit: counts over all replicas', async () => {
  const token = await mint(call, {
    restrictions: { rateLimit: { maxRequests: 10, timeWindow: year } },
  })
  const send = (n: number) => (n % 2 ? first : second).call('GET', '/v1/accounts', { token })
  const responses = await Promise.all(Array.from({ length: 16 }, (_, n) => send(n)))
  const allowed = responses.filter(({ status }) => status === 200)
  expect(
    allowed
      .map(({ headers }) => Number(headers.get('x-ratelimit-remaining')))
      .sort((a, b) => a - b),
  ).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  const refused = responses.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(6)
  for (const { headers, body } of refused) {
    expect(body).toEqual({
      statusCode: 429,
      error: 'Too Many Requests',
      message: expect.any(String),
      ttl: expect.any(Number),
    })
    expect(headers.get('x-ratelimit-limit')).toBe('10')
    expect(headers.get('x-ratelimit-reset')).toBe(String(body['ttl']))
    expect(headers.get('x-ratelimit-remaining')).toBeNull()
  }
  expect(Number(refused[0]?.body['ttl'])).toBeLessThanOrEqual(year)
})

test('restrictions.rateLimit: the next window starts at zero and replaces the last one', async () => {
  const token = await mint(call, {
    restrictions: { rateLimit: { maxRequests: 1, timeWindow: 1 } },
  })
  await eventually(async () =>
    expect((await call('GET', '/v1/accounts', { token })).status).toBe(429),
  )
  await eventually(async () =>
    expect((await call('GET', '/v1/accounts', { token })).status).toBe(200),
  )
  const windows = await db
    .selectFrom('tokenWindows')
    .select('requests')
    .where('token', '=', hashToken(token))
    .execute()
  expect(windows).toHaveLength(1)
})

test('DELETE /v1/token: revokes the token on all replicas', async () => {
  const token = await mint(call, {})
  const works = async () => (await second.call('GET', '/v1/accounts', { token })).status === 200
  expect(await works()).toBe(true)
  expect((await call('DELETE', `/v1/token/${token}`)).body).toEqual({ deleted: true })
  expect((await call('GET', '/v1/accounts', { token })).status).toBe(401)
  await eventually(async () => expect(await works()).toBe(false))
})

test('cacheTokens: without an invalidation, a deleted token expires within 1 s', async () => {
  let now = 0
  const tokens = cacheTokens(db, () => now)
  const token = await mint(call, {})
  expect(await tokens.find(token)).toBeDefined()
  await db.deleteFrom('tokens').where('id', '=', hashToken(token)).execute()
  expect(await tokens.find(token)).toBeDefined()
  now = 999
  expect(await tokens.find(token)).toBeUndefined()
})

test('restrictions.rateLimit: cached token deleted in Postgres, is rejected immediately', async () => {
  const token = await mint(call, {
    restrictions: { rateLimit: { maxRequests: 100, timeWindow: year } },
  })
  expect((await second.call('GET', '/v1/accounts', { token })).status).toBe(200)
  await db.deleteFrom('tokens').where('id', '=', hashToken(token)).execute()
  expect((await second.call('GET', '/v1/accounts', { token })).body).toEqual(bad)
})

test('lastUsedAt: stored at shutdown at the latest', async () => {
  const gateway = await servers.start()
  const token = await mint(call, { description: 'used' })
  await gateway.call('GET', '/v1/accounts', { token })
  await gateway[Symbol.asyncDispose]()
  const used = await db
    .selectFrom('tokens')
    .select(['lastUsedAt', 'lastUsedIp'])
    .where('description', '=', 'used')
    .executeTakeFirstOrThrow()
  expect(used).toEqual({ lastUsedAt: expect.any(Date), lastUsedIp: '127.0.0.1' })
})

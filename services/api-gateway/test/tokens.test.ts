import { createHash } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()
await call('POST', '/v1/account', { body: registration('acct') })

test.each(['/v1/tokens', '/v1/token'])(
  '%s creates a token and stores only its hash',
  async (path) => {
    const restrictions = { addresses: ['127.0.0.1'], referrers: null, rateLimit: null }
    const { body } = await call('POST', path, {
      body: {
        account: 'acct',
        scopes: 'imap-proxy',
        description: path,
        metadata: '{"a":1}',
        restrictions,
      },
    })
    const token = String(body['token'])
    expect(token).toMatch(/^[0-9a-f]{64}$/)
    expect(body['id']).toBe(createHash('sha256').update(token).digest('hex'))
    const row = await db
      .selectFrom('tokens')
      .selectAll()
      .where('id', '=', String(body['id']))
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(token)
    expect(row).toMatchObject({
      account: 'acct',
      scopes: ['imap-proxy'],
      description: path,
      metadata: '{"a":1}',
      restrictions,
      remoteAddress: '127.0.0.1',
    })
  },
)

test('createToken: scopes default to api', async () => {
  const token = await mint(call, {})
  expect((await call('GET', '/v1/accounts', { token })).status).toBe(200)
})

test.each<[string, object, string]>([
  ['an unknown scope', { scopes: ['metrics'] }, 'scopes.0'],
  ['the scope of operators', { scopes: ['*'] }, 'scopes.0'],
  ['an expiry that has passed', { expires: '2020-01-01' }, 'expires'],
  ['metadata that is no JSON', { metadata: '{' }, 'metadata'],
  [
    'a range that is none',
    { restrictions: { addresses: ['10.0.0.0/64'] } },
    'restrictions.addresses.0',
  ],
  ['an empty permissions record', { permissions: {} }, 'permissions'],
  [
    'the group of the administration',
    { permissions: { groups: ['admin'] } },
    'permissions.groups.0',
  ],
])('createToken: %s, responds 400', async (...[, body, path]) => {
  const answer = await call('POST', '/v1/tokens', { body })
  expect([answer.status, answer.body.fields?.map((field) => field.path)]).toEqual([400, [path]])
})

test('createToken: a missing account responds 404', async () => {
  const { status, body } = await call('POST', '/v1/tokens', { body: { account: 'missing' } })
  expect([status, body['message']]).toEqual([404, 'Account record was not found for requested ID'])
})

test('deleteToken: by value or id, once', async () => {
  const byValue = await mint(call, {})
  const byId = createHash('sha256')
    .update(await mint(call, {}))
    .digest('hex')
  expect((await call('DELETE', `/v1/tokens/${byValue}`)).body).toEqual({ deleted: true })
  expect((await call('DELETE', `/v1/token/${byId}`)).body).toEqual({ deleted: true })
  expect((await call('DELETE', `/v1/tokens/${byValue}`)).body).toEqual({ deleted: false })
})

const soon = '2090-01-01T00:00:00Z'
const later = '2091-01-01T00:00:00Z'
const limit = (maxRequests: number, timeWindow: number) => ({
  restrictions: { rateLimit: { maxRequests, timeWindow } },
})

test.each<[string, object, object, boolean]>([
  [
    'addresses: the same',
    { restrictions: { addresses: ['127.0.0.0/8'] } },
    { restrictions: { addresses: ['127.0.0.0/8'] } },
    true,
  ],
  [
    'addresses: fewer',
    { restrictions: { addresses: ['127.0.0.0/8', '::1'] } },
    { restrictions: { addresses: ['127.0.0.1'] } },
    true,
  ],
  [
    'addresses: more',
    { restrictions: { addresses: ['127.0.0.0/8'] } },
    { restrictions: { addresses: ['127.0.0.1', '10.0.0.1'] } },
    false,
  ],
  ['addresses: none named', { restrictions: { addresses: ['127.0.0.0/8'] } }, {}, false],
  [
    'addresses: an empty list',
    { restrictions: { addresses: ['127.0.0.0/8'] } },
    { restrictions: { addresses: [] } },
    false,
  ],
  [
    'referrers: narrower',
    { restrictions: { referrers: ['*'] } },
    { restrictions: { referrers: ['https://a.example/*'] } },
    true,
  ],
  ['referrers: none named', { restrictions: { referrers: ['*'] } }, { restrictions: null }, false],
  ['rate: less', limit(1000, 60), limit(100, 60), true],
  ['rate: more requests per window', limit(1000, 60), limit(2000, 3600), false],
  ['rate: more in the long run', limit(1000, 60), limit(100, 1), false],
  ['rate: none named', limit(1000, 60), {}, false],
  ['expiry: earlier', { expires: later }, { expires: soon }, true],
  ['expiry: later', { expires: soon }, { expires: later }, false],
  ['expiry: never', { expires: soon }, {}, false],
  ['nothing restricted', {}, {}, true],
  ['scopes of mail clients', { scopes: ['api'] }, { scopes: ['imap-proxy', 'smtp'] }, true],
])(
  'createToken: never wider than its creator. %s',
  async (...[, parentRequest, child, allowed]) => {
    const token = await mint(call, parentRequest)
    const headers = { referer: 'https://a.example/x' }
    const { status, body } = await call('POST', '/v1/tokens', { token, body: child, headers })
    if (allowed) expect(status).toBe(200)
    else
      expect(body).toEqual({
        statusCode: 403,
        error: 'Forbidden',
        message: 'The new token would be less restricted than the token creating it',
        code: 'MintWidensRestrictions',
      })
  },
)

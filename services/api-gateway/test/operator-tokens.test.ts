import { afterAll, expect, test } from '@jest/globals'
import { hashToken } from '@posthorn/secrets'
import { minutesAgo, signIn } from './admin-people.ts'
import { mint, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()

const path = '/admin/api/operatorTokens'
const { credential: owner } = await signIn(db)
const create = (body: object, token = owner) => call('POST', path, { token, body })
const stored = (id: unknown) =>
  db.selectFrom('tokens').selectAll().where('id', '=', String(id)).executeTakeFirst()
const count = async () => (await db.selectFrom('tokens').select('id').execute()).length

test('createOperatorToken: an owner creates a token of scope *, which is listed and deleted', async () => {
  const restrictions = { addresses: ['127.0.0.1'], referrers: null, rateLimit: null }
  const expires = '2090-01-01T00:00:00.000Z'
  const { status, body } = await create({ description: 'Script', restrictions, expires })
  expect([status, body]).toEqual([
    200,
    { token: expect.stringMatching(/^[0-9a-f]{64}$/), id: hashToken(String(body['token'])) },
  ])
  expect(await stored(body['id'])).toMatchObject({
    scopes: ['*'],
    description: 'Script',
    account: null,
    permissions: null,
    restrictions,
    expiresAt: new Date(expires),
  })
  const token = String(body['token'])
  expect((await call('GET', '/admin/api/findings', { token })).status).toBe(200)
  const { body: listed } = await call('GET', '/v1/tokens?query=Script')
  expect(listed).toMatchObject({ tokens: [{ id: body['id'], scopes: ['*'] }] })
  expect((await call('DELETE', `/v1/tokens/${String(body['id'])}`)).body).toEqual({ deleted: true })
  expect((await call('GET', '/admin/api/findings', { token })).status).toBe(401)
})

test('createOperatorToken: 403 for tokens, also of scope *', async () => {
  const before = await count()
  const refused = await call('POST', path, { body: { description: 'Script' } })
  expect([refused.status, refused.body]).toMatchObject([
    403,
    {
      requiredRole: 'owner',
      message: 'Tokens with the scope * are created by an owner at the administration pages',
    },
  ])
  expect(await count()).toBe(before)
  const token = await mint(call, { scopes: ['api'] })
  const narrow = await create({ description: 'Script' }, token)
  expect([narrow.status, narrow.body]).toMatchObject([403, { requestedScope: '*' }])
})

test.each(['operator', 'support', 'auditor'] as const)(
  'createOperatorToken: 403 for the role %s',
  async (role) => {
    const { credential } = await signIn(db, { role })
    const { status, body } = await create({ description: 'Script' }, credential)
    expect([status, body]).toMatchObject([403, { requiredRole: 'owner' }])
  },
)

test('createOperatorToken: 403 StepUpRequired without a recent factor', async () => {
  const { credential } = await signIn(db, { session: { factorAt: minutesAgo(10.1) } })
  const { status, body } = await create({ description: 'Script' }, credential)
  expect([status, body]).toMatchObject([403, { code: 'StepUpRequired' }])
})

test.each([
  ['no description', {}, 'description'],
  ['an empty description', { description: '' }, 'description'],
  ['an account', { description: 'x', account: 'a' }, 'account'],
  ['scopes', { description: 'x', scopes: ['*'] }, 'scopes'],
  ['an expiry that has passed', { description: 'x', expires: '2020-01-01' }, 'expires'],
  [
    'a wrong range',
    { description: 'x', restrictions: { addresses: ['10.0.0.0/64'] } },
    'restrictions.addresses.0',
  ],
])('createOperatorToken: 400 for %s', async (_name, body, path) => {
  const before = await count()
  const answer = await create(body)
  expect([answer.status, answer.body]).toMatchObject([400, { fields: [{ path }] }])
  expect(await count()).toBe(before)
})

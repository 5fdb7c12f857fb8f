import { afterAll, expect, test } from '@jest/globals'
import { hashToken, newToken } from '@posthorn/secrets'
import { eventually } from '@posthorn/testkit'
import { type Answer, admin, mint, registration, testServers } from './gateway.ts'
import { foreignToken } from './imported-tokens.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const first = await servers.start()
const second = await servers.start()
const replicas = [first, second]
const { call } = first
for (const account of ['mine', 'other'])
  await call('POST', '/v1/account', { body: registration(account) })

const path = '/admin/api/tokenImports'
const importTokens = (...tokens: object[]) => call('POST', path, { body: { tokens } })
const statusOf = async (token: string, on = first, to = '/v1/account/mine') =>
  (await on.call('GET', to, { token })).status
const storedTokens = () => db.selectFrom('tokens').selectAll().orderBy('id').execute()
const done = (counts: object) => ({ imported: 0, unchanged: 0, skipped: [], ...counts })

test('importTokens: the first calls succeed on all replicas, with hex digits of both cases', async () => {
  const { value, id } = foreignToken()
  for (const replica of replicas) expect(await statusOf(value, replica)).toBe(401)
  const { status, body } = await importTokens({ id, scopes: ['api'] })
  expect([status, body]).toEqual([200, done({ imported: 1 })])
  for (const replica of replicas)
    for (const token of [value, value.toUpperCase()])
      expect(await statusOf(token, replica)).toBe(200)
})

test('importTokens: 1,000 tokens at both replicas simultaneously, are stored once', async () => {
  const foreign = Array.from({ length: 1_000 }, () => foreignToken())
  const tokens = foreign.map(({ id }, n) => ({
    id,
    scopes: ['api', 'smtp', 'imap-proxy'],
    description: `token ${n}`,
    account: 'mine',
    restrictions: { addresses: ['127.0.0.0/8', '::1'], rateLimit: null, referrers: ['*'] },
    permissions: { actions: ['read', 'write', 'send', 'destructive'], groups: ['account'] },
    created: '2029-06-01T09:00:00.000Z',
    access: { time: null, ip: null },
  }))
  const orders = [tokens, tokens.toReversed()]
  const answers = await Promise.all(
    replicas.map((replica, n) => replica.call('POST', path, { body: { tokens: orders[n] } })),
  )
  const sum = (name: string) => answers.reduce((all, { body }) => all + Number(body[name]), 0)
  expect([sum('imported'), sum('unchanged')]).toEqual([1_000, 1_000])
  expect(await statusOf(foreign[999]?.value ?? '', second)).toBe(200)
  const { status } = await importTokens(...tokens, { id: foreignToken().id, scopes: ['api'] })
  expect(status).toBe(400)
})

test('importTokens: a second import changes nothing, not even the last use', async () => {
  const { value, id } = foreignToken()
  const record = {
    description: 'Calendar',
    scopes: ['api', 'smtp'],
    account: 'mine',
    metadata: '{"a":1}',
    ip: '192.0.2.1',
    remoteAddress: '192.0.2.2',
    restrictions: { addresses: ['127.0.0.0/8'] },
    permissions: { actions: ['read'] },
    created: '2020-01-01T00:00:00.000Z',
    expires: '2090-01-01T00:00:00.000Z',
    access: { time: '2021-01-01T00:00:00.000Z', ip: '192.0.2.3' },
  }
  await importTokens({ id, ...record })
  const shown = { id, ...record, imported: true }
  for (const name of [id, value, value.toUpperCase()])
    expect((await call('GET', `/v1/tokens/${name}`)).body).toEqual(shown)
  expect((await call('GET', '/v1/tokens?query=calendar')).body['tokens']).toEqual([shown])
  expect(await statusOf(value)).toBe(200)
  const usedAt = new Date('2031-01-01T00:00:00.000Z')
  await db.updateTable('tokens').set({ lastUsedAt: usedAt }).where('id', '=', id).execute()
  const before = await storedTokens()
  const { body } = await importTokens(
    { id, ...record, scopes: ['*'] },
    { id: hashToken(admin), scopes: ['api'] },
  )
  const skipped = [{ id: hashToken(admin), reason: 'created-here' }]
  expect(body).toEqual(done({ unchanged: 1, skipped }))
  expect(await storedTokens()).toEqual(before)
})

test('importTokens: skips tokens of unknown accounts and expired tokens', async () => {
  const [bound, unbound, old] = [foreignToken(), foreignToken(), foreignToken()]
  const { body } = await importTokens(
    { id: bound.id, scopes: ['api'], account: 'missing' },
    { id: unbound.id, scopes: ['api'], account: null },
    { id: old.id, scopes: ['api'], expires: '2020-01-01T00:00:00.000Z' },
  )
  const skipped = [
    { id: bound.id, reason: 'unknown-account' },
    { id: old.id, reason: 'expired' },
  ]
  expect(body).toEqual(done({ imported: 1, skipped }))
  for (const { value } of [bound, old]) expect(await statusOf(value)).toBe(401)
})

test('imported tokens: account, addresses, scope and expiry are checked', async () => {
  const [bound, elsewhere, mail, short] = Array.from({ length: 4 }, () => foreignToken())
  const expires = new Date(Date.now() + 86_400_000).toISOString()
  await importTokens(
    { id: bound?.id, scopes: ['api'], account: 'mine' },
    { id: elsewhere?.id, scopes: ['api'], restrictions: { addresses: ['192.0.2.0/24'] } },
    { id: mail?.id, scopes: ['smtp'] },
    { id: short?.id, scopes: ['api'], expires },
  )
  const answer = async (token = '', to = '/v1/account/mine') => {
    const { status, body } = await call('GET', to, { token })
    return [status, body['message']]
  }
  expect(await answer(bound?.value)).toMatchObject([200])
  expect(await answer(bound?.value, '/v1/account/other')).toEqual([403, 'Unauthorized account'])
  expect(await answer(elsewhere?.value)).toEqual([403, 'Unauthorized address'])
  expect(await answer(mail?.value)).toEqual([403, 'Unauthorized scope'])
  expect(await answer(short?.value)).toMatchObject([200])
  const ended = { expiresAt: new Date(Date.now() - 1) }
  await db
    .updateTable('tokens')
    .set(ended)
    .where('id', '=', short?.id ?? '')
    .execute()
  await eventually(async () => expect(await answer(short?.value)).toEqual([401, 'Bad token']))
})

test('ids: match only tokens of their kind, and are no tokens', async () => {
  // A Posthorn token of 32 characters is stored under the id of the bytes that its characters stand
  // for.
  const own = 'x'.repeat(32)
  await db
    .insertInto('tokens')
    .values({ id: hashToken(own), scopes: ['api'] })
    .execute()
  const [foreign, misused] = [foreignToken(), newToken()]
  await importTokens(
    { id: foreign.id, scopes: ['api'] },
    { id: hashToken(misused), scopes: ['api'] },
  )
  expect(await statusOf(own)).toBe(200)
  const refused = [Buffer.from(own).toString('hex'), foreign.id, hashToken(own), misused]
  for (const token of refused) expect(await statusOf(token)).toBe(401)
  const other = Buffer.from(own).toString('hex')
  expect((await call('DELETE', `/v1/tokens/${other}`)).body).toEqual({ deleted: false })
})

test.each<[string, (call_: typeof call, value: string, id: string) => Promise<Answer>]>([
  ['value', (on, value) => on('DELETE', `/v1/tokens/${value}`)],
  ['upper-case value', (on, value) => on('DELETE', `/v1/token/${value.toUpperCase()}`)],
  ['id', (on, _value, id) => on('DELETE', `/v1/tokens/${id}`)],
])('deleteToken: by %s, ends an imported token on all replicas for good', async (_what, remove) => {
  const { value, id } = foreignToken()
  await importTokens({ id, scopes: ['api'] })
  for (const replica of replicas) expect(await statusOf(value, replica)).toBe(200)
  expect((await remove(call, value, id)).body).toEqual({ deleted: true })
  expect(await statusOf(value)).toBe(401)
  await eventually(async () => expect(await statusOf(value, second)).toBe(401))
  const { body } = await importTokens({ id, scopes: ['api'] })
  expect(body).toEqual(done({ skipped: [{ id, reason: 'deleted-here' }] }))
  expect(await statusOf(value)).toBe(401)
})

test('importTokens: value that is also a token created here, keeps the rights of that token', async () => {
  const value = await mint(call, { account: 'mine', description: 'own' })
  const { id } = foreignToken(value)
  expect((await importTokens({ id, scopes: ['api'] })).body).toMatchObject({ imported: 1 })
  expect(await statusOf(value, second, '/v1/account/other')).toBe(403)
  expect((await call('GET', `/v1/tokens/${value}`)).body).toMatchObject({ description: 'own' })
  expect((await call('DELETE', `/v1/tokens/${value}`)).body).toEqual({ deleted: true })
  expect(await statusOf(value)).toBe(401)
})

test('deleteAccount: ends its imported tokens, which may be imported again', async () => {
  await call('POST', '/v1/account', { body: registration('gone') })
  const { value, id } = foreignToken()
  await importTokens({ id, scopes: ['api'], account: 'gone' })
  expect(await statusOf(value, first, '/v1/account/gone')).toBe(200)
  await call('DELETE', '/v1/account/gone')
  expect(await statusOf(value, first, '/v1/account/gone')).toBe(401)
  await call('POST', '/v1/account', { body: registration('gone') })
  const { body } = await importTokens({ id, scopes: ['api'], account: 'gone' })
  expect(body).toEqual(done({ imported: 1 }))
})

import { afterAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
import { hashToken } from '@posthorn/secrets'
import { eventually } from '@posthorn/testkit'
import { cacheTokens } from '../src/access/tokens.ts'
import { onImportTokens } from '../src/operations/tokens/import-tokens.ts'
import { admin, mint, testServers } from './gateway.ts'
import { foreignToken } from './imported-tokens.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()
const { path } = operations.importTokens
const good = () => ({ id: foreignToken().id, scopes: ['api'] })
const importTokens = (tokens: unknown, token = admin) =>
  call('POST', path, { body: { tokens }, token })
const countImported = async () =>
  (await db.selectFrom('tokens').select('id').where('imported', '=', true).execute()).length

const { id: repeated } = good()
test.each<[string, object[], string]>([
  ['no token', [], 'tokens'],
  ['an id with upper-case digits', [{ ...good(), id: 'A'.repeat(64) }], 'tokens.1.id'],
  ['an id that is too short', [{ ...good(), id: 'a'.repeat(63) }], 'tokens.1.id'],
  ['a scope of EmailEngine', [{ ...good(), scopes: ['api', 'metrics'] }], 'tokens.1.scopes.1'],
  ['no scope', [{ ...good(), scopes: [] }], 'tokens.1.scopes'],
  ['an unknown field', [{ ...good(), nope: 1 }], 'tokens.1.nope'],
  [
    'a malformed address',
    [{ ...good(), restrictions: { addresses: ['x'] } }],
    'tokens.1.restrictions.addresses.0',
  ],
  ['a creation in the year 0', [{ ...good(), created: '0000-12-31' }], 'tokens.1.created'],
  [
    'an expiry in the year 10000',
    [{ ...good(), expires: '9999-12-31T23:59:59-01:00' }],
    'tokens.1.expires',
  ],
  [
    'a use in the year 0',
    [{ ...good(), access: { time: '0001-01-01T00:00:00+01:00' } }],
    'tokens.1.access.time',
  ],
  ['metadata that is no JSON', [{ ...good(), metadata: '{' }], 'tokens.1.metadata'],
  [
    'an id twice',
    [
      { ...good(), id: repeated },
      { ...good(), id: repeated },
    ],
    'tokens.2.id',
  ],
])('importTokens: %s, 400 and nothing is stored', async (_what, bad, field) => {
  const { status, body } = await importTokens(bad.length === 0 ? [] : [good(), ...bad])
  expect([status, body.fields?.map((each) => each.path)]).toEqual([400, [field]])
  expect(await countImported()).toBe(0)
})

test('importTokens: more rights than the token of the request, 403 and nothing is stored', async () => {
  const limited = 'l'.repeat(64)
  const restrictions = { addresses: ['127.0.0.0/8'] }
  const row = { id: hashToken(limited), scopes: ['*'], restrictions: JSON.stringify(restrictions) }
  await db.insertInto('tokens').values(row).execute()
  const { status, body } = await importTokens([{ ...good(), restrictions }, good()], limited)
  expect([status, body['code']]).toEqual([403, 'MintWidensRestrictions'])
  expect(await countImported()).toBe(0)
  const plain = await mint(call, {})
  const refused = await importTokens([good()], plain)
  expect([refused.status, refused.body['message']]).toEqual([403, 'Unauthorized scope'])
})

test('importTokens: tokens of operators can be imported by an operator', async () => {
  const { value, id } = foreignToken()
  await importTokens([{ id, scopes: ['*'] }])
  expect((await importTokens([good()], value)).body).toMatchObject({ imported: 1 })
})

test('importTokens: logged with the id of the importing token, and recorded in its log', async () => {
  const lines: unknown[][] = []
  const log = { info: (...line: unknown[]) => void lines.push(line) } as never
  const unlimited = { restrictions: null, expiresAt: null }
  const caller = {
    token: { id: hashToken(admin), scopes: ['*'], account: null, permissions: null, ...unlimited },
    address: '192.0.2.1',
  }
  const skipped = { ...good(), account: 'missing' }
  const input = { body: { tokens: [good(), skipped] }, caller }
  await onImportTokens({ db, log }).run(input as never)
  const counts = { imported: 1, unchanged: 0, skipped: 1 }
  const fields = { token: hashToken(admin), address: '192.0.2.1', ...counts }
  expect(lines).toEqual([[fields, 'tokens imported']])
  await call('POST', '/v1/settings', { body: { tokenAuditLog: true } })
  await eventually(async () => {
    await importTokens([good()])
    const { body } = await call('GET', `/v1/tokens/${hashToken(admin)}/log`)
    expect(body['entries']).toContainEqual(
      expect.objectContaining({ method: 'POST', path, action: 'write', group: 'admin' }),
    )
  })
})

test('tokenAuditLog: contains the uses of an imported token', async () => {
  const { value, id } = foreignToken()
  await importTokens([{ id, scopes: ['smtp'] }])
  await eventually(async () => {
    await call('GET', '/v1/accounts', { token: value })
    for (const name of [value, id]) {
      const { body } = await call('GET', `/v1/tokens/${name}/log`)
      expect(body['token']).toBe(id)
      expect(body['entries']).toContainEqual(
        expect.objectContaining({ reason: 'Unauthorized scope' }),
      )
    }
  })
})

/** Cache of access tokens that counts its queries, with a clock that stands still. */
function countingCache() {
  const counted = { queries: 0 }
  const counting = db.withPlugin({
    transformQuery({ node }) {
      counted.queries += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { counted, tokens: cacheTokens(counting, () => 0) }
}

test('cacheTokens: an imported token takes one query, then none', async () => {
  const { counted, tokens } = countingCache()
  const { value, id } = foreignToken()
  expect(await tokens.find(value)).toBeUndefined()
  expect(counted.queries).toBe(1)
  await importTokens([{ id, scopes: ['api'] }])
  expect(await tokens.find(value)).toMatchObject({ id })
  expect(counted.queries).toBe(2)
  for (const each of [value, value]) expect(await tokens.find(each)).toMatchObject({ id })
  expect(counted.queries).toBe(2)
})

test('cacheTokens: an invalidation by the id of an imported token takes effect', async () => {
  const { tokens } = countingCache()
  const { value, id } = foreignToken()
  await importTokens([{ id, scopes: ['api'] }])
  expect(await tokens.find(value)).toBeDefined()
  await db.deleteFrom('tokens').where('id', '=', id).execute()
  expect(await tokens.find(value)).toBeDefined()
  tokens.invalidate(id)
  expect(await tokens.find(value)).toBeUndefined()
})

import { afterAll, expect, test } from '@jest/globals'
import { createUnsealer, keyPairFromSecret } from '@posthorn/secrets'
import { eventually } from '@posthorn/testkit'
import { mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
const { db, env } = servers
const { call } = await servers.start()
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

const relay = {
  gateway: 'relay',
  name: 'Relay',
  user: 'user',
  pass: 'hush hush',
  host: 'relay.example',
  port: 587,
  secure: false,
}
const notFound = { statusCode: 404, error: 'Not Found', message: 'Gateway "none" was not found' }
const register = (body: object) => call('POST', '/v1/gateway', { body })
const edit = (gateway: string, body: object) => call('PUT', `/v1/gateway/edit/${gateway}`, { body })
const get = async (gateway: string) => (await call('GET', `/v1/gateway/${gateway}`)).body

async function passwordOf(gateway: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('gatewayCredentials')
    .select('sealed')
    .where('gateway', '=', gateway)
    .executeTakeFirst()
  const unsealer = createUnsealer([keyPairFromSecret(env.SVC_SECRET).privateKey])
  return row && unsealer.unseal(row.sealed, `gateways/${gateway}`)
}
const versionOf = async (gateway: string) =>
  Number(
    (
      await db
        .selectFrom('gateways')
        .select('version')
        .where('gateway', '=', gateway)
        .executeTakeFirstOrThrow()
    ).version,
  )

test('gateways: register, read with a masked password, update, delete', async () => {
  const created = await register(relay)
  expect([created.status, created.body]).toEqual([200, { gateway: 'relay', state: 'new' }])
  expect(await get('relay')).toEqual({
    ...relay,
    pass: '******',
    deliveries: 0,
    lastUse: null,
    lastError: null,
  })
  expect(await passwordOf('relay')).toBe('hush hush')
  const before = await versionOf('relay')
  expect((await edit('relay', { name: 'Other' })).body).toEqual({ gateway: 'relay' })
  expect(await get('relay')).toMatchObject({ name: 'Other', port: 587, user: 'user' })
  expect(await passwordOf('relay')).toBe('hush hush')
  const last = await versionOf('relay')
  expect(last).toBeGreaterThan(before)
  const gone = await call('DELETE', '/v1/gateway/relay')
  expect([gone.status, gone.body]).toEqual([200, { gateway: 'relay', deleted: true }])
  expect(await passwordOf('relay')).toBeUndefined()
  // An SMTP gateway that is deleted and registered again with the same id has another version.
  await register(relay)
  expect(await versionOf('relay')).toBeGreaterThan(last)
})

test('createGateway: an existing id is replaced', async () => {
  await register({ ...relay, gateway: 'twice' })
  const { user: _user, pass: _pass, ...open } = relay
  const again = await register({ ...open, gateway: 'twice', port: 25 })
  expect(again.body).toEqual({ gateway: 'twice', state: 'existing' })
  const record = await get('twice')
  expect(record).toMatchObject({ port: 25, user: null })
  expect(record).not.toHaveProperty('pass')
  expect(await passwordOf('twice')).toBeUndefined()
})

test('createGateway: of concurrent requests with a new id, one returns state new', async () => {
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => register({ ...relay, gateway: 'raced' })),
  )
  expect(answers.map(({ body }) => String(body['state'])).sort()).toEqual([
    'existing',
    'existing',
    'existing',
    'new',
  ])
})

test('createGateway: without an id, assigns one', async () => {
  const { body } = await register({ ...relay, gateway: null })
  expect(await get(String(body['gateway']))).toMatchObject({ name: 'Relay' })
})

test('updateGateway: a masked password keeps the stored one, for the same login only', async () => {
  await register({ ...relay, gateway: 'kept' })
  const record = { ...relay, gateway: 'kept', pass: '******' }
  expect((await register({ ...record, name: 'New' })).status).toBe(200)
  expect((await edit('kept', { pass: '******', user: 'user' })).status).toBe(200)
  expect(await passwordOf('kept')).toBe('hush hush')
  const other = { host: 'evil.example', port: 25, secure: true }
  for (const [part, value] of Object.entries(other)) {
    const what = part === 'secure' ? 'value of "secure"' : part
    for (const answer of [
      await register({ ...record, [part]: value }),
      await edit('kept', { [part]: value }),
      await edit('kept', { [part]: value, pass: '******' }),
    ]) {
      expect([answer.status, answer.body.fields]).toEqual([
        400,
        [{ message: `"pass" is required for another ${what}`, key: 'pass', path: 'pass' }],
      ])
    }
  }
  expect((await edit('kept', { user: 'other', pass: '******' })).status).toBe(400)
  expect(await get('kept')).toMatchObject({ host: 'relay.example', port: 587, secure: false })
  expect(await passwordOf('kept')).toBe('hush hush')
  expect((await edit('kept', { host: 'new.example', pass: 'another' })).status).toBe(200)
  expect(await passwordOf('kept')).toBe('another')
  await edit('kept', { user: null })
  expect(await passwordOf('kept')).toBeUndefined()
})

test.each<[string, object, string]>([
  ['no name', { name: undefined }, 'name'],
  ['no host', { host: undefined }, 'host'],
  ['a host that is none', { host: 'a b' }, 'host'],
  ['no port', { port: undefined }, 'port'],
  ['a port that is none', { port: 65_536 }, 'port'],
  ['a user of two lines', { user: 'a\r\nb' }, 'user'],
  ['a user without a password', { pass: null }, 'pass'],
  ['a password without a user', { user: null }, 'user'],
  ['a mask of nothing', { pass: '******' }, 'pass'],
  ['a long id', { gateway: 'x'.repeat(257) }, 'gateway'],
])('createGateway: %s, responds 400 and stores nothing', async (...[, more, path]) => {
  const { status, body } = await register({ ...relay, gateway: 'refused', ...more })
  expect([status, body.fields?.map((field) => field.path)]).toEqual([400, [path]])
  expect((await call('GET', '/v1/gateway/refused')).status).toBe(404)
})

test('getGateway: a missing gateway responds 404 without a code', async () => {
  expect(await get('none')).toEqual(notFound)
  expect((await edit('none', { name: 'x' })).body).toEqual(notFound)
  expect((await call('DELETE', '/v1/gateway/none')).body).toEqual(notFound)
})

test('listGateways: returns deliveries, last use and last error', async () => {
  await db.deleteFrom('gateways').execute()
  for (const gateway of ['b', 'a', 'c']) await register({ ...relay, gateway })
  const lastUse = new Date('2026-05-06T07:08:09.000Z')
  const lastError = {
    created: 1_780_000_000_000,
    status: 'error' as const,
    response: '550 no',
    responseCode: 550,
    code: 'EENVELOPE',
    command: 'RCPT TO',
    networkRouting: null,
  }
  await db
    .insertInto('gatewayStates')
    .values({ gateway: 'b', deliveries: '7', lastUse, lastError: JSON.stringify(lastError) })
    .execute()
  const { body } = await call('GET', '/v1/gateways?pageSize=2')
  expect(body).toEqual({
    total: 3,
    page: 0,
    pages: 2,
    gateways: [
      { gateway: 'a', name: 'Relay', deliveries: 0, lastUse: null, lastError: null },
      { gateway: 'b', name: 'Relay', deliveries: 7, lastUse: lastUse.toISOString(), lastError },
    ],
  })
  expect(JSON.stringify(body)).not.toContain('hush')
  expect((await call('GET', '/v1/gateways?pageSize=2&page=1')).body['gateways']).toMatchObject([
    { gateway: 'c' },
  ])
  expect(await get('b')).toMatchObject({ deliveries: 7, lastError, lastUse: lastUse.toISOString() })
  // The counters of an SMTP gateway continue after the gateway was registered again.
  await register({ ...relay, gateway: 'b' })
  expect(await get('b')).toMatchObject({ deliveries: 7 })
})

test('gateways: every change broadcasts an invalidation', async () => {
  const ids: (string | undefined)[] = []
  await using _listening = await bus.onInvalidate(
    ({ topic, id }) => void (topic === 'gateways' && id === 'told' && ids.push(id)),
  )
  await register({ ...relay, gateway: 'told' })
  await edit('told', { name: 'x' })
  await call('DELETE', '/v1/gateway/told')
  await eventually(() => expect(ids).toEqual(['told', 'told', 'told']))
})

test('gateways: permissions can grant read and delete, not create', async () => {
  await call('POST', '/v1/account', { body: registration('mine') })
  await register({ ...relay, gateway: 'guarded' })
  const granted = await mint(call, { permissions: { groups: ['gateway'] } })
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, token: string) =>
    (await call(method, path, { token, ...(method[0] === 'P' ? { body: relay } : {}) })).status
  expect(await ask('GET', '/v1/gateways', granted)).toBe(200)
  expect(await ask('POST', '/v1/gateway', granted)).toBe(403)
  expect(await ask('PUT', '/v1/gateway/edit/guarded', granted)).toBe(403)
  expect(await ask('DELETE', '/v1/gateway/guarded', granted)).toBe(200)
  const bound = await mint(call, { account: 'mine' })
  expect(await ask('GET', '/v1/gateways', bound)).toBe(403)
  expect(await ask('GET', '/v1/gateway/relay', bound)).toBe(403)
})

import { afterAll, expect, test } from '@jest/globals'
import { createUnsealer, keyPairFromSecret } from '@posthorn/secrets'
import { testServers } from './gateway.ts'

const servers = await testServers()
const { db, env } = servers
const { call } = await servers.start()
afterAll(() => servers.stop())

const redirectUrl = 'https://posthorn.example/oauth'
const gmail = { name: 'G', provider: 'gmail', clientId: 'id', clientSecret: 'hush', redirectUrl }
const create = (body: object) => call('POST', '/v1/oauth2', { body })
const get = async (id: string) => (await call('GET', `/v1/oauth2/${id}`)).body
const put = (id: string, body: object) => call('PUT', `/v1/oauth2/${id}`, { body })
const created = async (body: object) => String((await create(body)).body['id'])

async function secretOf(app: string, kind: 'clientSecret' | 'serviceKey' = 'clientSecret') {
  const row = await db
    .selectFrom('oauth2AppSecrets')
    .select('sealed')
    .where('app', '=', app)
    .where('kind', '=', kind)
    .executeTakeFirst()
  const unsealer = createUnsealer([keyPairFromSecret(env.SVC_SECRET).privateKey])
  return row && unsealer.unseal(row.sealed, `oauth2/${app}/${kind}`)
}

test('OAuth2 applications: create, read with a masked secret, update, delete', async () => {
  const answer = await create({ ...gmail, enabled: true, extraScopes: ['https://a.example/b'] })
  expect([answer.status, answer.body]).toEqual([
    200,
    { id: expect.stringMatching(/^[\w-]{16}$/), created: true },
  ])
  const id = String(answer.body['id'])
  expect(await get(id)).toEqual({
    ...gmail,
    id,
    clientSecret: '******',
    enabled: true,
    extraScopes: ['https://a.example/b'],
    baseScopes: 'imap',
    includeInListing: false,
    created: expect.any(String),
    updated: expect.any(String),
    lastError: null,
    accounts: 0,
  })
  expect(await secretOf(id)).toBe('hush')

  const changed = await put(id, { name: 'New', clientSecret: '******', description: 'About it' })
  expect([changed.status, changed.body]).toEqual([200, { id, updated: true }])
  expect(await get(id)).toMatchObject({ name: 'New', description: 'About it', clientId: 'id' })
  expect(await secretOf(id)).toBe('hush')
  await put(id, { clientSecret: 'other' })
  expect(await secretOf(id)).toBe('other')

  const listed = await call('GET', '/v1/oauth2')
  expect(listed.body).toMatchObject({ total: 1, page: 0, pages: 1, apps: [{ id, name: 'New' }] })
  const deleted = await call('DELETE', `/v1/oauth2/${id}`)
  expect([deleted.status, deleted.body]).toEqual([200, { id, deleted: true, accounts: 0 }])
  expect((await call('GET', '/v1/oauth2')).body).toMatchObject({ total: 0, apps: [] })
  expect(await secretOf(id)).toBeUndefined()
})

test.each(['GET', 'PUT', 'DELETE'])('%s of a missing application responds 404', async (method) => {
  const body = method === 'PUT' ? { body: { name: 'New' } } : {}
  expect(await call(method, '/v1/oauth2/none', body)).toMatchObject({
    status: 404,
    body: { code: 'NotFound' },
  })
})

const service = {
  name: 'S',
  provider: 'gmailService',
  serviceClient: '1',
  serviceClientEmail: 's@a.example',
}
test.each<[string, object, string[]]>([
  ['without client', { name: 'G', provider: 'gmail' }, ['clientId', 'clientSecret', 'redirectUrl']],
  ['with a masked secret', { ...gmail, clientSecret: '******' }, ['clientSecret']],
  ['outlook without authority', { ...gmail, provider: 'outlook' }, ['authority']],
  [
    'an application of its own for all tenants',
    { ...gmail, provider: 'outlookService', authority: 'common' },
    ['authority'],
  ],
  ['a service account without key', service, ['serviceKey']],
  ['a federated one', { ...service, serviceKey: 'x', externalAccount: '{}' }, ['externalAccount']],
  ['generic without a place', { ...gmail, provider: 'generic' }, ['authorizeUrl', 'tokenUrl']],
  ['gmail somewhere else', { ...gmail, tokenUrl: 'https://evil.example/' }, ['tokenUrl']],
  ['an unknown provider', { ...gmail, provider: 'yahoo' }, ['provider']],
  ['an unknown member', { ...gmail, what: 1 }, ['what']],
  ['base scope api', { ...gmail, baseScopes: 'api' }, ['baseScopes']],
  ['base scope pubsub', { ...gmail, baseScopes: 'pubsub' }, ['baseScopes']],
  ['a Google project', { ...gmail, googleProjectId: 'project-1' }, ['googleProjectId']],
  ['Workspace only', { ...gmail, googleWorkspaceAccounts: true }, ['googleWorkspaceAccounts']],
  ['a Pub/Sub topic', { ...gmail, googleTopicName: 'topic' }, ['googleTopicName']],
  ['a subscription', { ...gmail, googleSubscriptionName: 'sub' }, ['googleSubscriptionName']],
  ['a Pub/Sub application', { ...gmail, pubSubApp: 'app' }, ['pubSubApp']],
])('createOAuth2App: %s, rejected and nothing is stored', async (...[, body, fields]) => {
  const answer = await create(body)
  expect(answer.status).toBe(400)
  expect(answer.body.fields?.map(({ path }) => path)).toEqual(fields)
  expect((await call('GET', '/v1/oauth2')).body).toMatchObject({ total: 0 })
})

test('updateOAuth2App: a stored secret is never sent to another provider', async () => {
  const generic = { ...gmail, provider: 'generic', issuer: 'https://id.example' }
  const id = await created(generic)
  const moved = await put(id, { issuer: 'https://evil.example' })
  expect([moved.status, moved.body.fields?.map(({ path }) => path)]).toEqual([
    400,
    ['clientSecret'],
  ])
  expect((await put(id, { issuer: 'https://new.example', clientSecret: 'new' })).status).toBe(200)
  expect(await get(id)).toMatchObject({ issuer: 'https://new.example' })
  await call('DELETE', `/v1/oauth2/${id}`)
})

test('updateOAuth2App: Google fields, rejected; removal and absence are possible', async () => {
  const id = await created(gmail)
  const set = await put(id, { googleProjectId: 'project-1', pubSubApp: 'app' })
  expect([set.status, set.body.fields?.map(({ path }) => path)]).toEqual([
    400,
    ['googleProjectId', 'pubSubApp'],
  ])
  // Stored by an earlier version.
  const config = JSON.stringify({ ...gmail, googleProjectId: 'project-1', pubSubApp: 'app' })
  await db.updateTable('oauth2Apps').set({ config }).where('id', '=', id).execute()
  expect((await put(id, { name: 'Renamed', pubSubApp: null })).status).toBe(200)
  const record = await get(id)
  expect(record).toMatchObject({ name: 'Renamed', googleProjectId: 'project-1' })
  expect(record).not.toHaveProperty('pubSubApp')
  await call('DELETE', `/v1/oauth2/${id}`)
})

test('getOAuthToken: disabled by default', async () => {
  expect(await call('GET', '/v1/account/none/oauth-token')).toMatchObject({
    status: 403,
    body: { code: 'ApiEndpointDisabled' },
  })
  const open = await servers.start({ SVC_ENABLE_OAUTH_TOKENS_API: 'true' })
  expect((await open.call('GET', '/v1/account/none/oauth-token')).status).toBe(404)
})

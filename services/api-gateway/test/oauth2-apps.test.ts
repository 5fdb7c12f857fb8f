import { afterAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { verifyOAuth2App } from '@posthorn/contracts/commands/oauth2'
import { shardOf } from '@posthorn/contracts/shards'
import { createUnsealer, keyPairFromSecret } from '@posthorn/secrets'
import { eventually } from '@posthorn/testkit'
import { testServers } from './gateway.ts'

const servers = await testServers()
const { db, env } = servers
const { call } = await servers.start()
const bus = await servers.connectBus()
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

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

test('OAuth2 applications: every change broadcasts an invalidation', async () => {
  const ids: (string | undefined)[] = []
  await using _listening = await bus.onInvalidate(
    ({ topic, id }) => void (topic === 'oauth2Apps' && ids.push(id)),
  )
  const id = await created(gmail)
  await put(id, { name: 'H' })
  await call('DELETE', `/v1/oauth2/${id}`)
  await eventually(() => expect(ids.filter((each) => each === id)).toHaveLength(3))
})

test('getOAuth2App: shows the use of the mail API per day, latest day first', async () => {
  const [id, other] = [await created(gmail), await created(gmail)]
  const use = { requests: '30', units: '600', limited: '2' }
  const day = (date: string) => new Date(`${date}T00:00:00`)
  await db
    .insertInto('oauth2AppUses')
    .values([
      { app: id, day: day('2026-11-25'), ...use },
      { app: id, day: day('2026-11-26'), ...use, requests: '7' },
      { app: 'other', day: day('2026-11-26'), ...use },
    ])
    .execute()
  const shown = { units: 600, limited: 2 }
  expect((await get(id))['quotaUse']).toEqual([
    { date: '2026-11-26', requests: 7, ...shown },
    { date: '2026-11-25', requests: 30, ...shown },
  ])
  expect((await get(other))['quotaUse']).toEqual([])
  for (const app of [id, other]) await call('DELETE', `/v1/oauth2/${app}`)
})

test('getAccount: account at Graph, shows its subscription', async () => {
  const account = {
    account: 'graph',
    shard: shardOf('graph'),
    name: 'g',
    backend: 'graph' as const,
  }
  const oauth2 = JSON.stringify({ provider: 'deleted', auth: { user: 'me@x.example' } })
  await db
    .insertInto('accounts')
    .values({ ...account, oauth2 })
    .execute()
  const subscription = async () =>
    (await call('GET', '/v1/account/graph')).body['outlookSubscription']
  expect(await subscription()).toBeUndefined()
  const expiresAt = new Date('2099-01-01T00:00:00Z')
  const lastError = JSON.stringify({ response: 'Validation failed.' })
  const failures = { createFailures: 2, renewFailures: 1 }
  const watch = { account: 'graph', expiresAt, renewAt: expiresAt, ...failures }
  const attemptedAt = new Date('2098-12-31T00:00:00Z')
  await db
    .insertInto('apiWatches')
    .values({ ...watch, remoteId: '', state: 'failed', lastError, attemptedAt })
    .execute()
  expect(await subscription()).toEqual({
    expirationDateTime: null,
    state: {
      state: 'error',
      time: attemptedAt.getTime(),
      error: 'Validation failed.',
      retryCount: 1,
      createRetryCount: 2,
    },
  })
  const none = { attemptedAt: null, createFailures: 0, renewFailures: 0 }
  await db
    .updateTable('apiWatches')
    .set({ remoteId: 's1', state: 'active', ...none })
    .execute()
  expect(await subscription()).toEqual({
    id: 's1',
    expirationDateTime: '2099-01-01T00:00:00.000Z',
    state: { state: 'created', error: null, retryCount: 0, createRetryCount: 0 },
  })
  await db.deleteFrom('accounts').where('account', '=', 'graph').execute()
})

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
    pubSubError: null,
    accounts: 0,
    quotaUse: [],
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
const federation = {
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
  credential_source: { file: '/var/run/identity/token' },
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
  [
    'a federation whose tokens go to another server',
    {
      ...service,
      externalAccount: JSON.stringify({ ...federation, token_url: 'https://evil.example/' }),
    },
    ['externalAccount'],
  ],
  ['a federation that is no JSON', { ...service, externalAccount: '{' }, ['externalAccount']],
  [
    'a federation without an external account',
    { ...service, authMethod: 'externalAccount' },
    ['externalAccount'],
  ],
  [
    'a tenant application without secret and certificate',
    { name: 'T', provider: 'outlookService', clientId: 'id', authority: 'x.example' },
    ['clientSecret'],
  ],
  ['generic without a place', { ...gmail, provider: 'generic' }, ['authorizeUrl', 'tokenUrl']],
  ['gmail somewhere else', { ...gmail, tokenUrl: 'https://evil.example/' }, ['tokenUrl']],
  ['an unknown provider', { ...gmail, provider: 'yahoo' }, ['provider']],
  ['an unknown member', { ...gmail, what: 1 }, ['what']],
  [
    'base scope api of other servers',
    { ...gmail, provider: 'generic', issuer: 'https://id.example', baseScopes: 'api' },
    ['baseScopes'],
  ],
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

test('createOAuth2App: a project of the Gmail API is accepted, the application can be used', async () => {
  const id = await created({ ...gmail, baseScopes: 'api', googleProjectId: 'project-1' })
  expect(await get(id)).toMatchObject({ enabled: true, googleProjectId: 'project-1' })
  await call('DELETE', `/v1/oauth2/${id}`)
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
  // Simulates the configuration of an OAuth2 application that an earlier release has stored.
  const config = JSON.stringify({ ...gmail, googleProjectId: 'project-1', pubSubApp: 'app' })
  await db.updateTable('oauth2Apps').set({ config }).where('id', '=', id).execute()
  expect((await put(id, { name: 'Renamed', pubSubApp: null })).status).toBe(200)
  const record = await get(id)
  expect(record).toMatchObject({ name: 'Renamed', googleProjectId: 'project-1' })
  expect(record).not.toHaveProperty('pubSubApp')
  await call('DELETE', `/v1/oauth2/${id}`)
})

test('createOAuth2App: service accounts by federation, and by certificate', async () => {
  const federated = await created({ ...service, externalAccount: JSON.stringify(federation) })
  expect(await get(federated)).toMatchObject({
    authMethod: 'externalAccount',
    externalAccount: '******',
  })
  // For absent and masked secrets in an update of an OAuth2 application, the stored secrets stay.
  expect((await put(federated, { name: 'F', externalAccount: '******' })).status).toBe(200)
  const tenant = { name: 'T', provider: 'outlookService', clientId: 'id', authority: 'x.example' }
  const certified = await created({ ...tenant, serviceKey: 'PEM' })
  expect(await get(certified)).toMatchObject({ serviceKey: '******' })
  expect(await secretOf(certified, 'serviceKey')).toBe('PEM')
  for (const id of [federated, certified]) await call('DELETE', `/v1/oauth2/${id}`)
})

test('getOAuthToken: disabled by default', async () => {
  expect(await call('GET', '/v1/account/none/oauth-token')).toMatchObject({
    status: 403,
    body: { code: 'ApiEndpointDisabled' },
  })
  const open = await servers.start({ SVC_ENABLE_OAUTH_TOKENS_API: 'true' })
  expect((await open.call('GET', '/v1/account/none/oauth-token')).status).toBe(404)
})

const pubsub = {
  name: 'Notifications',
  provider: 'gmailService',
  enabled: true,
  baseScopes: 'pubsub',
  serviceClient: '1',
  serviceClientEmail: 'push@project-1.iam.gserviceaccount.com',
  serviceKey: 'key',
  googleProjectId: 'project-1',
}

test('POST /v1/oauth2: an application for Pub/Sub needs a project, and has topics', async () => {
  const { googleProjectId: _project, ...incomplete } = pubsub
  const rejected = await create(incomplete)
  expect(rejected.body.fields?.map(({ path }) => path)).toEqual(['googleProjectId'])
  const id = await created({ ...pubsub, googleTopicName: 'topic' })
  const record = { baseScopes: 'pubsub', googleTopicName: 'topic', pubSubError: null }
  expect(await get(id)).toMatchObject(record)
})

const pubSubError = { message: 'Denied.', description: 'PERMISSION_DENIED' }
async function failPubSub(app: string): Promise<void> {
  const lastError = JSON.stringify({ response: 'Denied.', description: 'PERMISSION_DENIED' })
  await db.insertInto('pubsubStates').values({ app, state: 'failed', lastError }).execute()
}

test('GET /v1/pubsub/status: applications for Pub/Sub and the errors that workers stored', async () => {
  const id = await created({ ...pubsub, name: 'Failing' })
  await failPubSub(id)
  const { body } = await call('GET', '/v1/pubsub/status?pageSize=100')
  const apps = body['apps'] as { id: string; name: string }[]
  expect(apps.find((app) => app.id === id)).toEqual({
    id,
    name: 'Failing',
    lastError: null,
    pubSubError,
  })
  expect(apps.map(({ name }) => name)).not.toContain(gmail.name)
  expect((await get(id))['pubSubError']).toEqual(pubSubError)
})

test('redirectUrl of another address: a warning at the registration, the failed step of verify', async () => {
  await using bus = await servers.connectBus()
  const step = { id: 'enabled', label: 'Enabled', status: 'ok' as const, message: null }
  await using _bridge = await bus.serve({
    queue: 'credentials',
    handlers: [on(verifyOAuth2App, async () => ({ steps: [step] }))],
  })
  await call('POST', '/v1/settings', { body: { serviceUrl: 'https://mail.example.test/' } })
  const verified = async (app: unknown) =>
    (await call('POST', `/v1/oauth2/${String(app)}/verify`, { body: {} })).body
  const redirectUrl = 'https://old.example.test/oauth'
  const wrong = await call('POST', '/v1/oauth2', { body: { ...gmail, redirectUrl } })
  const problem = `redirectUrl is ${redirectUrl}, but serviceUrl requires https://mail.example.test/oauth`
  expect(wrong.body).toMatchObject({ created: true, warnings: [problem] })
  expect(await verified(wrong.body['id'])).toMatchObject({
    ok: false,
    failedStep: 'redirect',
    steps: [{ id: 'enabled' }, { id: 'redirect', status: 'fail', message: problem }, {}],
  })
  const changed = { redirectUrl: 'https://mail.example.test/oauth' }
  const { body } = await call('PUT', `/v1/oauth2/${String(wrong.body['id'])}`, { body: changed })
  expect(body).not.toHaveProperty('warnings')
  expect(await verified(wrong.body['id'])).toMatchObject({ ok: true, failedStep: null })
})

test('POST /v1/oauth2/{app}/verify: reports watch and Pub/Sub as steps', async () => {
  await using bus = await servers.connectBus()
  await using _bridge = await bus.serve({
    queue: 'credentials',
    handlers: [on(verifyOAuth2App, async () => ({ steps: [] }))],
  })
  const pubSubApp = await created({ ...pubsub, name: 'Linked' })
  const config = JSON.stringify({ baseScopes: 'api', pubSubApp })
  const app = { id: 'gmail-api', provider: 'gmail' as const, name: 'G', enabled: true, config }
  await db.insertInto('oauth2Apps').values(app).execute()
  const account = { account: 'watched', shard: shardOf('watched'), name: 'w' }
  await db.insertInto('accounts').values(account).execute()
  const steps = async (id = app.id) => {
    const path = `/v1/oauth2/${id}/verify`
    const { body } = await call('POST', path, { body: { account: 'watched' } })
    const all = body['steps'] as { id: string; status: string; message: string }[]
    return Object.fromEntries(all.map((step) => [step.id, [step.status, step.message]]))
  }
  expect(await steps()).toMatchObject({
    watch: ['skip', 'There is no registration; it is polled'],
    pubsub: ['skip', 'The application was not used yet'],
  })
  const expiresAt = new Date('2099-01-01T00:00:00Z')
  const watch = { account: 'watched', remoteId: 'w', expiresAt, renewAt: expiresAt }
  await db
    .insertInto('apiWatches')
    .values({ ...watch, state: 'active' })
    .execute()
  await db.insertInto('pubsubStates').values({ app: pubSubApp, state: 'active' }).execute()
  expect(await steps()).toMatchObject({
    watch: ['ok', 'until 2099-01-01T00:00:00.000Z'],
    pubsub: ['ok', null],
  })
  const lastError = JSON.stringify({ response: 'Validation failed.' })
  await db.updateTable('apiWatches').set({ state: 'failed', lastError }).execute()
  await db.updateTable('oauth2Apps').set({ enabled: false }).where('id', '=', pubSubApp).execute()
  expect(await steps()).toMatchObject({
    watch: ['fail', 'Validation failed.'],
    pubsub: ['fail', 'The application in pubSubApp is disabled'],
  })
  expect(Object.keys(await steps(pubSubApp))).toEqual(['redirect', 'pubsub'])
})

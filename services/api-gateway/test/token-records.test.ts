import { afterAll, expect, test } from '@jest/globals'
import { hashToken } from '@posthorn/secrets'
import { eventually } from '@posthorn/testkit'
import { type Answer, mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const limits = { SVC_TOKEN_LOG_ENTRIES: '5' }
const first = await servers.start(limits)
const second = await servers.start(limits)
const { call } = first
for (const account of ['log', 'other'])
  await call('POST', '/v1/account', { body: registration(account) })

const descriptions = ({ body }: Answer) =>
  (body['tokens'] as { description: string }[]).map(({ description }) => description)

const full = {
  account: 'log',
  description: 'Everything given',
  scopes: ['api', 'smtp'],
  metadata: '{"a":1}',
  ip: '192.0.2.1',
  restrictions: { addresses: ['127.0.0.0/8'], referrers: ['*'], rateLimit: null },
  permissions: { actions: ['read'] },
  expires: '2090-01-01T00:00:00.000Z',
}
const fullToken = await mint(call, full)
const bareToken = await mint(call, {})
const bound = await mint(call, { account: 'log', description: 'Bound to log' })
const foreign = await mint(call, { account: 'other', description: 'Bound to other' })
const limited = await mint(call, { description: 'Limited', permissions: { actions: ['read'] } })

test('getToken: by value or id, without the value', async () => {
  const { body } = await call('GET', `/v1/tokens/${fullToken}`)
  expect(body).toEqual({
    ...full,
    id: hashToken(fullToken),
    remoteAddress: '127.0.0.1',
    created: expect.stringMatching(/^20.*Z$/),
    access: { time: null, ip: null },
  })
  expect((await call('GET', `/v1/tokens/${hashToken(bareToken)}`)).body).toEqual({
    id: hashToken(bareToken),
    account: null,
    scopes: ['api'],
    restrictions: null,
    permissions: null,
    remoteAddress: '127.0.0.1',
    created: expect.any(String),
    access: { time: null, ip: null },
  })
  const missing = await call('GET', `/v1/tokens/${'0'.repeat(64)}`)
  expect([missing.status, missing.body]).toEqual([
    404,
    { statusCode: 404, error: 'Not Found', message: 'Token was not found' },
  ])
})

test('listTokens: pages newest first, filtered by text or account', async () => {
  const page = await call('GET', '/v1/tokens?page=1&pageSize=2')
  expect(page.body).toMatchObject({ account: null, total: 6, page: 1, pages: 3 })
  expect(descriptions(page)).toEqual(['Bound to log', undefined])
  const ofAccount = await call('GET', '/v1/tokens?account=log')
  expect(ofAccount.body).toMatchObject({ account: 'log', total: 2, pages: 1 })
  expect(descriptions(ofAccount)).toEqual(['Bound to log', 'Everything given'])
  expect(descriptions(await call('GET', '/v1/tokens?query=BOUND'))).toHaveLength(2)
  expect(descriptions(await call('GET', '/v1/tokens?query=othe'))).toEqual(['Bound to other'])
  const byId = await call('GET', `/v1/tokens?query=${hashToken(limited).slice(5, 30)}`)
  expect(descriptions(byId)).toEqual(['Limited'])
  expect((await call('GET', '/v1/tokens?query=%25')).body['total']).toBe(0)
  const alias = await call('GET', '/v1/tokens/account/log')
  expect(alias.body).toEqual({ tokens: ofAccount.body['tokens'] })
})

test('tokens: a bound token lists tokens of its account only', async () => {
  const status = async (path: string, token: string) => (await call('GET', path, { token })).status
  for (const path of ['/v1/tokens?account=log', '/v1/tokens/account/log']) {
    expect(await status(path, bound)).toBe(200)
    expect(await status(path, foreign)).toBe(403)
    expect(await status(path, limited)).toBe(403)
  }
  const one = `/v1/tokens/${hashToken(foreign)}`
  for (const path of ['/v1/tokens', one, `${one}/log`])
    for (const token of [bound, limited]) expect(await status(path, token)).toBe(403)
})

interface Log {
  token: string
  total: number
  pages: number
  entries: Record<string, unknown>[]
}
const logOf = async (token: string, query = '') => {
  const { body } = await call('GET', `/v1/tokens/${hashToken(token)}/log${query}`)
  return body as unknown as Log
}
const startAuditing = async () => {
  await call('POST', '/v1/settings', { body: { tokenAuditLog: true } })
  // Waits until each replica writes an entry to a token log, which shows that the replica has read
  // the setting. Each replica has a separate token, because a replica may write the entries of its
  // last calls later.
  for (const replica of [first, second]) {
    const token = await mint(call, {})
    await eventually(async () => {
      await replica.call('GET', '/v1/accounts', { token })
      expect((await logOf(token)).total).toBeGreaterThan(0)
    })
  }
}

test('tokenAuditLog: the log contains uses at all replicas', async () => {
  const token = await mint(call, { description: 'Audited' })
  await call('GET', '/v1/accounts', { token })
  await startAuditing()
  const started = Date.now()
  const victim = await mint(call, {})
  await second.call('DELETE', `/v1/token/${victim}?access_token=${token}`, { token: null })
  await call('GET', '/v1/account/log?x=1', { token: limited })
  await call('PUT', '/v1/account/log/flush', { token: limited, body: { flush: true } })
  await call('GET', '/v1/accounts', { token: foreign })
  await call('POST', '/v1/settings', { token: bound, body: { webhooks: '' } })
  await eventually(async () => expect((await logOf(limited)).total).toBe(2))
  const entry = (entry: object) => ({
    time: expect.any(String),
    ip: '127.0.0.1',
    account: null,
    status: 'allowed',
    reason: null,
    ...entry,
  })
  const removal = { method: 'DELETE', path: '/v1/token/{token}', action: 'destructive' }
  await eventually(async () =>
    expect(await logOf(token)).toEqual({
      token: hashToken(token),
      total: 1,
      page: 0,
      pages: 1,
      entries: [entry({ ...removal, group: 'admin' })],
    }),
  )
  const flush = { method: 'PUT', path: '/v1/account/log/flush', action: 'destructive' }
  const denied = { status: 'denied', reason: 'Unauthorized permission' }
  const reading = { method: 'GET', path: '/v1/account/log', action: 'read' }
  const about = { group: 'account', account: 'log' }
  const { entries } = await logOf(limited)
  expect(entries).toEqual([
    entry({ ...flush, ...about, ...denied }),
    entry({ ...reading, ...about }),
  ])
  for (const { time } of entries)
    expect(Date.parse(String(time))).toBeGreaterThanOrEqual(started - 1_000)
  const reasons = { status: 'denied', reason: 'Unauthorized account' }
  await eventually(async () =>
    expect((await logOf(foreign)).entries).toMatchObject([{ ...reasons, account: 'other' }]),
  )
  const stored = JSON.stringify(await db.selectFrom('tokenLog').selectAll().execute())
  for (const value of [token, victim, limited, foreign]) expect(stored).not.toContain(value)
})

test("tokenAuditLog: an operation's rejection is denied, other errors are allowed", async () => {
  const token = await mint(call, {
    restrictions: { rateLimit: { maxRequests: 3, timeWindow: 31_536_000 } },
  })
  const as = (method: string, path: string, body?: object) =>
    call(method, path, { token, ...(body ? { body } : {}) })
  await as('GET', '/v1/account/missing')
  await as('POST', '/v1/tokens', {})
  await as('POST', '/v1/tokens', { nope: 1 })
  await as('GET', '/v1/accounts')
  await eventually(async () => expect((await logOf(token)).total).toBe(4))
  expect((await logOf(token)).entries.map(({ reason }) => reason)).toEqual([
    'Rate limit exceeded',
    null,
    'The new token would be less restricted than the token creating it',
    null,
  ])
})

test('tokenAuditLog: an expired token is denied as expired; its record is deleted after 24 h', async () => {
  const token = await mint(call, { expires: new Date(Date.now() + 86_400_000).toISOString() })
  const id = hashToken(token)
  const end = (msAgo: number) =>
    db
      .updateTable('tokens')
      .set({ expiresAt: new Date(Date.now() - msAgo) })
      .where('id', '=', id)
      .execute()
  await end(1_000)
  expect((await call('GET', '/v1/accounts', { token })).status).toBe(401)
  await eventually(async () =>
    expect((await logOf(token)).entries).toMatchObject([{ reason: 'Token expired' }]),
  )
  expect((await call('GET', `/v1/tokens/${id}`)).status).toBe(200)
  await end(86_401_000)
  await using _sweeping = await servers.start(limits)
  await eventually(async () => expect((await call('GET', `/v1/tokens/${id}`)).status).toBe(404))
  // The log of an access token can still be read after the token was deleted.
  expect((await logOf(token)).total).toBe(1)
})

test('sweepTokenLog: keeps the newest entries and deletes logs of unused tokens', async () => {
  const [busy, resting] = [await mint(call, {}), await mint(call, {})]
  for (let n = 0; n < 8; n += 1) await call('GET', `/v1/account/busy-${n}`, { token: busy })
  await call('GET', '/v1/accounts', { token: resting })
  const rows = (token: string) =>
    db.selectFrom('tokenLog').select('path').where('token', '=', hashToken(token)).execute()
  // Waits until all entries of the token logs are written. A periodic sweep of another replica may
  // have deleted the oldest entries already.
  await eventually(async () => {
    expect(await rows(busy)).toContainEqual({ path: '/v1/account/busy-7' })
    expect(await rows(resting)).toHaveLength(1)
  })
  expect(await logOf(busy, '?pageSize=2&page=2')).toMatchObject({ total: 5, page: 2, pages: 3 })
  expect((await logOf(busy, '?pageSize=2&page=2')).entries).toMatchObject([
    { path: '/v1/account/busy-3' },
  ])
  expect((await call('GET', `/v1/tokens/${busy}/log?pageSize=201`)).status).toBe(400)
  await db
    .updateTable('tokenLog')
    .set({ at: new Date(Date.now() - 7 * 86_400_000 - 1_000) })
    .where('token', '=', hashToken(resting))
    .execute()
  await using _sweeping = await servers.start(limits)
  await eventually(async () =>
    expect([(await rows(busy)).length, (await rows(resting)).length]).toEqual([5, 0]),
  )
})

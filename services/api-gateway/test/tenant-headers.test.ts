import { afterAll, expect, test } from '@jest/globals'
import type { Operation } from '@posthorn/contracts/define'
import { allOperations } from '@posthorn/contracts/operations'
import { mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
afterAll(servers.stop)
const { db } = servers
const { call } = await servers.start()

const storedOf = (account: string) =>
  db
    .selectFrom('accounts')
    .select(['webhooks', 'webhooksCustomHeaders', 'tenantSet'])
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
const put = async (account: string, body: object, token?: string) => {
  const options = token === undefined ? { body } : { body, token }
  return call('PUT', `/v1/account/${account}`, options)
}

type Party = 'operator' | 'tenant'
const headersOf = (party: Party) => [
  { key: 'Authorization', value: `Bearer ${party}` },
  { key: 'X-Key', value: party },
]
const masked = headersOf('operator').map(({ key }) => ({ key, value: '******' }))
const plainUrl = 'https://receiver.example/in'
const urls = [plainUrl, 'https://u:pw@receiver.example/in'] as const
const own = headersOf('tenant')

/**
 * Stored webhook settings of an account before a change, by the party that has set the target and
 * the headers.
 */
const states = ([undefined, 'operator', 'tenant'] as const).flatMap((target) =>
  ([undefined, 'operator', 'tenant'] as const).flatMap((headers) =>
    (target === undefined ? [plainUrl] : urls).map((url) => ({ target, headers, url })),
  ),
)
type State = (typeof states)[number]

interface Change {
  body: Record<string, unknown>
  /** True if the change of the account sets a new webhook target of the tenant. */
  moves?: boolean
  /** Webhook headers after the change. Defaults to the stored webhook headers. */
  headers?: 'new' | 'none' | 'mixed'
}
const changes: Record<string, Change> = {
  'another path': { body: { webhooks: 'https://receiver.example/other' }, moves: true },
  'another host': { body: { webhooks: 'https://tenant.example/' }, moves: true },
  'another login': { body: { webhooks: 'https://u:new@receiver.example/in' }, moves: true },
  'another host, masked headers': {
    body: { webhooks: 'https://tenant.example/', webhooksCustomHeaders: masked },
    moves: true,
  },
  'another host, one masked header': {
    body: { webhooks: 'https://tenant.example/', webhooksCustomHeaders: masked.slice(1) },
    moves: true,
  },
  'another host, new headers': {
    body: { webhooks: 'https://tenant.example/', webhooksCustomHeaders: own },
    moves: true,
    headers: 'new',
  },
  'another host, no headers': {
    body: { webhooks: 'https://tenant.example/', webhooksCustomHeaders: [] },
    moves: true,
    headers: 'none',
  },
  'new headers': { body: { webhooksCustomHeaders: own }, headers: 'new' },
  'masked headers': { body: { webhooksCustomHeaders: masked } },
  'a masked header beside a new one': {
    body: { webhooksCustomHeaders: [masked[0], { key: 'X-New', value: 'new' }] },
    headers: 'mixed',
  },
}
const needsStored = (name: string) => /masked/.test(name)
const rows = states.flatMap((state) =>
  Object.entries(changes)
    .filter(([name]) => state.headers !== undefined || !needsStored(name))
    .map(([name, change]) => {
      const { target = 'no', headers = 'no', url } = state
      const login = url === plainUrl ? '' : ' with a login'
      const stored = `${target} target${login}, ${headers} headers`
      return [`${stored}: a bound token sends ${name}`, state, change] as const
    }),
)

/**
 * Registers an account and sets its webhook members. The tenant's members are set first: later
 * changes by the operator do not change their origin.
 */
async function prepare(account: string, { target, headers, url }: State): Promise<string> {
  await call('POST', '/v1/account', { body: registration(account) })
  const token = await mint(call, { account })
  for (const party of ['tenant', 'operator'] as const) {
    const body = {
      ...(target === party && { webhooks: url }),
      ...(headers === party && { webhooksCustomHeaders: headersOf(party) }),
    }
    const sent = await put(account, body, party === 'tenant' ? token : undefined)
    expect(sent.status).toBe(200)
  }
  return token
}

const isRefused = ({ target, headers }: State, change: Change) => {
  const after = change.moves ? 'tenant' : target
  if (change.headers === 'mixed') return headers === 'operator' || after === 'operator'
  if (change.headers === 'new') return after === 'operator'
  return change.moves === true && change.headers !== 'none' && headers === 'operator'
}

test.each(rows)('%s', async (account, state, change) => {
  const token = await prepare(account, state)
  const before = await storedOf(account)
  const { status, body } = await put(account, change.body, token)
  const after = await storedOf(account)
  if (isRefused(state, change)) {
    expect([status, body]).toMatchObject([403, { message: 'Unauthorized account' }])
    expect(after).toEqual(before)
    return
  }
  expect(status).toBe(200)
  const kept = before.webhooksCustomHeaders ?? []
  const isMasked = change.headers === undefined
  if (isMasked && kept.length > 0) {
    const remaining = (after.webhooksCustomHeaders ?? []).map(({ value }) => value)
    expect(kept.map(({ value }) => value)).toEqual(expect.arrayContaining(remaining))
    expect(after.tenantSet.includes('webhooksCustomHeaders')).toBe(state.headers === 'tenant')
  }
  if (change.headers === 'new') expect(after.tenantSet).toContain('webhooksCustomHeaders')
  const owner = change.moves ? 'tenant' : state.target
  expect(after.tenantSet.includes('webhooks')).toBe(owner === 'tenant')
})

/** Operations whose body has custom headers: of accounts, settings and routes. */
const changesHeaders = ({ body, method }: Operation) =>
  method !== 'get' && /"(?:webhooksCustomHeaders|customHeaders)":/.test(JSON.stringify(body ?? {}))

test.each(
  allOperations.filter(changesHeaders).map((operation) => [operation.id, operation] as const),
)(
  '%s: a token with a permissions record and without an account changes no headers',
  async (...row) => {
    const [id, { method, path }] = row
    await prepare('kept', { target: 'operator', headers: 'operator', url: plainUrl })
    const before = await storedOf('kept')
    // All actions that a permissions record of an access token can grant: a record without lists
    // would grant nothing.
    const actions = ['read', 'write', 'send', 'destructive']
    const token = await mint(call, { permissions: { actions } })
    const headers = { webhooksCustomHeaders: own }
    const body = id === 'updateSettings' ? headers : { ...registration('kept'), ...headers }
    const sent = await call(method.toUpperCase(), path.replace(/:\w+/, 'kept'), { body, token })
    expect(sent.status).toBe(403)
    expect(await storedOf('kept')).toEqual(before)
  },
)

test('an operator sends back the masked record of a tenant, its origins stay', async () => {
  const token = await prepare('echo', { target: 'tenant', headers: 'tenant', url: urls[1] })
  const before = await storedOf('echo')
  expect(before.tenantSet.toSorted()).toEqual(['webhooks', 'webhooksCustomHeaders'])
  const { body } = await call('GET', '/v1/account/echo')
  const { webhooks, webhooksCustomHeaders } = body as Record<string, unknown>
  expect((await put('echo', { name: 'X', webhooks, webhooksCustomHeaders })).status).toBe(200)
  expect(await storedOf('echo')).toEqual(before)
  const mixed = [masked[0], { key: 'X-New', value: 'new' }]
  for (const refused of [
    await put('echo', { webhooksCustomHeaders: mixed }),
    await call('POST', '/v1/account', {
      body: { ...registration('echo'), webhooksCustomHeaders: mixed },
    }),
  ])
    expect([refused.status, refused.body.fields?.map(({ path }) => path)]).toEqual([
      400,
      ['webhooksCustomHeaders'],
    ])
  expect(await storedOf('echo')).toEqual(before)
  const taken = { webhooks: plainUrl, webhooksCustomHeaders: headersOf('operator') }
  expect((await put('echo', taken)).status).toBe(200)
  expect((await storedOf('echo')).tenantSet).toEqual([])
  expect((await put('echo', { webhooks: 'https://tenant.example/' }, token)).status).toBe(403)
})

test('headers from before origins were stored, stay with their target until they are set', async () => {
  const token = await prepare('old', { target: 'operator', headers: 'operator', url: plainUrl })
  const tenantSet = ['imap', 'smtp', 'webhooks', 'webhooksCustomHeaders', 'unknownHeaders'] as const
  await db
    .updateTable('accounts')
    .set({ tenantSet: [...tenantSet] })
    .where('account', '=', 'old')
    .execute()
  const webhooks = 'https://tenant.example/'
  expect((await put('old', { name: 'X', webhooksCustomHeaders: masked }, token)).status).toBe(200)
  expect((await storedOf('old')).tenantSet).toEqual(tenantSet)
  expect((await put('old', { webhooks }, token)).status).toBe(403)
  expect((await put('old', { webhooks, webhooksCustomHeaders: own }, token)).status).toBe(200)
  expect((await storedOf('old')).tenantSet).not.toContain('unknownHeaders')
  expect((await put('old', { webhooks: plainUrl }, token)).status).toBe(200)
})

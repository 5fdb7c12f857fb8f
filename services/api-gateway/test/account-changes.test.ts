import { afterAll, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { getQuota, listSignatures, syncAccount } from '@posthorn/contracts/commands/maintenance'
import type { Invalidation } from '@posthorn/contracts/hints'
import { shardOf } from '@posthorn/contracts/shards'
import { eventually } from '@posthorn/testkit'
import { mint, registration, testServers } from './gateway.ts'

const servers = await testServers()
const { db } = servers
const { call } = await servers.start()
const bus = await servers.connectBus()
const invalidations: Invalidation[] = []
const synced: string[] = []
const quotas = new Map<string, { usage: number; limit: number }>()
await bus.onInvalidate((message) => void invalidations.push(message))
await bus.serve({
  queue: 'private',
  keys: ['held', 'signing'].map((account) => `shard.${shardOf(account)}`),
  handlers: [
    on(syncAccount, async ({ account }) => {
      synced.push(account)
      return { sync: true as const }
    }),
    on(listSignatures, async ({ account }) => ({
      signatures: [{ address: `${account}@gmail.example`, signature: '<b>S</b>' }],
      signaturesSupported: true,
    })),
    on(getQuota, async ({ account }) => ({ quota: quotas.get(account) ?? (false as const) })),
  ],
})
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

const stored = (account: string) =>
  db.selectFrom('accounts').selectAll().where('account', '=', account).executeTakeFirstOrThrow()
const put = (account: string, body: object, what = '') =>
  call('PUT', `/v1/account/${account}${what}`, { body })

test('updateAccount: changes columns, raises the version only if sessions are affected', async () => {
  await call('POST', '/v1/account', { body: registration('change') })
  expect((await put('change', { name: 'New name', copy: true })).body).toEqual({
    account: 'change',
  })
  expect(await stored('change')).toMatchObject({ name: 'New name', copy: true, version: '1' })
  const weaker = { partial: true, port: 143, secure: false }
  expect(await put('change', { imap: weaker })).toMatchObject({
    status: 400,
    body: { fields: [{ path: 'imap.auth.pass' }] },
  })
  const auth = { user: 'change@mail.example', pass: 'secret' }
  expect((await put('change', { imap: { ...weaker, auth } })).status).toBe(200)
  expect(await stored('change')).toMatchObject({
    version: '2',
    imap: {
      host: 'imap.mail.example',
      port: 143,
      secure: false,
      auth: { user: 'change@mail.example' },
    },
  })
  await eventually(() =>
    invalidations.some(({ topic, id }) => topic === 'accounts' && id === 'change'),
  )
})

test('updateAccount: a new host without a password responds 400 and changes nothing', async () => {
  await call('POST', '/v1/account', { body: registration('host') })
  const { status, body } = await put('host', {
    name: 'x',
    imap: { partial: true, host: 'evil.example' },
  })
  expect([status, body.fields]).toMatchObject([400, [{ path: 'imap.auth.pass', key: 'pass' }]])
  const { imap } = registration('host')
  const again = await call('POST', '/v1/account', {
    body: {
      ...registration('host'),
      imap: { ...imap, host: 'evil.example', auth: { ...imap.auth, pass: '******' } },
    },
  })
  expect(again.status).toBe(400)
  expect(await stored('host')).toMatchObject({ name: 'Name of host', version: '1' })
})

test('updateAccount: a masked password with another user responds 403 to a bound token', async () => {
  await call('POST', '/v1/account', { body: registration('masked') })
  const token = await mint(call, { account: 'masked' })
  const before = await stored('masked')
  const redirects = [
    { imap: { partial: true, auth: { user: 'other@mail.example', pass: '******' } } },
    { smtp: { partial: true, auth: { user: 'other@mail.example', pass: '******' } } },
    { imap: { partial: true, port: 143, secure: false } },
  ]
  for (const body of redirects) {
    const { status } = await call('PUT', '/v1/account/masked', { token, body })
    expect([status, body]).toEqual([403, body])
  }
  expect(await stored('masked')).toEqual(before)
  const login = { user: 'other@mail.example', pass: 'its own' }
  const body = { imap: { partial: true, auth: login } }
  expect((await call('PUT', '/v1/account/masked', { token, body })).status).toBe(200)
})

test('updateAccount: validates fields like a registration', async () => {
  const wrong = await put('change', { imap: { port: 0 }, account: 'other', imapIndexer: 'fast' })
  expect(wrong.body.fields?.map(({ path }) => path).toSorted()).toEqual([
    'account',
    'imap.port',
    'imapIndexer',
  ])
  expect((await put('missing', { name: 'x' })).status).toBe(404)
})

test('updateAccount: a disabled IMAP server needs no address', async () => {
  const imap = { disabled: true }
  expect(
    (await call('POST', '/v1/account', { body: { ...registration('off'), imap } })).status,
  ).toBe(200)
  expect((await stored('off')).imap).toMatchObject({ disabled: true })
  expect(
    (await put('off', { imap: { partial: true, disabled: false } })).body.fields,
  ).toMatchObject([{ path: 'imap.host' }, { path: 'imap.port' }, { path: 'imap.auth' }])
})

test('reconnect, sync and flush without their flag do nothing', async () => {
  await call('POST', '/v1/account', { body: registration('held') })
  for (const what of ['reconnect', 'sync', 'flush']) {
    expect((await put('held', {}, `/${what}`)).body).toEqual({ [what]: false })
    expect((await put('held', { [what]: false }, `/${what}`)).body).toEqual({ [what]: false })
    expect((await put('missing', { [what]: true }, `/${what}`)).status).toBe(404)
    expect((await put('missing', { [what]: false }, `/${what}`)).status).toBe(404)
  }
  expect(await stored('held')).toMatchObject({ version: '1', flushEpoch: '0' })
  expect(synced).toEqual([])
})

test('reconnect raises the version, sync calls the worker, flush raises the flush epoch', async () => {
  expect((await put('held', { reconnect: true }, '/reconnect')).body).toEqual({ reconnect: true })
  expect((await stored('held')).version).toBe('2')
  expect((await put('held', { sync: true }, '/sync')).body).toEqual({ sync: true })
  expect(synced).toEqual(['held'])
  const before = Date.now()
  expect((await put('held', { flush: true }, '/flush')).body).toEqual({ flush: true })
  expect(await stored('held')).toMatchObject({ version: '3', flushEpoch: '1', imapIndexer: null })
  expect((await stored('held')).notifyFrom.getTime()).toBeGreaterThanOrEqual(before)
  const old = { flush: true, notifyFrom: '2020-01-01', imapIndexer: 'fast' }
  expect((await put('held', old, '/flush')).status).toBe(200)
  expect(await stored('held')).toMatchObject({
    flushEpoch: '2',
    imapIndexer: 'fast',
    notifyFrom: new Date('2020-01-01T00:00:00Z'),
  })
})

test('reconnect, sync and flush of a paused account: 503 NoAvailable, nothing changes', async () => {
  await call('POST', '/v1/account', { body: { ...registration('paused'), paused: true } })
  const before = await stored('paused')
  expect(before.paused).toBe(true)
  for (const what of ['reconnect', 'sync', 'flush'])
    expect((await put('paused', { [what]: true }, `/${what}`)).body).toMatchObject({
      statusCode: 503,
      code: 'NoAvailable',
      state: 'other',
      message: 'The account is paused, set paused to false to connect it',
    })
  expect(await stored('paused')).toEqual(before)
  expect((await put('paused', {}, '/reconnect')).body).toEqual({ reconnect: false })
})

test('updateAccount: paused starts and stops sessions, notifyFrom stays unless given', async () => {
  const { notifyFrom } = await stored('paused')
  expect((await call('GET', '/v1/account/paused')).body).toMatchObject({ paused: true })
  await put('paused', { paused: true })
  expect(await stored('paused')).toMatchObject({ paused: true, version: '1' })
  await put('paused', { paused: false })
  expect(await stored('paused')).toMatchObject({ paused: false, version: '2', notifyFrom })
  const later = new Date('2026-11-01T00:00:00Z')
  await put('paused', { paused: true })
  await put('paused', { paused: false, notifyFrom: later.toISOString() })
  expect(await stored('paused')).toMatchObject({ version: '4', notifyFrom: later })
})

test('syncAccount: an account that never connected, responds 503', async () => {
  await call('POST', '/v1/account', { body: registration('unheld') })
  expect((await put('unheld', { sync: true }, '/sync')).body).toMatchObject({
    statusCode: 503,
    code: 'NotYetConnected',
  })
})

test('getAccount: with quota=true, adds the quota', async () => {
  quotas.set('held', { usage: 530, limit: 1_000 })
  expect((await call('GET', '/v1/account/held')).body).not.toHaveProperty('quota')
  expect((await call('GET', '/v1/account/held?quota=true')).body['quota']).toEqual({
    usage: 530,
    limit: 1_000,
    status: '53%',
  })
  quotas.delete('held')
  expect((await call('GET', '/v1/account/held?quota=true')).body['quota']).toBe(false)
})

test('getAccount: contains connections and syncError', async () => {
  const syncError = { path: 'Broken', time: '2026-01-01T00:00:00.000Z', error: 'NO' }
  await db
    .insertInto('accountStates')
    .values({
      account: 'held',
      state: 'connected',
      connections: 2,
      syncError: JSON.stringify(syncError),
    })
    .execute()
  expect((await call('GET', '/v1/account/held')).body).toMatchObject({ connections: 2, syncError })
})

test('getServerSignatures: with the Gmail API, those of the provider', async () => {
  await db
    .insertInto('accounts')
    .values({ account: 'signing', shard: shardOf('signing'), name: 'S', backend: 'gmail' })
    .execute()
  expect(await call('GET', '/v1/account/signing/server-signatures')).toMatchObject({
    status: 200,
    body: { signatures: [{ address: 'signing@gmail.example' }], signaturesSupported: true },
  })
  expect((await call('GET', '/v1/account/missing/server-signatures')).status).toBe(404)
})

test('getServerSignatures: reports no support with IMAP', async () => {
  expect((await call('GET', '/v1/account/held/server-signatures')).body).toEqual({
    signatures: [],
    signaturesSupported: false,
  })
})

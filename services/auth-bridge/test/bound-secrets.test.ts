import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connectBus } from '@posthorn/bus'
import { Secret } from '@posthorn/config'
import { getCredentials, getGatewayCredentials } from '@posthorn/contracts/commands/credentials'
import { destinationOf } from '@posthorn/contracts/schemas/destination'
import { shardOf } from '@posthorn/contracts/shards'
import { connect } from '@posthorn/db'
import { type Binding, createResealer, createSealer, keyPairFromSecret } from '@posthorn/secrets'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, testBus, testDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'
import { startApp } from '../src/app.ts'
import { countKeys, resealAll } from '../src/reseal/reseal.ts'

const [database, broker] = await Promise.all([testDatabase(), testBus({ reuse: true })])
const log = createLogger('test', 'silent')
const bus = await connectBus({ url: broker.url, name: 'test', log, metrics: createMetrics('test') })
// Database connection with the role of a compromised api-gateway.
const attacker = connect(database.roleUrl('posthorn_api_gateway'), { name: 'test', max: 1 })
const { publicKey, privateKey } = keyPairFromSecret('of bound secrets')
const sealer = createSealer(publicKey)

const start = (requireBoundSecrets = false) =>
  startApp(
    {
      databaseUrl: database.roleUrl('posthorn_auth_bridge'),
      databasePoolSize: 2,
      amqpUrl: broker.url,
      host: '127.0.0.1',
      port: 0,
      logLevel: 'silent',
      drainDelayMs: 0,
      shutdownTimeoutMs: 10_000,
      secret: new Secret('of bound secrets'),
      previousSecrets: [],
      authServerEgressPolicy: 'link-local',
      oauthEgressPolicy: 'link-local',
      providerOrigins: {},
      authServerTimeoutMs: 8_000,
      proxyEgressPolicy: 'link-local',
      oauthTokensApi: false,
      requireBoundSecrets,
    },
    new AbortController().signal,
  )
let app: AsyncDisposable
beforeAll(async () => {
  app = await start()
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await attacker.destroy()
  await bus[Symbol.asyncDispose]()
  await Promise.all([database.drop(), broker.drop()])
})

const options = { key: 'credentials', timeoutMs: 30_000 }
const credentialsOf = (account: string, protocol: 'imap' | 'smtp' = 'imap') =>
  eventually(() => bus.request(getCredentials, { account, protocol }, options).catch(refusal))

/**
 * Converts an error by which auth-bridge refuses credentials to a result. Throws any other error,
 * so that `eventually` repeats the call.
 */
function refusal(error: unknown) {
  const { kind, message } = error as { kind?: string; message?: string }
  if (kind !== 'rejected' && kind !== 'internal') throw error
  return { kind, message }
}
const refused = {
  kind: 'rejected',
  message: 'The stored login is for another server, user or application, enter it again',
}

const server = { host: 'imap.mail.example', port: 993, secure: true }
const login = { user: 'me' }
const to = destinationOf(server, login)

async function insert(account: string, binding?: Binding): Promise<void> {
  const imap = JSON.stringify({ ...server, auth: login })
  const { db } = database
  const row = { account, shard: shardOf(account), name: account, imap, smtp: imap }
  await db.insertInto('accounts').values(row).execute()
  const sealed = await sealer.seal('hush', `credentials/${account}/imap`, binding)
  await db.insertInto('credentials').values({ account, kind: 'imap', sealed }).execute()
}

const set = (account: string, imap: object) =>
  attacker
    .updateTable('accounts')
    .set({ imap: JSON.stringify(imap) })
    .where('account', '=', account)
    .execute()

test('getCredentials: password for its server, is returned with the server', async () => {
  await insert('own', { to })
  expect(await credentialsOf('own')).toEqual({ user: 'me', pass: 'hush', destination: to })
})

test.each<[string, object]>([
  ['host', { ...server, host: 'evil.example', auth: login }],
  ['port', { ...server, port: 1993, auth: login }],
  ['user', { ...server, auth: { user: 'you' } }],
  ['security', { ...server, secure: false, auth: login }],
  ['certificate check', { ...server, tls: { rejectUnauthorized: false }, auth: login }],
  ['lowest TLS version', { ...server, tls: { minVersion: 'TLSv1' }, auth: login }],
])('getCredentials: account with another %s than sealed, is refused', async (name, imap) => {
  const account = `other ${name}`
  await insert(account, { to })
  await set(account, imap)
  expect(await credentialsOf(account)).toEqual(refused)
  await set(account, { ...server, auth: login })
  expect(await credentialsOf(account)).toMatchObject({ pass: 'hush' })
})

test('getCredentials: password moved to another account or kind, is not unsealed', async () => {
  await insert('victim', { to })
  await insert('thief')
  await attacker.deleteFrom('credentials').where('account', '=', 'thief').execute()
  await sql`update credentials set account = 'thief' where account = 'victim'`.execute(attacker)
  expect(await credentialsOf('thief')).toMatchObject({ kind: 'internal' })
  await sql`update credentials set account = 'victim', kind = 'smtp' where account = 'thief'`.execute(
    attacker,
  )
  expect(await credentialsOf('victim', 'smtp')).toMatchObject({ kind: 'internal' })
})

test('getGatewayCredentials: gateway with another server or user than sealed, is refused', async () => {
  const gateway = { host: 'relay.example', port: 587, secure: false }
  const row = { gateway: 'relay', name: 'relay', ...gateway, username: 'me' }
  await database.db.insertInto('gateways').values(row).execute()
  const binding = { to: destinationOf(gateway, login) }
  const sealed = await sealer.seal('hush', 'gateways/relay', binding)
  await database.db.insertInto('gatewayCredentials').values({ gateway: 'relay', sealed }).execute()
  const credentials = () =>
    bus.request(getGatewayCredentials, { gateway: 'relay' }, options).catch(refusal)
  expect(await credentials()).toEqual({ user: 'me', pass: 'hush', destination: binding.to })
  for (const change of [{ host: 'evil.example' }, { port: 25 }, { username: 'you' }]) {
    await attacker.updateTable('gateways').set(change).execute()
    expect(await credentials()).toEqual(refused)
    await attacker
      .updateTable('gateways')
      .set({ ...gateway, username: 'me' })
      .execute()
  }
})

test('resealAll: unbound password, is bound to its present server', async () => {
  await insert('legacy')
  expect(await credentialsOf('legacy')).toEqual({ user: 'me', pass: 'hush' })
  const db = connect(database.roleUrl('posthorn_auth_bridge'), { name: 'test', max: 2 })
  const unbound = async () => {
    const tables = await countKeys({ db })
    return tables.find(({ table }) => table === 'credentials')?.keys['unbound'] ?? 0
  }
  expect(await unbound()).toBeGreaterThan(0)
  await insert('bound', { to })
  await set('bound', { ...server, host: 'evil.example', auth: login })
  await resealAll({ db, resealer: createResealer(publicKey, [privateKey]) })
  expect(await unbound()).toBe(0)
  await db.destroy()
  expect(await credentialsOf('legacy')).toMatchObject({ destination: to })
  await set('legacy', { ...server, host: 'evil.example', auth: login })
  expect(await credentialsOf('legacy')).toEqual(refused)
  // The binding (limit of the use) of a sealed password stays unchanged when the registration of
  // the account changes.
  expect(await credentialsOf('bound')).toEqual(refused)
})

test('getCredentials: access token of the caller, is bound like a password and never issued as one', async () => {
  await insert('token', { to, form: 'accessToken' })
  const credentials = { user: 'me', accessToken: 'hush', destination: to }
  expect(await credentialsOf('token')).toEqual(credentials)
  for (const change of [{ host: 'evil.example' }, { port: 1993 }, { secure: false }]) {
    await set('token', { ...server, ...change, auth: login })
    expect(await credentialsOf('token')).toEqual(refused)
  }
  await set('token', { ...server, auth: { user: 'you' } })
  expect(await credentialsOf('token')).toEqual(refused)
  // Whether a secret is used as a password depends on the sealed secret, not on the registration.
  await insert('password', { to })
  await set('password', { ...server, auth: { ...login, accessToken: true } })
  expect(await credentialsOf('password')).toMatchObject({ pass: 'hush' })
})

test('resealAll: access token of an earlier key, stays an access token for its server', async () => {
  const earlier = keyPairFromSecret('an earlier secret')
  await insert('rotated', { to })
  const binding = { to, form: 'accessToken' }
  const context = 'credentials/rotated/imap'
  const sealed = await createSealer(earlier.publicKey).seal('hush', context, binding)
  const row = database.db.updateTable('credentials').where('account', '=', 'rotated')
  await row.set({ sealed }).execute()
  const db = connect(database.roleUrl('posthorn_auth_bridge'), { name: 'test', max: 2 })
  await resealAll({ db, resealer: createResealer(publicKey, [privateKey, earlier.privateKey]) })
  await db.destroy()
  expect(await credentialsOf('rotated')).toEqual({
    user: 'me',
    accessToken: 'hush',
    destination: to,
  })
})

test('SVC_REQUIRE_BOUND_SECRETS: unbound password, is refused', async () => {
  await app[Symbol.asyncDispose]()
  app = await start(true)
  await insert('unbound')
  await insert('strict', { to })
  expect(await credentialsOf('strict')).toMatchObject({ pass: 'hush' })
  expect(await credentialsOf('unbound')).toEqual(refused)
})

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Bus, connectBus } from '@posthorn/bus'
import {
  checkAccountTransfers,
  sealAccountTransfers,
} from '@posthorn/contracts/commands/account-transfers'
import { getCredentials } from '@posthorn/contracts/commands/credentials'
import type { AccountTransfer } from '@posthorn/contracts/schemas/account-transfer'
import { shardOf } from '@posthorn/contracts/shards'
import {
  createSealer,
  createUnsealer,
  keyPairFromSecret,
  sealHeaders,
  sealLogin,
  unsealHeader,
  unsealLogin,
} from '@posthorn/secrets'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, testBus, testDatabase } from '@posthorn/testkit'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'

const secrets = {
  source: 'a secret of the exporting instance',
  former: 'a former secret of that instance',
  target: 'a secret of the importing instance',
}
const source = keyPairFromSecret(secrets.source).publicKey
const former = keyPairFromSecret(secrets.former).publicKey
const target = keyPairFromSecret(secrets.target)
const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())

/** Starts an instance of Posthorn: a database, a RabbitMQ and an auth-bridge with its own keys. */
async function startInstance(env: Record<string, string>) {
  const [database, broker] = await Promise.all([testDatabase(), testBus({ reuse: true })])
  stack.defer(async () => void (await Promise.all([database.drop(), broker.drop()])))
  const config = readConfig({
    DATABASE_URL: database.roleUrl('posthorn_auth_bridge'),
    AMQP_URL: broker.url,
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'silent',
    ...env,
  })
  const [log, metrics] = [createLogger('test', 'silent'), createMetrics('test')]
  const bus = stack.use(await connectBus({ url: broker.url, name: 'test', log, metrics }))
  stack.use(await startApp(config, new AbortController().signal))
  return { db: database.db, bus }
}
type Instance = Awaited<ReturnType<typeof startInstance>>

const from = await startInstance({
  SVC_SECRET: secrets.source,
  SVC_SECRET_PREVIOUS: secrets.former,
  SVC_ACCOUNT_EXPORT_KEYS: target.publicKey.text,
})
const to = await startInstance({ SVC_SECRET: secrets.target })

const options = { key: 'credentials', timeoutMs: 30_000 }
const plaintexts = [
  'pass-of-jane',
  'token-of-jane',
  'login-of-hook',
  'value-of-header',
  'refresh-1',
  'refresh-2',
]

const host = 'imap.mail.example'
const imap = { host, port: 993, secure: true, auth: { user: 'jane' } }
const smtp = { ...imap, host: 'smtp.mail.example', auth: { user: 'jane', accessToken: true } }
const destination = { host, port: 993, user: 'jane', secure: true, encrypts: true, verifies: true }
const app = { provider: 'gmail', name: 'Gmail', config: '{}' } as const
const tokens = (token: string) => JSON.stringify({ refreshToken: token })

beforeAll(async () => {
  const sealer = createSealer(former)
  const newer = createSealer(source)
  const headers = [{ key: 'X-Tenant', value: 'value-of-header' }]
  await from.db
    .insertInto('accounts')
    .values({
      account: 'jane',
      shard: shardOf('jane'),
      name: 'Jane',
      email: 'jane@mail.example',
      imap: JSON.stringify(imap),
      smtp: JSON.stringify(smtp),
      path: JSON.stringify(['INBOX']),
      webhooks: await sealLogin('https://me:login-of-hook@hooks.example/x', sealer),
      webhooksCustomHeaders: JSON.stringify(await sealHeaders(headers, 'account/jane', newer)),
      tenantSet: ['webhooks'],
    })
    .execute()
  const form = { form: 'accessToken', to: { ...destination, host: 'smtp.mail.example' } }
  await insertCredential('jane', 'imap', await sealer.seal('pass-of-jane', 'credentials/jane/imap'))
  const token = await newer.seal('token-of-jane', 'credentials/jane/smtp', form)
  await insertCredential('jane', 'smtp', token)
  for (const [instance, id] of [
    [from, 'app-1'],
    [to, 'app-2'],
  ] as const)
    await instance.db
      .insertInto('oauth2Apps')
      .values({ ...app, id })
      .execute()
  await insertGranted('ada', 'refresh-1', 'refresh-2')
  await eventually(() => exportAccounts(['none']))
})

async function insertCredential(account: string, kind: 'imap' | 'smtp' | 'oauth2', sealed: string) {
  await from.db.insertInto('credentials').values({ account, kind, sealed }).execute()
}

/** Inserts an account with an OAuth2 grant, and with the tokens of a later renewal of the grant. */
async function insertGranted(account: string, granted: string, renewed: string): Promise<void> {
  const oauth2 = { provider: 'app-1', auth: { user: account } }
  const server = { host: 'imap.gmail.com', port: 993, secure: true }
  await from.db
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: account, imap: JSON.stringify(server) })
    .execute()
  await from.db
    .updateTable('accounts')
    .set({ oauth2: JSON.stringify(oauth2) })
    .where('account', '=', account)
    .execute()
  const sealer = createSealer(former)
  const context = `credentials/${account}/oauth2`
  await insertCredential(account, 'oauth2', await sealer.seal(tokens(granted), context))
  const { updatedAt } = await from.db
    .selectFrom('credentials')
    .select('updatedAt')
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
  const sealed = await sealer.seal(tokens(renewed), `oauth2-tokens/${account}`)
  await from.db
    .insertInto('oauth2Tokens')
    .values({ account, sealed, grantUpdatedAt: updatedAt })
    .execute()
}

function exportAccounts(accounts: string[], publicKey = target.publicKey.text) {
  return from.bus.request(sealAccountTransfers, { accounts, publicKey, token: null }, options)
}

function check(
  bus: Bus,
  accounts: AccountTransfer[],
  applications: Record<string, string> = { 'app-1': 'app-2' },
) {
  return bus.request(checkAccountTransfers, { accounts, applications }, options)
}

async function exported(account: string): Promise<AccountTransfer> {
  const [transfer] = (await exportAccounts([account])).accounts
  if (!transfer) throw new Error('no transfer')
  return transfer
}

async function reasonOf(transfer: AccountTransfer, applications?: Record<string, string>) {
  const { results } = await check(to.bus, [transfer], applications)
  return results.map((result) => ('reason' in result ? result.reason : 'accepted'))
}

/** Stores a transferred account with its secrets, after auth-bridge has checked the secrets. */
async function store({ db }: Instance, { account, ...transfer }: AccountTransfer): Promise<void> {
  const { results } = await check(to.bus, [{ account, ...transfer }])
  const [result] = results
  if (!result || !('credentials' in result)) throw new Error('rejected')
  const servers = { imap: JSON.stringify(transfer.imap), smtp: JSON.stringify(transfer.smtp) }
  await db
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: transfer.name, ...servers })
    .execute()
  for (const kind of ['imap', 'smtp'] as const)
    await db
      .insertInto('credentials')
      .values({ account, kind, sealed: result.credentials[kind] ?? '' })
      .execute()
}

test('sealAccountTransfers: exports the settings without plaintext, with bindings', async () => {
  const transfer = await exported('jane')
  expect(transfer).toMatchObject({ account: 'jane', name: 'Jane', path: ['INBOX'], imap, smtp })
  expect(transfer).toMatchObject({ tenantSet: ['webhooks'], logs: false, paused: false })
  const text = JSON.stringify([transfer, await exported('ada')])
  for (const plaintext of plaintexts) expect(text).not.toContain(plaintext)
  const unsealer = createUnsealer([target.privateKey])
  const { credentials, webhooks = '', webhooksCustomHeaders: headers = [] } = transfer
  expect(await unsealer.open(credentials.imap ?? '', 'credentials/jane/imap')).toEqual({
    value: 'pass-of-jane',
    binding: { to: destination },
  })
  expect(await unsealLogin(webhooks, unsealer)).toContain('me:login-of-hook@')
  const [header = { key: '', value: '' }] = headers
  const value = await unsealHeader({ ...header, owner: 'account/jane' }, unsealer)
  expect(value).toBe('value-of-header')
})

test('getCredentials: after export and import, the other instance issues the same logins', async () => {
  await store(to, await exported('jane'))
  const login = (protocol: 'imap' | 'smtp') =>
    to.bus.request(getCredentials, { account: 'jane', protocol }, options)
  expect(await login('imap')).toEqual({ user: 'jane', pass: 'pass-of-jane', destination })
  expect(await login('smtp')).toMatchObject({ user: 'jane', accessToken: 'token-of-jane' })
})

test('checkAccountTransfers: binds a grant with its renewed tokens to the new application', async () => {
  const { results } = await check(to.bus, [await exported('ada')])
  const [result] = results
  const sealed = result && 'credentials' in result ? (result.credentials.oauth2 ?? '') : ''
  const unsealer = createUnsealer([target.privateKey])
  const { value, binding } = await unsealer.open(sealed, 'credentials/ada/oauth2')
  expect([value, binding?.['app']]).toEqual([tokens('refresh-2'), 'app-2'])
  expect(await reasonOf(await exported('ada'), {})).toEqual(['unknownApplication'])
  await to.db
    .insertInto('oauth2Apps')
    .values({ ...app, id: 'app-3', provider: 'outlook' })
    .execute()
  expect(await reasonOf(await exported('ada'), { 'app-1': 'app-3' })).toEqual([
    'unknownApplication',
  ])
})

test('checkAccountTransfers: rejects a grant for another server or application as otherUse', async () => {
  const transfer = await exported('ada')
  const evil = { host: 'imap.evil.example', port: 993, secure: true }
  expect(await reasonOf({ ...transfer, imap: evil })).toEqual(['otherUse'])
  const oauth2 = { provider: 'app-9', auth: { user: 'ada' } }
  expect(await reasonOf({ ...transfer, oauth2 }, { 'app-9': 'app-2' })).toEqual(['otherUse'])
  expect(await reasonOf(transfer)).toEqual(['accepted'])
})

test('sealAccountTransfers: refuses keys that are not listed, and empty lists for them', async () => {
  const denied = { kind: 'forbidden', message: expect.stringContaining('SVC_ACCOUNT_EXPORT_KEYS') }
  await expect(exportAccounts(['jane'], source.text)).rejects.toMatchObject(denied)
  await expect(exportAccounts([], former.text)).rejects.toMatchObject(denied)
  const request = { accounts: ['jane'], publicKey: target.publicKey.text, token: null }
  await expect(to.bus.request(sealAccountTransfers, request, options)).rejects.toMatchObject(denied)
})

test('sealAccountTransfers: reports accounts with a secret of an unknown key', async () => {
  const account = 'lost'
  await from.db
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: account, imap: JSON.stringify(imap) })
    .execute()
  const sealer = createSealer(keyPairFromSecret('a lost secret').publicKey)
  await insertCredential(account, 'imap', await sealer.seal('x', 'credentials/lost/imap'))
  const { accounts, failed } = await exportAccounts(['jane', account])
  expect([accounts.map((each) => each.account), failed]).toEqual([['jane'], [account]])
})

test('sealAccountTransfers: does not export a secret of another account', async () => {
  const stolen = await from.db
    .selectFrom('credentials')
    .select('sealed')
    .where('account', '=', 'jane')
    .where('kind', '=', 'imap')
    .executeTakeFirstOrThrow()
  const account = 'mallory'
  await from.db
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: account, imap: JSON.stringify(imap) })
    .execute()
  await insertCredential(account, 'imap', stolen.sealed)
  expect(await exportAccounts([account])).toEqual({ accounts: [], failed: [account] })
})

test.each<[string, string, (transfer: AccountTransfer) => unknown]>([
  ['another account', 'otherUse', () => ({ account: 'mallory' })],
  ['another server', 'otherUse', () => ({ imap: { ...imap, host: 'imap.evil.example' } })],
  ['another user', 'otherUse', () => ({ imap: { ...imap, auth: { user: 'mallory' } } })],
  [
    'less protection',
    'otherUse',
    () => ({ imap: { ...imap, tls: { rejectUnauthorized: false } } }),
  ],
  ['a token as password', 'otherUse', () => ({ smtp: { ...smtp, auth: { user: 'jane' } } })],
  [
    'another kind',
    'otherUse',
    ({ credentials: { imap: sealed } }) => ({ credentials: { smtp: sealed } }),
  ],
  [
    'a changed JWE',
    'otherUse',
    ({ credentials: { imap: sealed = '' } }) => ({
      credentials: { imap: `${sealed.slice(0, -4)}AAAA` },
    }),
  ],
  ['no JWE', 'otherKey', () => ({ credentials: { imap: 'pass' } })],
  [
    'another webhook host',
    'otherUse',
    ({ webhooks = '' }) => ({ webhooks: webhooks.replace('hooks.example', 'evil.example') }),
  ],
  [
    'another header name',
    'otherUse',
    ({ webhooksCustomHeaders: [header] = [] }) => ({
      webhooksCustomHeaders: [{ ...header, key: 'X-Other' }],
    }),
  ],
])('checkAccountTransfers: rejects %s as %s', async (_title, reason, change) => {
  const transfer = await exported('jane')
  const forged = { ...transfer, ...(change(transfer) as Partial<AccountTransfer>) }
  expect(await reasonOf(forged)).toEqual([reason])
  expect(await reasonOf(transfer)).toEqual(['accepted'])
})

test('checkAccountTransfers: rejects secrets of another instance, also inside URLs and headers', async () => {
  const transfer = await exported('jane')
  expect((await check(from.bus, [transfer])).results).toEqual([{ reason: 'otherKey' }])
  const { webhooks = '', webhooksCustomHeaders = [] } = transfer
  for (const inPlace of [{ webhooks }, { webhooksCustomHeaders }]) {
    const [bare] = (await exportAccounts(['jane'])).accounts
    const { webhooks: _url, webhooksCustomHeaders: _headers, ...rest } = bare ?? transfer
    const changed = { ...rest, ...inPlace, credentials: {} }
    expect((await check(from.bus, [changed])).results).toEqual([{ reason: 'otherKey' }])
  }
})

test('checkAccountTransfers: rejects a password without a binding', async () => {
  const sealer = createSealer(target.publicKey)
  const unbound = await sealer.seal('pass', 'credentials/jane/imap')
  const transfer = { ...(await exported('jane')), credentials: { imap: unbound } }
  expect(await reasonOf(transfer)).toEqual(['otherUse'])
})

test('readConfig: SVC_ACCOUNT_EXPORT_KEYS must be public keys', () => {
  const env = { SVC_SECRET: 'a secret of the tests, of 32 characters', AMQP_URL: 'amqp://h' }
  const withKeys = (keys: string) =>
    readConfig({ ...env, DATABASE_URL: 'postgres://h/d', SVC_ACCOUNT_EXPORT_KEYS: keys })
  expect(withKeys(`${source.text}, ${former.text}`).accountExportKeys).toEqual([
    source.text,
    former.text,
  ])
  expect(() => withKeys(source.id)).toThrow('SVC_ACCOUNT_EXPORT_KEYS')
})

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { connectBus } from '@posthorn/bus'
import { Secret } from '@posthorn/config'
import {
  checkImapProxyServerPassword,
  checkSmtpServerPassword,
  minCredentialsTimeoutMs,
  getCredentials,
  getLinkSecret,
  getOpenAiApiKey,
  getServiceSecret,
  unsealHeader,
  unsealLogin,
} from '@posthorn/contracts/commands/credentials'
import { shardOf } from '@posthorn/contracts/shards'
import { connect } from '@posthorn/db'
import {
  createResealer,
  createSealer,
  keyPairFromSecret,
  sealHeaders,
  sealLogin,
} from '@posthorn/secrets'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, freePort, testBus, testDatabase } from '@posthorn/testkit'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { resealAll } from '../src/reseal/reseal.ts'

const [database, broker] = await Promise.all([testDatabase(), testBus({ reuse: true })])
const log = createLogger('test', 'silent')
const bus = await connectBus({ url: broker.url, name: 'test', log, metrics: createMetrics('test') })
const apps: AsyncDisposable[] = []
afterAll(async () => {
  for (const app of apps) await app[Symbol.asyncDispose]()
  await bus[Symbol.asyncDispose]()
  await Promise.all([database.drop(), broker.drop()])
})

const sealedBy = (secret: string) => createSealer(keyPairFromSecret(secret).publicKey)

async function start(secret: string, previous: string[] = [], port = 0): Promise<AsyncDisposable> {
  const app = await startApp(
    {
      databaseUrl: database.roleUrl('posthorn_auth_bridge'),
      databasePoolSize: 2,
      amqpUrl: broker.url,
      host: '127.0.0.1',
      port,
      logLevel: 'silent',
      drainDelayMs: 0,
      shutdownTimeoutMs: 10_000,
      secret: new Secret(secret),
      previousSecrets: previous.map((text) => new Secret(text)),
      authServerEgressPolicy: 'link-local',
      oauthEgressPolicy: 'link-local',
      providerOrigins: {},
      authServerTimeoutMs: 500,
      proxyEgressPolicy: 'link-local',
      oauthTokensApi: false,
    },
    new AbortController().signal,
  )
  apps.push(app)
  return app
}

async function insertAccount(account: string, secret: string): Promise<void> {
  const imap = {
    host: 'imap.example.com',
    port: 993,
    secure: true,
    auth: { user: `${account}@example.com` },
  }
  await database.db
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: account, imap: JSON.stringify(imap) })
    .execute()
  const sealed = await sealedBy(secret).seal(`pass of ${account}`, `credentials/${account}/imap`)
  await database.db.insertInto('credentials').values({ account, kind: 'imap', sealed }).execute()
}

const requestCredentials = (
  account: string,
  protocol: 'imap' | 'smtp' = 'imap',
  timeoutMs = 30_000,
) => bus.request(getCredentials, { account, protocol }, { key: 'credentials', timeoutMs })

test('getCredentials: value sealed with the current or previous secret, is unsealed', async () => {
  await insertAccount('old', 'first')
  await insertAccount('new', 'second')
  await database.db
    .insertInto('sealedSettings')
    .values([
      {
        key: 'serviceSecret',
        sealed: await sealedBy('second').seal('hush', 'settings/serviceSecret'),
      },
      {
        key: 'linkSecret',
        sealed: await sealedBy('second').seal('ab'.repeat(32), 'settings/linkSecret'),
      },
    ])
    .execute()
  await using _app = await start('second', ['first'])

  expect(await eventually(() => requestCredentials('old'))).toEqual({
    user: 'old@example.com',
    pass: 'pass of old',
  })
  expect(await requestCredentials('new')).toEqual({ user: 'new@example.com', pass: 'pass of new' })
  expect(
    await bus.request(getServiceSecret, {}, { key: 'credentials', timeoutMs: 30_000 }),
  ).toEqual({
    serviceSecret: 'hush',
  })
  expect(await bus.request(getLinkSecret, {}, { key: 'credentials', timeoutMs: 30_000 })).toEqual({
    linkSecret: 'ab'.repeat(32),
  })
  await expect(requestCredentials('missing')).rejects.toMatchObject({
    kind: 'not-found',
    code: 'AccountNotFound',
  })
  await expect(requestCredentials('new', 'smtp')).rejects.toMatchObject({
    kind: 'not-found',
    code: 'SMTPUnavailable',
  })
})

test('getLinkSecret: returns the current, earlier and imported secrets, newest first', async () => {
  const secrets = [
    ['linkSecret', 'ab', 0],
    ['linkSecret:a', 'cd', 2],
    ['linkSecret:b', 'ef', 1],
    ['importedLinkKey:a', '12', 2],
    ['importedLinkKey:b', '34', 1],
  ] as const
  await database.db.deleteFrom('sealedSettings').where('key', 'like', 'linkSecret%').execute()
  for (const [key, byte, age] of secrets)
    await database.db
      .insertInto('sealedSettings')
      .values({
        key,
        sealed: await sealedBy('second').seal(byte.repeat(32), `settings/${key.split(':')[0]}`),
        updatedAt: new Date(Date.now() - age * 60_000),
      })
      .execute()
  await using _app = await start('second', ['first'])
  const response = await eventually(() =>
    bus.request(getLinkSecret, {}, { key: 'credentials', timeoutMs: 30_000 }),
  )
  expect(response).toEqual({
    linkSecret: 'ab'.repeat(32),
    previous: ['ef'.repeat(32), 'cd'.repeat(32)],
    imported: ['34'.repeat(32), '12'.repeat(32)],
  })
})

test('getServiceSecret: returns unexpired previous secrets and those of targets', async () => {
  const until = new Date(Date.now() + 3_600_000)
  const sealed = (text: string, key: string) => sealedBy('second').seal(text, `settings/${key}`)
  const targets = [{ target: 'https://own.example/hook', secret: 'own' }]
  await database.db
    .insertInto('sealedSettings')
    .values(
      await Promise.all([
        ...[
          ['serviceSecret:a', 'before', until] as const,
          ['serviceSecret:b', 'long before', new Date(Date.now() - 1)] as const,
          ['serviceSecret:c', 'hush', until] as const,
        ].map(async ([key, text, expiresAt]) => ({
          key,
          expiresAt,
          sealed: await sealed(text, 'serviceSecret'),
        })),
        sealed(JSON.stringify(targets), 'webhookSecrets').then((value) => ({
          key: 'webhookSecrets',
          sealed: value,
        })),
      ]),
    )
    .execute()
  await using _app = await start('second', ['first'])
  const keys = () => bus.request(getServiceSecret, {}, { key: 'credentials', timeoutMs: 30_000 })
  expect(await eventually(keys)).toEqual({
    serviceSecret: 'hush',
    previous: [{ serviceSecret: 'before', until: until.toISOString() }],
    targets,
  })
  // Sealed webhook secrets that are no valid JSON must not be quoted in the error, as a JSON parser
  // would do.
  const broken = await sealed('[{"secret":"hush', 'webhookSecrets')
  await database.db
    .updateTable('sealedSettings')
    .set({ sealed: broken })
    .where('key', '=', 'webhookSecrets')
    .execute()
  await expect(keys()).rejects.toMatchObject({ kind: 'invalid' })
})

test.each([
  ['smtpServerPassword', checkSmtpServerPassword],
  ['imapProxyServerPassword', checkImapProxyServerPassword],
] as const)('%s: is compared and not returned', async (key, command) => {
  await using _app = await start('second', ['first'])
  const check = (password: string) =>
    bus.request(command, { password }, { key: 'credentials', timeoutMs: 30_000 })
  expect(await eventually(() => check(''))).toEqual({ valid: false })
  const store = async (password: string) => {
    const sealed = await sealedBy('first').seal(password, `settings/${key}`)
    await database.db
      .insertInto('sealedSettings')
      .values({ key, sealed })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ sealed }))
      .execute()
  }
  const password = 'for all'.padEnd(32, '!')
  await store(password)
  expect(await check(password)).toEqual({ valid: true })
  for (const wrong of ['', password.slice(1), `${password} `, 'x'.repeat(1_024)])
    expect(await check(wrong)).toEqual({ valid: false })
  await store(password.slice(1))
  expect(await check(password.slice(1))).toEqual({ valid: false })
})

test('getOpenAiApiKey: returns the key, or nothing if none is set', async () => {
  await using _app = await start('second')
  const key = () => bus.request(getOpenAiApiKey, {}, { key: 'credentials', timeoutMs: 30_000 })
  expect(await eventually(key)).toEqual({})
  const sealed = await sealedBy('second').seal('sk-1', 'settings/openAiAPIKey')
  await database.db.insertInto('sealedSettings').values({ key: 'openAiAPIKey', sealed }).execute()
  expect(await key()).toEqual({ openAiAPIKey: 'sk-1' })
})

test('unsealLogin: only for the host it was sealed for', async () => {
  await using _app = await start('second')
  const unseal = (address: string) =>
    bus.request(unsealLogin, { address }, { key: 'credentials', timeoutMs: 30_000 })
  const sealed = await sealLogin('https://u:p%3A@h.example/in?x=1', sealedBy('second'))
  expect(await eventually(() => unseal(sealed))).toEqual({
    address: 'https://u:p%3A@h.example/in?x=1',
  })
  await expect(unseal(sealed.replace('h.example', 'evil.example'))).rejects.toMatchObject({
    kind: 'internal',
  })
})

test('unsealHeader: only for the owner it was sealed for', async () => {
  await using _app = await start('second')
  const [header] = await sealHeaders(
    [{ key: 'Authorization', value: 'Bearer x' }],
    'account/a',
    sealedBy('second'),
  )
  const { key, value } = header ?? { key: '', value: '' }
  const unseal = (owner: 'settings' | `account/${string}`) =>
    bus.request(unsealHeader, { owner, key, value }, { key: 'credentials', timeoutMs: 30_000 })
  expect(await eventually(() => unseal('account/a'))).toEqual({ value: 'Bearer x' })
  for (const other of ['account/b', 'settings'] as const)
    await expect(unseal(other)).rejects.toMatchObject({ kind: 'internal' })
})

test('key rotation: two replicas with different secrets during resealing, all replies are correct', async () => {
  const accounts = Array.from({ length: 30 }, (_, n) => `rotated-${n}`)
  for (const account of accounts) await insertAccount(account, 'first')
  const [header] = await sealHeaders([{ key: 'X', value: 'hush' }], 'settings', sealedBy('first'))
  const { key, value } = header ?? { key: '', value: '' }
  await using _old = await start('first', ['second'])
  await using _new = await start('second', ['first'])
  await eventually(() => requestCredentials('rotated-0'))
  const [first, second] = ['first', 'second'].map(keyPairFromSecret)
  if (!first || !second) throw new Error('no keys')
  const db = connect(database.roleUrl('posthorn_auth_bridge'), { name: 'reseal', max: 2 })
  const keys = [second.privateKey, first.privateKey]
  let done = false
  const resealing = resealAll({
    db,
    resealer: createResealer(second.publicKey, keys),
    batchSize: 3,
  }).finally(() => (done = true))
  let replies = 0
  do
    for (const account of accounts) {
      const options = { key: 'credentials', timeoutMs: 30_000 }
      expect(await requestCredentials(account)).toMatchObject({ pass: `pass of ${account}` })
      expect(await bus.request(unsealHeader, { owner: 'settings', key, value }, options)).toEqual({
        value: 'hush',
      })
      replies += 1
    }
  while (!done)
  expect((await resealing).resealed).toBeGreaterThanOrEqual(accounts.length)
  expect(replies).toBeGreaterThanOrEqual(accounts.length)
  await db.destroy()
})

test('authServerTimeoutMs: silent authentication server, fails before the requester times out', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const imap = { host: 'imap.example.com', port: 993, useAuthServer: true }
  await database.db
    .insertInto('accounts')
    .values({ account: 'silent', shard: shardOf('silent'), name: 'x', imap: JSON.stringify(imap) })
    .execute()
  const value = JSON.stringify(`http://127.0.0.1:${port}/`)
  await database.db.insertInto('settings').values({ key: 'authServer', value }).execute()
  await using _app = await start('second')
  await eventually(() =>
    bus.request(getOpenAiApiKey, {}, { key: 'credentials', timeoutMs: 30_000 }),
  )
  await expect(requestCredentials('silent', 'imap', minCredentialsTimeoutMs)).rejects.toMatchObject(
    {
      kind: 'unreachable',
      code: 'HTTPRequestError',
    },
  )
  silent.close()
  const env = { DATABASE_URL: database.url, AMQP_URL: broker.url, SVC_SECRET: 's'.repeat(32) }
  expect(readConfig(env).authServerTimeoutMs).toBeLessThan(minCredentialsTimeoutMs - 1_000)
})

test.each([
  ['', /^SVC_SECRET: must be set$/],
  ['s'.repeat(31), /^SVC_SECRET: must have at least 32 characters$/],
])('readConfig: SVC_SECRET=%s, throws', (SVC_SECRET, reason) => {
  const env = { DATABASE_URL: database.url, AMQP_URL: broker.url, SVC_SECRET }
  expect(() => readConfig(env)).toThrow(reason)
  const replaced = { ...env, SVC_SECRET: 's'.repeat(32), SVC_SECRET_PREVIOUS: 'short' }
  expect(readConfig(replaced).previousSecrets).toHaveLength(1)
})

test('canUnsealStored: secret that unseals nothing, not ready and serves no commands', async () => {
  const port = await freePort()
  await using _app = await start('a third', [], port)
  await eventually(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`)
    expect(await response.json()).toMatchObject({ success: false, failed: ['secret'] })
  })
  await expect(requestCredentials('new', 'imap', 500)).rejects.toMatchObject({
    code: expect.stringMatching(/Timeout|WorkerNotAvailable/),
  })
})

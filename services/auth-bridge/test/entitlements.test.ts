import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Bus, connectBus } from '@posthorn/bus'
import { Secret } from '@posthorn/config'
import {
  getCredentials,
  getGatewayCredentials,
  type Entitlement,
  unsealHeader,
  unsealLogin,
} from '@posthorn/contracts/commands/credentials'
import type { CommandRequest } from '@posthorn/contracts/define'
import type { ServiceName } from '@posthorn/contracts/services'
import { shardOf } from '@posthorn/contracts/shards'
import { connect } from '@posthorn/db'
import {
  createSealer,
  hashToken,
  keyPairFromSecret,
  newToken,
  sealHeaders,
  sealLogin,
} from '@posthorn/secrets'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, testBus, testDatabase } from '@posthorn/testkit'
import { sql } from 'kysely'
import { startApp } from '../src/app.ts'

// A compromised process gets the credentials of its own accounts only, whatever it requests.

const [database, broker] = await Promise.all([testDatabase(), testBus({ reuse: true })])
await broker.grantServices()
const { db } = database
const stack = new AsyncDisposableStack()
afterAll(async () => {
  await stack.disposeAsync()
  await Promise.all([database.drop(), broker.drop()])
})

const worker = { id: randomUUID(), proof: randomUUID() }
const other = { id: randomUUID(), proof: randomUUID() }
const token = newToken()
const foreign = newToken()
const apiToken = newToken()
const names = [
  'sync-worker',
  'sender',
  'imap-proxy',
  'smtp-proxy',
  'api-gateway',
  'webhook-dispatcher',
] as const
const buses = new Map<ServiceName, Bus>()

type Protocol = CommandRequest<typeof getCredentials>['protocol']
/** Returns the id of an API account in the same shard (group of accounts) as `account`. */
const inShardOf = (account: string) =>
  Array.from({ length: 10_000 }, (_, at) => `api-${at}`).find(
    (id) => shardOf(id) === shardOf(account),
  ) ?? ''
const myApi = inShardOf('mine')
const theirApi = inShardOf('theirs')

beforeAll(async () => {
  for (const { id, proof } of [worker, other])
    await db
      .insertInto('workers')
      .values({ id, proof: createHash('sha256').update(proof).digest('hex') })
      .execute()
  for (const account of ['mine', 'theirs']) await insertAccount(account)
  const config = JSON.stringify({ clientId: 'id', baseScopes: 'api' })
  await db
    .insertInto('oauth2Apps')
    .values({ id: 'api', provider: 'gmail', name: 'api', enabled: true, config })
    .execute()
  await hold('mine', worker.id)
  await hold('theirs', other.id)
  await insertToken(token, 'mine')
  await insertToken(foreign, 'theirs')
  await insertToken('imported', 'mine', true)
  await insertGateway('relay')
  await insertMessage('leased', { leased: true })
  await insertMessage('waiting', { leased: false })
  for (const account of [myApi, theirApi]) await insertApiAccount(account)
  await insertToken(apiToken, myApi)
  await insertMessage('api-leased', { leased: true, account: myApi })
  await insertMessage('api-waiting', { leased: false, account: myApi })
  await insertMessage('by-relay', { leased: true, gateway: 'relay' })
  stack.use(
    await startApp(
      {
        databaseUrl: database.roleUrl('posthorn_auth_bridge'),
        databasePoolSize: 2,
        amqpUrl: broker.serviceUrl('auth-bridge'),
        host: '127.0.0.1',
        port: 0,
        logLevel: 'silent',
        drainDelayMs: 0,
        shutdownTimeoutMs: 10_000,
        secret: new Secret('secret'),
        previousSecrets: [],
        authServerEgressPolicy: 'link-local',
        oauthEgressPolicy: 'link-local',
        providerOrigins: {},
        authServerTimeoutMs: 8_000,
        proxyEgressPolicy: 'link-local',
        oauthTokensApi: false,
      },
      new AbortController().signal,
    ),
  )
  const log = createLogger('test', 'silent')
  for (const name of names) {
    const bus = stack.use(
      await connectBus({ url: broker.serviceUrl(name), name, log, metrics: createMetrics('test') }),
    )
    await bus.whenUp()
    buses.set(name, bus)
  }
  await eventually(() =>
    requestCredentials('sync-worker', {
      account: 'mine',
      protocol: 'imap',
      entitlement: { worker },
    }),
  )
})

const options = { key: 'credentials', timeoutMs: 30_000 }

interface TestRequest {
  account: string
  protocol: Protocol
  entitlement?: Entitlement | undefined
}

async function requestCredentials(service: ServiceName, { entitlement, ...request }: TestRequest) {
  return buses
    .get(service)
    ?.request(getCredentials, { ...request, ...(entitlement ? { entitlement } : {}) }, options)
}

test.each<[ServiceName, 'imap' | 'smtp', Entitlement]>([
  ['sync-worker', 'imap', { worker }],
  ['sender', 'smtp', { queueId: 'leased' }],
  ['imap-proxy', 'imap', { token: hashToken(token) }],
  ['imap-proxy', 'imap', { token: hashToken('imported') }],
])(
  'assertEntitled: %s holds the account, gets its credentials',
  async (service, protocol, entitlement) => {
    expect(await requestCredentials(service, { account: 'mine', protocol, entitlement })).toEqual({
      user: 'mine',
      pass: `${protocol} of mine`,
    })
  },
)

test.each<[ServiceName, Entitlement]>([
  ['sync-worker', { worker }],
  ['sender', { queueId: 'api-leased' }],
])('assertEntitled: %s holds an account of an API, gets its token', async (...row) => {
  const [service, entitlement] = row
  expect(
    await requestCredentials(service, { account: myApi, protocol: 'api', entitlement }),
  ).toMatchObject({ user: `${myApi}@gmail.example`, accessToken: `token of ${myApi}` })
})

test.each<[string, ServiceName, string, Protocol, Entitlement | undefined]>([
  ['of another worker', 'sync-worker', theirApi, 'api', { worker }],
  ['with a message that is not leased', 'sender', myApi, 'api', { queueId: 'api-waiting' }],
  ['with a message of another account', 'sender', myApi, 'api', { queueId: 'leased' }],
  ['without a message', 'sender', myApi, 'api', { worker }],
  ['of an API', 'imap-proxy', myApi, 'api', { token: hashToken(apiToken) }],
  ['of another worker', 'sync-worker', 'theirs', 'imap', { worker }],
  [
    'of another worker, in its name',
    'sync-worker',
    'theirs',
    'imap',
    { worker: { id: other.id, proof: worker.proof } },
  ],
  ['for sending', 'sync-worker', 'mine', 'smtp', { worker }],
  ['without entitlement', 'sync-worker', 'mine', 'imap', undefined],
  ['without a message', 'sender', 'mine', 'smtp', undefined],
  ['of another account', 'sender', 'theirs', 'smtp', { queueId: 'leased' }],
  ['with a message that is not leased', 'sender', 'mine', 'smtp', { queueId: 'waiting' }],
  ['with one for a gateway', 'sender', 'mine', 'smtp', { queueId: 'by-relay' }],
  ['for reading', 'sender', 'mine', 'imap', { queueId: 'leased' }],
  ['without a token', 'imap-proxy', 'mine', 'imap', {}],
  ["with another account's token", 'imap-proxy', 'mine', 'imap', { token: hashToken(foreign) }],
  ['with an unknown token', 'imap-proxy', 'mine', 'imap', { token: hashToken('x') }],
  ['for sending', 'imap-proxy', 'mine', 'smtp', { token: hashToken(token) }],
])(
  'assertEntitled: request %s by %s, unavailable',
  async (...[, service, account, protocol, entitlement]) => {
    await expect(
      requestCredentials(service, { account, protocol, entitlement }),
    ).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'Requester does not hold this account',
    })
  },
)

test.each<ServiceName>(['smtp-proxy', 'api-gateway'])(
  'getCredentials: requested by %s, forbidden',
  async (service) => {
    for (const entitlement of [{ worker }, { queueId: 'leased' }, { token: hashToken(token) }])
      await expect(
        requestCredentials(service, { account: 'mine', protocol: 'imap', entitlement }),
      ).rejects.toMatchObject({ kind: 'forbidden' })
  },
)

test('assertEntitledToGateway: leased message of the gateway, gets its login', async () => {
  const askFor = (queueId: string) =>
    buses
      .get('sender')
      ?.request(getGatewayCredentials, { gateway: 'relay', entitlement: { queueId } }, options)
  expect(await askFor('by-relay')).toEqual({ user: 'user', pass: 'of relay' })
  await expect(askFor('leased')).rejects.toMatchObject({ kind: 'unavailable' })
})

test('assertEntitled: imapProxyServerPassword set, imap-proxy gets all accounts', async () => {
  const sealed = await sealer.seal('for all', 'settings/imapProxyServerPassword')
  await db.insertInto('sealedSettings').values({ key: 'imapProxyServerPassword', sealed }).execute()
  expect(
    await requestCredentials('imap-proxy', { account: 'theirs', protocol: 'imap' }),
  ).toMatchObject({
    user: 'theirs',
  })
})

test('unsealLogin: only for services that connect to the address', async () => {
  const sealed = (name: string) => sealLogin(`https://u:p@${name}.example/`, sealer)
  const [webhooks, own, calls, proxy] = await Promise.all(
    ['webhooks', 'own', 'calls', 'proxy'].map(sealed),
  )
  await db
    .insertInto('settings')
    .values([
      { key: 'webhooks', value: JSON.stringify(webhooks) },
      { key: 'httpProxyUrl', value: JSON.stringify(calls) },
    ])
    .execute()
  await db
    .updateTable('accounts')
    .set({ webhooks: own ?? null, proxy: proxy ?? null })
    .where('account', '=', 'theirs')
    .execute()
  const services: Record<string, string[]> = {}
  for (const [name, address = ''] of Object.entries({ webhooks, own, calls, proxy }))
    for (const service of names) {
      const reply = buses.get(service)?.request(unsealLogin, { address }, options)
      const unsealed = await reply?.catch(() => undefined)
      if (unsealed?.address === `https://u:p@${name}.example/`)
        services[name] = [...(services[name] ?? []), service]
    }
  expect(services).toEqual({
    webhooks: ['webhook-dispatcher'],
    own: ['webhook-dispatcher'],
    calls: ['sync-worker', 'api-gateway', 'webhook-dispatcher'],
    // auth-bridge does not refuse the login of a proxy to webhook-dispatcher, because the database
    // role of webhook-dispatcher cannot read addresses of proxies.
    proxy: ['sync-worker', 'sender', 'imap-proxy', 'webhook-dispatcher'],
  })
})

test('unsealHeader: only for webhook-dispatcher', async () => {
  const [{ key, value } = { key: '', value: '' }] = await sealHeaders(
    [{ key: 'Authorization', value: 'Bearer x' }],
    'account/mine',
    sealer,
  )
  const open = (service: ServiceName) =>
    buses.get(service)?.request(unsealHeader, { owner: 'account/mine', key, value }, options)
  for (const service of names.filter((name) => name !== 'webhook-dispatcher'))
    await expect(open(service)).rejects.toMatchObject({ kind: 'forbidden' })
  expect(await open('webhook-dispatcher')).toEqual({ value: 'Bearer x' })
})

test('role posthorn_sync_worker: cannot impersonate a worker, taking a shard raises its epoch', async () => {
  const role = stack.use(connect(database.roleUrl('posthorn_sync_worker'), { name: 'x', max: 1 }))
  const shard = shardOf('theirs')
  const epoch = async () =>
    (await db.selectFrom('shards').select('epoch').where('shard', '=', shard).execute())[0]?.epoch
  const before = await epoch()
  const proof = hashToken(worker.proof)
  for (const query of [
    sql`update workers set proof = ${proof} where id = ${other.id}`,
    sql`insert into workers (id, proof) values (${other.id}, ${proof}) on conflict (id) do update set proof = excluded.proof`,
    sql`update shards set owner = ${worker.id} where shard = ${shard}`,
    sql`update shards set epoch = epoch - 1 where shard = ${shard}`,
  ])
    await expect(query.execute(role)).rejects.toThrow(/permission denied|must rise/)
  await sql`update shards set owner = null where shard = ${shard}`.execute(role)
  for (const id of [worker.id, other.id])
    await expect(
      sql`update shards set owner = ${id} where shard = ${shard}`.execute(role),
    ).rejects.toThrow('must rise')
  expect(await epoch()).toBe(before)
  await hold('theirs', other.id)
})

test('seal context: value moved to another row, is not unsealed', async () => {
  const move = (from: { account: string; kind: string }, to: { account: string; kind: string }) =>
    sql`update credentials t set sealed = f.sealed from credentials f
      where (f.account, f.kind) = (${from.account}, ${from.kind}) and (t.account, t.kind) = (${to.account}, ${to.kind})`.execute(
      db,
    )
  const mine = { account: 'mine', kind: 'imap' }
  const ofMine = (protocol: 'imap' | 'smtp') => ({ account: 'mine', protocol }) as const
  for (const from of [
    { account: 'theirs', kind: 'imap' },
    { account: 'mine', kind: 'smtp' },
  ]) {
    await move(from, mine)
    await expect(
      requestCredentials('sync-worker', { ...ofMine('imap'), entitlement: { worker } }),
    ).rejects.toMatchObject({ kind: 'internal' })
  }
  await sql`update gateway_credentials set sealed = (select sealed from credentials where account = 'theirs' and kind = 'smtp')`.execute(
    db,
  )
  const entitlement = { queueId: 'by-relay' }
  await expect(
    buses.get('sender')?.request(getGatewayCredentials, { gateway: 'relay', entitlement }, options),
  ).rejects.toMatchObject({ kind: 'internal' })
})

const sealer = createSealer(keyPairFromSecret('secret').publicKey)

async function insertAccount(account: string): Promise<void> {
  const server = JSON.stringify({ host: 'mail.example', port: 1, auth: { user: account } })
  await db
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: account, imap: server, smtp: server })
    .execute()
  for (const kind of ['imap', 'smtp'] as const) {
    const sealed = await sealer.seal(`${kind} of ${account}`, `credentials/${account}/${kind}`)
    await db.insertInto('credentials').values({ account, kind, sealed }).execute()
  }
}

/** Account of the Gmail API with a token that does not expire. */
async function insertApiAccount(account: string): Promise<void> {
  const oauth2 = JSON.stringify({ provider: 'api', auth: { user: `${account}@gmail.example` } })
  await db
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: account, backend: 'gmail', oauth2 })
    .execute()
  const grant = JSON.stringify({ accessToken: `token of ${account}` })
  const sealed = await sealer.seal(grant, `credentials/${account}/oauth2`)
  await db.insertInto('credentials').values({ account, kind: 'oauth2', sealed }).execute()
}

async function hold(account: string, owner: string): Promise<void> {
  const next = sql<string>`epoch + 1`
  await db
    .updateTable('shards')
    .set({ owner, epoch: next })
    .where('shard', '=', shardOf(account))
    .execute()
}

async function insertToken(value: string, account: string, imported = false): Promise<void> {
  await db
    .insertInto('tokens')
    .values({ id: hashToken(value), account, scopes: ['imap-proxy'], imported })
    .execute()
}

async function insertGateway(gateway: string): Promise<void> {
  await db
    .insertInto('gateways')
    .values({ gateway, name: gateway, host: 'relay.example', port: 25, username: 'user' })
    .execute()
  const sealed = await sealer.seal(`of ${gateway}`, `gateways/${gateway}`)
  await db.insertInto('gatewayCredentials').values({ gateway, sealed }).execute()
}

async function insertMessage(
  queueId: string,
  { leased, gateway, account = 'mine' }: { leased: boolean; gateway?: string; account?: string },
): Promise<void> {
  await db
    .insertInto('outbox')
    .values({
      queueId,
      account,
      shard: shardOf(account),
      source: 'api',
      messageId: `<${queueId}@example>`,
      envelope: JSON.stringify({ from: 'a@example', to: ['b@example'] }),
      maxAttempts: 1,
      leaseUntil: leased ? new Date(Date.now() + 3_600_000) : null,
      ...(gateway === undefined ? {} : { gateway }),
    })
    .execute()
}

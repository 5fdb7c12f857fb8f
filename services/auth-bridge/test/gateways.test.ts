import { afterAll, expect, test } from '@jest/globals'
import { connectBus } from '@posthorn/bus'
import { Secret } from '@posthorn/config'
import { getGatewayCredentials } from '@posthorn/contracts/commands/credentials'
import { createSealer, keyPairFromSecret } from '@posthorn/secrets'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, testBus, testDatabase } from '@posthorn/testkit'
import { startApp } from '../src/app.ts'

const [database, broker] = await Promise.all([testDatabase(), testBus({ reuse: true })])
const log = createLogger('test', 'silent')
const bus = await connectBus({ url: broker.url, name: 'test', log, metrics: createMetrics('test') })
const app = await startApp(
  {
    databaseUrl: database.roleUrl('posthorn_auth_bridge'),
    databasePoolSize: 2,
    amqpUrl: broker.url,
    host: '127.0.0.1',
    port: 0,
    logLevel: 'silent',
    drainDelayMs: 0,
    shutdownTimeoutMs: 10_000,
    secret: new Secret('of gateways'),
    previousSecrets: [],
    authServerEgressPolicy: 'link-local',
    oauthEgressPolicy: 'link-local',
    providerOrigins: {},
    authServerTimeoutMs: 8_000,
    proxyEgressPolicy: 'link-local',
    oauthTokensApi: false,
  },
  new AbortController().signal,
)
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await bus[Symbol.asyncDispose]()
  await Promise.all([database.drop(), broker.drop()])
})

const requestCredentials = (gateway: string) =>
  bus.request(getGatewayCredentials, { gateway }, { key: 'credentials', timeoutMs: 30_000 })

async function insert(gateway: string, username: string | null, context?: string): Promise<void> {
  const server = { gateway, name: gateway, host: 'relay.example', port: 587, username }
  await database.db.insertInto('gateways').values(server).execute()
  if (context === undefined) return
  const sealer = createSealer(keyPairFromSecret('of gateways').publicKey)
  const sealed = await sealer.seal(`pass of ${gateway}`, context)
  await database.db.insertInto('gatewayCredentials').values({ gateway, sealed }).execute()
}

test('getGatewayCredentials: returns the login', async () => {
  await insert('relay', 'user', 'gateways/relay')
  expect(await eventually(() => requestCredentials('relay'))).toEqual({
    user: 'user',
    pass: 'pass of relay',
  })
})

test('getGatewayCredentials: unknown gateway, not-found; without login, rejected', async () => {
  await insert('open', null)
  await insert('half', 'user')
  await eventually(() => requestCredentials('relay'))
  await expect(requestCredentials('none')).rejects.toMatchObject({
    kind: 'not-found',
    message: 'Gateway "none" was not found',
  })
  for (const gateway of ['open', 'half'])
    await expect(requestCredentials(gateway)).rejects.toMatchObject({
      kind: 'rejected',
      code: 'AuthenticationFails',
    })
})

test('getGatewayCredentials: password moved from another gateway, is not unsealed', async () => {
  await insert('thief', 'user', 'gateways/relay')
  await eventually(() => requestCredentials('relay'))
  await expect(requestCredentials('thief')).rejects.toMatchObject({ kind: 'internal' })
})

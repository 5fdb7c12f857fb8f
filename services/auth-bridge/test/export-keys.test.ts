import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Bus, connectBus } from '@posthorn/bus'
import { type Entitlement, getExportKey } from '@posthorn/contracts/commands/credentials'
import type { ExportStatus } from '@posthorn/contracts/schemas/export'
import type { ServiceName } from '@posthorn/contracts/services'
import { shardOf } from '@posthorn/contracts/shards'
import { createSealer, hashToken, keyPairFromSecret } from '@posthorn/secrets'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, testBus, testDatabase } from '@posthorn/testkit'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'

const [database, broker] = await Promise.all([testDatabase(), testBus({ reuse: true })])
await broker.grantServices()
const { db } = database
const stack = new AsyncDisposableStack()
afterAll(async () => {
  await stack.disposeAsync()
  await Promise.all([database.drop(), broker.drop()])
})

const secret = 'a secret of the tests, of 32 characters'
const sealer = createSealer(keyPairFromSecret(secret).publicKey)
const keyOf = (exportId: string) => Buffer.alloc(32, exportId).toString('base64')
const worker = { id: randomUUID(), proof: randomUUID() }
const services = ['api-gateway', 'sync-worker', 'sender', 'webhook-dispatcher'] as const
const buses = new Map<ServiceName, Bus>()

interface TestExport {
  account: string
  status: ExportStatus
  /** Id of the export for which the stored key was sealed (encrypted). */
  sealedFor?: string
}

async function insert(exportId: string, { account, status, sealedFor }: TestExport): Promise<void> {
  await db
    .insertInto('exports')
    .values({
      exportId,
      account,
      shard: shardOf(account),
      day: new Date(),
      status,
      folders: [],
      startDate: new Date(0),
      endDate: new Date(),
      textType: '*',
      maxBytes: '0',
      includeAttachments: false,
      sealed: await sealer.seal(keyOf(exportId), `export/${sealedFor ?? exportId}`),
      expiresAt: new Date(),
    })
    .execute()
}

beforeAll(async () => {
  const proof = hashToken(worker.proof)
  await db.insertInto('workers').values({ id: worker.id, proof }).execute()
  for (const account of ['mine', 'theirs'])
    await db
      .insertInto('accounts')
      .values({ account, shard: shardOf(account), name: account })
      .execute()
  await db
    .updateTable('shards')
    .set({ owner: worker.id, epoch: '1' })
    .where('shard', '=', shardOf('mine'))
    .execute()
  expect(shardOf('mine')).not.toBe(shardOf('theirs'))
  await insert('running', { account: 'mine', status: 'processing' })
  await insert('done', { account: 'mine', status: 'completed' })
  await insert('theirs-done', { account: 'theirs', status: 'completed' })
  await insert('moved', { account: 'mine', status: 'completed', sealedFor: 'done' })
  const env = {
    DATABASE_URL: database.roleUrl('posthorn_auth_bridge'),
    AMQP_URL: broker.serviceUrl('auth-bridge'),
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'silent',
    SVC_SECRET: secret,
  }
  stack.use(await startApp(readConfig(env), new AbortController().signal))
  const log = createLogger('test', 'silent')
  for (const name of services) {
    const metrics = createMetrics('test')
    const bus = stack.use(await connectBus({ url: broker.serviceUrl(name), name, log, metrics }))
    await bus.whenUp()
    buses.set(name, bus)
  }
  await eventually(() => requestKey('api-gateway', { exportId: 'done' }))
})

interface KeyRequest {
  account?: string
  exportId: string
  entitlement?: Entitlement
}

function requestKey(service: ServiceName, { account = 'mine', ...request }: KeyRequest) {
  const options = { key: 'credentials', timeoutMs: 30_000 }
  return buses.get(service)?.request(getExportKey, { account, ...request }, options)
}

test('getExportKey: api-gateway gets the key of a completed export', async () => {
  expect(await requestKey('api-gateway', { exportId: 'done' })).toEqual({ key: keyOf('done') })
})

test.each(['running', 'done'])(
  'getExportKey: the sync-worker that holds the shard gets the key of an export (%s)',
  async (exportId) => {
    const reply = await requestKey('sync-worker', { exportId, entitlement: { worker } })
    expect(reply).toEqual({ key: keyOf(exportId) })
  },
)

test.each<[string, ServiceName, KeyRequest]>([
  ['of an unfinished export', 'api-gateway', { exportId: 'running' }],
  ['without entitlement', 'sync-worker', { exportId: 'running' }],
  [
    'of an account of another worker',
    'sync-worker',
    { account: 'theirs', exportId: 'theirs-done', entitlement: { worker } },
  ],
  [
    'with the proof of another worker',
    'sync-worker',
    { exportId: 'running', entitlement: { worker: { ...worker, proof: randomUUID() } } },
  ],
])('getExportKey: request %s, unavailable', async (_, service, request) => {
  await expect(requestKey(service, request)).rejects.toMatchObject({
    kind: 'unavailable',
    message: 'Requester does not hold this account',
  })
})

test.each<ServiceName>(['sender', 'webhook-dispatcher'])(
  'getExportKey: requested by %s, forbidden',
  async (service) => {
    const reply = requestKey(service, { exportId: 'done', entitlement: { worker } })
    await expect(reply).rejects.toMatchObject({ kind: 'forbidden' })
  },
)

test.each([
  ['mine', 'missing'],
  ['mine', 'theirs-done'],
])('getExportKey: account %s has no export %s, NotFound', async (account, exportId) => {
  const reply = requestKey('api-gateway', { account, exportId })
  await expect(reply).rejects.toMatchObject({ kind: 'not-found', code: 'NotFound' })
})

test('getExportKey: key moved from another export, is not unsealed', async () => {
  const reply = requestKey('api-gateway', { exportId: 'moved' })
  await expect(reply).rejects.toMatchObject({ kind: 'internal' })
})

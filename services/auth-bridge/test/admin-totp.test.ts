import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Bus, connectBus } from '@posthorn/bus'
import { checkAdminTotp, createAdminTotp } from '@posthorn/contracts/commands/admin-totp'
import type { ServiceName } from '@posthorn/contracts/services'
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

const buses = new Map<ServiceName, Bus>()

beforeAll(async () => {
  for (const id of ['ann', 'bob', 'cat', 'dan'])
    await db
      .insertInto('adminPeople')
      .values({ id, email: `${id}@example.com`, name: id, role: 'operator' })
      .execute()
  const env = {
    DATABASE_URL: database.roleUrl('posthorn_auth_bridge'),
    AMQP_URL: broker.serviceUrl('auth-bridge'),
    SVC_PORT: '0',
    SVC_LOG_LEVEL: 'silent',
    SVC_SECRET: 'a secret of the tests, of 32 characters',
  }
  stack.use(await startApp(readConfig(env), new AbortController().signal))
  const log = createLogger('test', 'silent')
  for (const name of ['admin-ui', 'api-gateway', 'sender'] as const) {
    const metrics = createMetrics('test')
    const bus = stack.use(await connectBus({ url: broker.serviceUrl(name), name, log, metrics }))
    await bus.whenUp()
    buses.set(name, bus)
  }
  await eventually(() => check('ann', '000000'))
})

const options = { key: 'credentials', timeoutMs: 30_000 }
const busOf = (service: ServiceName) => buses.get(service) as Bus
const create = (person: string, service: ServiceName = 'admin-ui') =>
  busOf(service).request(createAdminTotp, { person }, options)
const check = (person: string, code: string, service: ServiceName = 'admin-ui') =>
  busOf(service).request(checkAdminTotp, { person, code }, options)

/** One-time code of an authenticator app with a base32 seed (RFC 6238), `steps` from now. */
function codeOf(seed: string, steps: number): { code: string; step: number } {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = Array.from(seed, (letter) => letters.indexOf(letter).toString(2).padStart(5, '0'))
  const key = Buffer.from(
    (bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)),
  )
  const step = Math.floor(Date.now() / 30_000) + steps
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', key).update(counter).digest()
  const number = mac.readUInt32BE(mac.readUInt8(19) & 0xf) & 0x7fff_ffff
  return { code: String(number % 1_000_000).padStart(6, '0'), step }
}

test('checkAdminTotp: the code of the seed has its step, codes of other times have none', async () => {
  const { seed } = await create('ann')
  // A code of the next step is still accepted when the step changes during the test.
  const next = codeOf(seed, 1)
  expect(await check('ann', next.code)).toEqual({ step: next.step })
  expect(await check('ann', next.code)).toEqual({ step: next.step })
  expect(await check('ann', codeOf(seed, 4).code)).toEqual({})
  expect(await check('ann', codeOf(seed, -3).code)).toEqual({})
})

test('checkAdminTotp: codes of another seed, another person or an unknown person, none', async () => {
  const [first, other] = [await create('bob'), await create('dan')]
  const replaced = await create('bob')
  for (const seed of [first.seed, other.seed])
    expect(await check('bob', codeOf(seed, 1).code)).toEqual({})
  const { code, step } = codeOf(replaced.seed, 1)
  expect(await check('bob', code)).toEqual({ step })
  expect(await check('unknown', code)).toEqual({})
})

test('createAdminTotp: a dump of the table contains no seed', async () => {
  const { seed } = await create('cat')
  const rows = await db.selectFrom('adminPeople').selectAll().where('id', '=', 'cat').execute()
  const dump = JSON.stringify(rows)
  expect(rows[0]?.sealed).toMatch(/^ey/)
  expect(dump).not.toContain(seed)
  // A seed that was moved to the row of another person is not unsealed there.
  const sealed = rows[0]?.sealed ?? null
  await db.updateTable('adminPeople').set({ sealed }).where('id', '=', 'dan').execute()
  await expect(check('dan', codeOf(seed, 1).code)).rejects.toMatchObject({ kind: 'internal' })
})

test('createAdminTotp: confirmed or unknown person, invalid and unchanged', async () => {
  const { seed } = await create('ann')
  const confirmed = { totpConfirmed: true }
  await db.updateTable('adminPeople').set(confirmed).where('id', '=', 'ann').execute()
  for (const person of ['ann', 'unknown'])
    await expect(create(person)).rejects.toMatchObject({ kind: 'invalid' })
  const { code, step } = codeOf(seed, 1)
  expect(await check('ann', code)).toEqual({ step })
})

test.each<ServiceName>(['api-gateway', 'sender'])(
  'createAdminTotp, checkAdminTotp: requested by %s, forbidden',
  async (service) => {
    await expect(create('bob', service)).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(check('bob', '123456', service)).rejects.toMatchObject({ kind: 'forbidden' })
  },
)

import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { connect, type Db, recordEvents } from '@posthorn/db'
import {
  createUnsealer,
  createResealer,
  createSealer,
  type HeaderOwner,
  keyIdOfHeader,
  keyIdOfLogin,
  keyPairFromSecret,
  unsealHeader,
  unsealLogin,
  sealHeaders,
  sealLogin,
} from '@posthorn/secrets'
import { testDatabase } from '@posthorn/testkit'
import { countKeys, resealAll } from '../src/reseal/reseal.ts'

const database = await testDatabase()
const db = connect(database.roleUrl('posthorn_auth_bridge'), { name: 'test', max: 2 })
afterAll(async () => {
  await db.destroy()
  await database.drop()
})

const [old, next] = ['the first', 'the second'].map(keyPairFromSecret)
if (!old || !next) throw new Error('no keys')
const [before, sealer] = [old.publicKey.id, createSealer(old.publicKey)]
const newest = next.publicKey.id
const resealer = createResealer(next.publicKey, [next.privateKey, old.privateKey])
const onlyNew = createUnsealer([next.privateKey])

const clear = {
  webhooks: 'https://u:pass%20of@all.example/',
  proxyUrl: 'socks5://u:pass%20of@proxy.example:1080',
  own: 'https://pass%20of@own.example/',
  proxy: 'http://u:pass%20of@proxy.example/',
  route: 'https://u:pass%20of@route.example/?at=@',
  message: 'socks5://u:pass%20of@message.example',
  gone: 'https://u:pass%20of@gone.example/',
}

/**
 * Stores addresses such as proxy URLs. The login of every second address is in plaintext, as
 * earlier releases stored logins.
 */
async function fillAddresses(owner: Db): Promise<void> {
  const sealed = (address: string) => sealLogin(address, sealer)
  const settings = {
    webhooks: await sealed(clear.webhooks),
    proxyUrl: clear.proxyUrl,
    // The password in the URL of the authentication server is masked; the sealed URL is in
    // `sealed_settings`.
    authServer: 'https://u:******@auth.example/',
    serviceUrl: 'https://u:p@looks.example',
    openAiAPIUrl: 'https://without.example/?x=@',
  }
  for (const [key, value] of Object.entries(settings))
    await owner
      .insertInto('settings')
      .values({ key, value: JSON.stringify(value) })
      .execute()
  const account = (name: string) => ({ account: name, shard: shardOf(name), name })
  await owner
    .insertInto('accounts')
    .values([
      { ...account('a'), webhooks: clear.own, proxy: await sealed(clear.proxy) },
      { ...account('b'), webhooks: 'https://without.example/', proxy: null },
    ])
    .execute()
  await owner
    .insertInto('webhookRoutes')
    .values({ id: 'r', name: 'r', targetUrl: await sealed(clear.route), customHeaders: '[]' })
    .execute()
  const shard = shardOf('a')
  const message = { account: 'a', shard, source: 'api', messageId: 'x', envelope: '{}' } as const
  await owner
    .insertInto('outbox')
    .values([
      { ...message, queueId: 'q', proxy: clear.message },
      { ...message, queueId: 'without', proxy: null },
    ])
    .execute()
  const accountTarget = { url: await sealed(clear.gone), headers: [] }
  const event = { event: 'accountDeleted', data: {} }
  await owner.transaction().execute((tx) =>
    recordEvents(
      tx,
      [
        { ...event, eventId: randomUUID(), account: 'was', accountTarget },
        { ...event, eventId: randomUUID(), account: 'plain' },
      ],
      null,
    ),
  )
}

async function readAddresses() {
  const owner = database.db
  const settings = await owner.selectFrom('settings').select(['key', 'value']).execute()
  const setting = (key: string) => String(settings.find((row) => row.key === key)?.value)
  const account = await owner
    .selectFrom('accounts')
    .select(['webhooks', 'proxy'])
    .where('account', '=', 'a')
    .executeTakeFirstOrThrow()
  const route = await owner
    .selectFrom('webhookRoutes')
    .select('targetUrl')
    .executeTakeFirstOrThrow()
  const message = await owner
    .selectFrom('outbox')
    .select('proxy')
    .where('queueId', '=', 'q')
    .executeTakeFirstOrThrow()
  const event = await owner
    .selectFrom('events')
    .select('accountTarget')
    .where('account', '=', 'was')
    .executeTakeFirstOrThrow()
  expect(event.accountTarget?.headers).toEqual([])
  const others = ['authServer', 'serviceUrl', 'openAiAPIUrl'].map(setting)
  const addresses = {
    webhooks: setting('webhooks'),
    proxyUrl: setting('proxyUrl'),
    own: account.webhooks ?? '',
    proxy: account.proxy ?? '',
    route: route.targetUrl,
    message: message.proxy ?? '',
    gone: event.accountTarget?.url ?? '',
  }
  return { addresses, others }
}

test('resealAll: logins in addresses, are resealed and plaintext ones sealed', async () => {
  await fillAddresses(database.db)
  const { others } = await readAddresses()
  const counted = await countKeys({ db })
  expect(counted).toContainEqual({
    table: 'settings.value',
    keys: { [before]: 1, clear: 1 },
  })
  expect(counted).toContainEqual({ table: 'accounts.webhooks', keys: { clear: 1 } })
  const only = { db, resealer, batchSize: 1 }
  expect((await resealAll(only)).resealed).toBe(7)
  const after = await readAddresses()
  expect(after.others).toEqual(others)
  for (const address of Object.values(after.addresses)) {
    expect(address).not.toContain('pass')
    expect(keyIdOfLogin(address)).toBe(newest)
  }
  const unsealed = Object.entries(after.addresses).map(async ([name, address]) => [
    name,
    await unsealLogin(address, onlyNew),
  ])
  expect(Object.fromEntries(await Promise.all(unsealed))).toEqual(clear)
  expect(await resealAll(only)).toEqual({ resealed: 0, unreadable: 0 })
})

test('resealAll: header values, are resealed, plaintext ones sealed, unreadable ones kept', async () => {
  const owner = database.db
  const old = (of: HeaderOwner, value = 'hush') =>
    sealHeaders([{ key: 'X-Old', value }], of, sealer)
  const clear = [
    { key: 'X-Clear', value: 'hush' },
    { key: 'X-Empty', value: '' },
  ]
  const headersOf = async (of: HeaderOwner) => JSON.stringify([...(await old(of)), ...clear])
  const moved = [...(await old('account/b')), ...clear].with(1, { key: 'X-Lost', value: lost })
  const row = { key: 'webhooksCustomHeaders', value: await headersOf('settings') }
  await owner.insertInto('settings').values(row).execute()
  const accounts = { a: await headersOf('account/a'), b: JSON.stringify(moved) }
  for (const [account, webhooksCustomHeaders] of Object.entries(accounts))
    await owner
      .updateTable('accounts')
      .set({ webhooksCustomHeaders })
      .where('account', '=', account)
      .execute()
  await owner
    .updateTable('webhookRoutes')
    .set({ customHeaders: await headersOf('route/r') })
    .execute()
  const target = {
    url: 'https://gone.example/',
    headers: JSON.parse(await headersOf('account/was')),
  }
  await owner
    .updateTable('events')
    .set({ accountTarget: JSON.stringify(target) })
    .where('account', '=', 'was')
    .execute()
  expect(await countKeys({ db })).toContainEqual({
    table: 'accounts.webhooks_custom_headers',
    keys: { [before]: 2, clear: 1, foreign: 1 },
  })
  expect(await resealAll({ db, resealer, batchSize: 1 })).toEqual({ resealed: 5, unreadable: 1 })
  const after = await readHeaders()
  for (const [of, headers] of after.filter(([of]) => of !== 'account/b')) {
    expect(headers.map(({ value }) => keyIdOfHeader(value))).toEqual([newest, newest, undefined])
    const unsealed = headers.map((header) => unsealHeader({ owner: of, ...header }, onlyNew))
    expect(await Promise.all(unsealed)).toEqual(['hush', 'hush', ''])
  }
  const [first, second] = new Map(after).get('account/b') ?? []
  expect(keyIdOfHeader(first?.value ?? '')).toBe(newest)
  expect(second?.value).toBe(lost)
  expect(await resealAll({ db, resealer })).toEqual({ resealed: 0, unreadable: 1 })
  expect(await readHeaders()).toEqual(after)
})

/** Text with the form of a sealed (encrypted) value that no key unseals. */
const lost = `sealed~${Buffer.from('{"alg":"ECDH-ES","kid":"foreign"}').toString('base64url')}..x.x.x`

type Headers = { key: string; value: string }[]

async function readHeaders(): Promise<[HeaderOwner, Headers][]> {
  const owner = database.db
  const accounts = await owner.selectFrom('accounts').selectAll().orderBy('account').execute()
  const { customHeaders } = await owner
    .selectFrom('webhookRoutes')
    .select('customHeaders')
    .executeTakeFirstOrThrow()
  const { value } = await owner
    .selectFrom('settings')
    .select('value')
    .where('key', '=', 'webhooksCustomHeaders')
    .executeTakeFirstOrThrow()
  const { accountTarget } = await owner
    .selectFrom('events')
    .select('accountTarget')
    .where('account', '=', 'was')
    .executeTakeFirstOrThrow()
  return [
    ['settings', value as Headers],
    ...accounts.map(({ account, webhooksCustomHeaders }): [HeaderOwner, Headers] => [
      `account/${account}`,
      webhooksCustomHeaders ?? [],
    ]),
    ['route/r', customHeaders],
    ['account/was', accountTarget?.headers ?? []],
  ]
}

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { encode } from '@msgpack/msgpack'
import { Secret } from '@posthorn/config'
import { startTestRedis } from '@posthorn/testkit'
import fc from 'fast-check'
import { type EmailEngineStore, type Entry, openStore } from '../src/index.ts'
import { collect, skippedOf } from './entries.ts'
import { StoreWriter } from './store-writer.ts'
import { secret, writeWholeStore } from './whole-store.ts'

const redis = await startTestRedis()
const writer = await new StoreWriter(redis.url).connect()
afterAll(async () => {
  await writer[Symbol.asyncDispose]()
  await redis.destroy()
})

async function open(): Promise<EmailEngineStore> {
  return openStore({ url: redis.url, secret: new Secret(secret) })
}

async function readAll(store: EmailEngineStore): Promise<Entry<unknown>[]> {
  const lists: AsyncIterable<Entry<unknown>>[] = [
    store.accounts(),
    store.applications(),
    store.gateways(),
    store.templates(),
    store.routes(),
    store.blocklistEntries(),
    store.tokens(),
    store.settings(),
  ]
  return (await Promise.all(lists.map((list) => collect(list)))).flat()
}

/** Hostile value in MessagePack: `{"__proto__": {}}`. */
const prototype = Buffer.concat([
  Buffer.from([0x81, 0xa9]),
  Buffer.from('__proto__'),
  Buffer.from([0x80]),
])

describe('broken values', () => {
  beforeAll(async () => {
    await writer.command('FLUSHDB')
    await writeWholeStore(writer, true)
  })

  test('ids without an entity are skipped', async () => {
    for (const key of ['ia:accounts', 'gateways', 'oapp:i', 'wh:i', 'tpl::i'])
      await writer.id(key, `missing in ${key}`)
    await using store = await open()
    const skipped = skippedOf(await readAll(store)).filter(([id]) => id.startsWith('missing'))
    expect(skipped).toHaveLength(5)
    expect(new Set(skipped.map(([, reason]) => reason))).toEqual(
      new Set(['there is no data for the id']),
    )
  })

  test.each([
    ['no MessagePack', Buffer.from([0xc1]), 'the value is not valid MessagePack'],
    ['a list', Buffer.from(encode([1])), 'the value is not an object'],
    ['rest bytes', Buffer.from([0x80, 0x80]), 'the value is not valid MessagePack'],
    ['a length of 4 GiB', Buffer.from('ddffffffff', 'hex'), 'the value is not valid MessagePack'],
    ['a prototype', prototype, 'the value is not valid MessagePack'],
    ['deep nesting', nested(10_000), 'the value is nested too deeply'],
  ])('tokens: with %s, are skipped', async (_name, value, reason) => {
    const id = 'f'.repeat(64)
    await writer.raw('tokens', id, value)
    await using store = await open()
    expect(skippedOf(await collect(store.tokens()))).toContainEqual([id, reason])
  })

  test('tokens: with an undefined member of msgpack5, are read', async () => {
    const id = 'e'.repeat(64)
    // MessagePack of `{"scopes":["api"],"account":undefined}`: `undefined` is an extension of the
    // type 0.
    const value = '82a673636f70657391a3617069a76163636f756e74d40000'
    await writer.raw('tokens', id, Buffer.from(value, 'hex'))
    await using store = await open()
    const entry = (await collect(store.tokens())).find((token) => token.id === id)
    expect(entry).toMatchObject({ input: expect.anything(), omitted: [] })
  })

  test('accounts: with broken JSON or values of other types, are skipped', async () => {
    const imap = (server: unknown) => ({ name: 'x', imap: JSON.stringify(server) })
    const login = { user: 'u', pass: 'p' }
    await writer.account('broken-json', { name: 'x', imap: '{"host":' })
    await writer.account('no-host', imap({ port: 993, auth: login }))
    await writer.account('no-login', imap({ host: 'h.test', port: 993 }))
    await writer.account('no-password', imap({ host: 'h.test', port: 993, auth: { user: 'u' } }))
    await writer.account('list', { name: 'x', imap: '[]' })
    await writer.account('bad-proxy', { name: 'x', proxy: 'ftp://proxy.test' })
    await writer.account('huge', { name: 'x'.repeat(17 * 1024 * 1024) })
    await writer.account('long', { name: 'x'.repeat(1_000) })
    await using store = await open()
    expect(Object.fromEntries(skippedOf(await collect(store.accounts())))).toMatchObject({
      'broken-json': expect.stringMatching(/^"imap" must be/),
      'no-host': '"imap.host" is required',
      'no-login': 'imap.auth is missing',
      'no-password': 'imap.auth has no password and no access token',
      list: expect.stringMatching(/^"imap" must be/),
      'bad-proxy': '"proxy" must be a valid http, https or socks URL',
      huge: expect.stringMatching(/^a value has 17825792 bytes, more than/),
      long: expect.stringMatching(/^"name" must NOT have more than 256 characters/),
    })
  })
})

describe('keys of another type', () => {
  test('each list with such a key becomes one skipped entry', async () => {
    const sets = ['ia:accounts', 'gateways', 'oapp:i', 'wh:i', 'tpl::i']
    const hashes = ['tokens', 'settings']
    await writer.command('FLUSHDB')
    for (const key of [...sets, ...hashes]) await writer.command('SET', key, 'text')
    await writer.raw('lists:unsub:lists', 'a.test', '1')
    await writer.command('SET', 'lists:unsub:entries:a.test', 'text')
    await using store = await open()
    expect(await store.counts()).toMatchObject({ accounts: 0, tokens: 0, blocklistEntries: 0 })
    const skipped = skippedOf(await readAll(store))
    // The set of accounts is read twice, because accounts also own templates.
    expect(skipped).toHaveLength(sets.length + hashes.length + 2)
    const other = 'the key in Redis has another type'
    expect(Object.fromEntries(skipped)).toEqual(
      Object.fromEntries(
        [...sets, ...hashes, 'lists:unsub:entries:a.test'].map((key) => [key, other]),
      ),
    )
  })
})

test('any value of any kind: is mapped or skipped, and never ends the list', async () => {
  await writer.command('FLUSHDB')
  await writer.setting('serviceUrl', 'https://x.test')
  const bytes = fc.uint8Array({ maxLength: 64 }).map((array) => Buffer.from(array))
  const names = 'name imap oauth2 auth scopes restrictions account provider targetUrl content'
  const others = 'customHeaders enabled host port path a.b'
  const member = fc.constantFrom('', ...`${names} ${others}`.split(' '))
  const record = fc.dictionary(member, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 8 })
  const pack = record.map((value) => Buffer.from(encode(value)))
  const json = record.map((value) => Buffer.from(JSON.stringify(value)))
  const value = fc.oneof(bytes, pack, json)
  const fields = fc.dictionary(member, fc.oneof(value.map(String), fc.string()), { minKeys: 1 })
  await fc.assert(
    fc.asyncProperty(value, value, fields, async (first, second, texts) => {
      for (const key of ['ia:accounts', 'gateways', 'oapp:i', 'wh:i', 'tpl::i'])
        await writer.id(key, 'x')
      await writer.command('DEL', 'iad:x', 'gateway:x')
      for (const [name, text] of Object.entries(texts)) {
        await writer.raw('iad:x', name, text)
        await writer.raw('gateway:x', name, text)
      }
      await writer.raw('oapp:c', 'x:data', first)
      for (const key of ['wh:c', 'tpl::c']) {
        await writer.raw(key, 'x:meta', first)
        await writer.raw(key, 'x:content', second)
      }
      await writer.raw('tokens', 'a'.repeat(64), first)
      await writer.raw('lists:unsub:lists', 'a.test', '1')
      await writer.raw('lists:unsub:entries:a.test', 'x@x.test', first)
      await writer.raw('settings', 'webhooks', second)
      await using store = await open()
      expect(await readAll(store)).toHaveLength(9)
    }),
    { numRuns: 200 },
  )
})

/** MessagePack object with nested lists in a member. */
function nested(depth: number): Buffer {
  const lists = Buffer.alloc(depth, 0x91)
  return Buffer.concat([Buffer.from([0x81, 0xa1, 0x61]), lists, Buffer.from([0xc0])])
}

import { afterAll, describe, expect, test } from '@jest/globals'
import { Secret } from '@posthorn/config'
import { eventually, startTestRedis } from '@posthorn/testkit'
import { openStore } from '../src/index.ts'
import { connectRedis } from '../src/store/connect.ts'
import { RedisReader } from '../src/store/redis-reader.ts'
import { collect, inputOf, skippedOf } from './entries.ts'
import { Sealer, StoreWriter } from './store-writer.ts'
import { secret, writeWholeStore } from './whole-store.ts'

const redis = await startTestRedis()
afterAll(() => redis.destroy())

async function written(database: number, isSealed = true): Promise<string> {
  const url = `${redis.url}/${database}`
  await using writer = await new StoreWriter(url).connect()
  await writeWholeStore(writer, isSealed)
  return url
}

const countTimers = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

describe('openStore: secret', () => {
  test.each([
    ['a wrong secret', new Secret('another secret')],
    ['no secret', undefined],
  ])('with %s and encrypted values, fails once with the remedy', async (_name, wrong) => {
    const url = await written(0)
    await expect(openStore({ url, secret: wrong })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/^The secret does not decrypt .* \(EENGINE_SECRET\)$/),
    })
  })

  test('with a needless secret, reads plaintext', async () => {
    const url = await written(1, false)
    await using store = await openStore({ url, secret: new Secret('needless') })
    expect(skippedOf(await collect(store.accounts()))).toEqual([])
  })

  test('with values of two secrets and plaintext, skips those of the other secret', async () => {
    const url = await written(2)
    await using writer = await new StoreWriter(url).resume()
    const imap = (pass: string) => ({
      name: 'x',
      imap: JSON.stringify({ host: 'h.test', port: 993, auth: { user: 'u', pass } }),
    })
    await writer.account('other', imap(new Sealer('old secret').seal('p')))
    await writer.account('plain', imap('plain'))
    await writer.account('damaged', imap(new Sealer(secret).seal('p').slice(0, -2)))
    await using store = await openStore({ url, secret: new Secret(secret) })
    const entries = await collect(store.accounts())
    const reason = 'imap.auth.pass cannot be decrypted with the secret'
    expect(Object.fromEntries(skippedOf(entries))).toEqual({ other: reason, damaged: reason })
    expect(inputOf(entries.find(({ id }) => id === 'plain'))).toMatchObject({
      imap: { auth: { pass: 'plain' } },
    })
  })
})

describe('openStore: Redis', () => {
  test('reads with a user who may only read, and sends no other command', async () => {
    await written(0)
    await using writer = await new StoreWriter(redis.url).resume()
    await writer.command('ACL', 'SETUSER', 'reader', 'on', '>p:w/1', '~*', '+@read', '+@connection')
    await writer.command('CONFIG', 'RESETSTAT')
    const url = redis.url.replace('//', `//reader:${encodeURIComponent('p:w/1')}@`)
    await using store = await openStore({ url, secret: new Secret(secret) })
    await store.counts()
    for (const entries of [store.accounts(), store.applications(), store.gateways()])
      expect((await collect<unknown>(entries)).length).toBeGreaterThan(0)
    for (const entries of [store.templates(), store.routes(), store.blocklistEntries()])
      expect((await collect<unknown>(entries)).length).toBeGreaterThan(0)
    for (const entries of [store.tokens(), store.settings()])
      expect((await collect<unknown>(entries)).length).toBeGreaterThan(0)
    await store.serviceSecret()
    const stats = String(await writer.command('INFO', 'commandstats'))
    const sent = new Set(Array.from(stats.matchAll(/cmdstat_([^:]+):calls/g), ([, name]) => name))
    sent.delete('ping') // a ping is sent to Redis if the test takes long
    const reads = ['exists', 'hlen', 'hmget', 'hscan', 'hstrlen', 'scard', 'sscan']
    expect(sent).toEqual(new Set(['auth', 'config|resetstat', ...reads]))
  })

  test('with TLS, checks the certificate', async () => {
    await written(0)
    const options = { url: redis.tlsUrl, secret: new Secret(secret) }
    await expect(openStore(options)).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringMatching(/certificate/),
    })
    await using store = await openStore({ ...options, ca: redis.cert })
    expect(await store.counts()).toMatchObject({ accounts: 4 })
  })

  test('with a wrong password, fails without the password in the error', async () => {
    const url = redis.url.replace('//', '//reader:wrong-Zq@')
    const error: unknown = await openStore({ url }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'unauthorized' })
    expect(String((error as Error).stack)).not.toContain('wrong-Zq')
  })

  test.each([
    ['http://localhost/', /must start with redis:/],
    ['no URL with pass-Zq', /must start with redis:/],
    ['redis://u:pass-Zq@localhost/db', /must be a database number/],
  ])('with the URL %s, fails without the URL in the error', async (url, message) => {
    const error: unknown = await openStore({ url }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ kind: 'invalid', message: expect.stringMatching(message) })
    expect(String((error as Error).stack)).not.toContain('pass-Zq')
  })

  test('with an unreachable server, fails', async () => {
    await expect(openStore({ url: 'redis://127.0.0.1:1' })).rejects.toMatchObject({
      kind: 'unreachable',
    })
  })

  test.each([
    ['in an empty database', ''],
    ['under another prefix', 'other'],
  ])('%s, fails with the remedy', async (_name, prefix) => {
    if (prefix !== '') await written(5)
    await expect(openStore({ url: `${redis.url}/5`, prefix })).rejects.toMatchObject({
      kind: 'not-found',
      message: expect.stringMatching(/check the database number in the Redis URL and the prefix/),
    })
  })

  test('keeps the connection alive while the caller works', async () => {
    await using writer = await new StoreWriter(redis.url).resume()
    await writer.command('CONFIG', 'RESETSTAT')
    const connection = await connectRedis({ url: redis.url }, { timeoutMs: 300 })
    await eventually(async () => {
      const stats = String(await writer.command('INFO', 'commandstats'))
      expect(Number(/cmdstat_ping:calls=(\d+)/.exec(stats)?.[1])).toBeGreaterThan(6)
    })
    expect(await connection.exists('settings')).toBe(1)
    connection.destroy()
  })

  test('with a server that does not respond, fails', async () => {
    const connection = await connectRedis({ url: redis.url }, { timeoutMs: 300 })
    const reader = new RedisReader(connection)
    redis.pause()
    try {
      await expect(reader.exists(['settings'])).rejects.toMatchObject({ kind: 'unreachable' })
    } finally {
      redis.resume()
      reader.close()
    }
  })

  test('with a connection that is lost meanwhile, fails instead of ending the list', async () => {
    const url = await written(6)
    await using writer = await new StoreWriter(url).resume()
    for (let at = 0; at < 1_000; at++) await writer.account(`a-${at}`, { name: 'n' })
    const timers = countTimers()
    await using store = await openStore({ url, secret: new Secret(secret) })
    const read = async () => {
      for await (const _entry of store.accounts())
        await writer.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    }
    await expect(read()).rejects.toMatchObject({ kind: 'unreachable' })
    store.close()
    // A timer of the Redis connection would keep a command running after its end.
    expect(countTimers()).toBeLessThanOrEqual(timers)
  })
})

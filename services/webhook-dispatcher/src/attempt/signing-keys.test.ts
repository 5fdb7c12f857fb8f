import { expect, test } from '@jest/globals'
import { createLogger } from '@posthorn/telemetry'
import { cacheSigningKeys } from './signing.ts'

const log = createLogger('test', 'silent')
const never = new AbortController().signal

test('cacheSigningKeys: concurrent and later callers share one request', async () => {
  let requests = 0
  const keys = cacheSigningKeys({ fetch: async () => `s${++requests}`, log })
  expect(await Promise.all([keys.get(never), keys.get(never)])).toEqual(['s1', 's1'])
  expect(await keys.get(never)).toBe('s1')
})

test('cacheSigningKeys.invalidate: the next get requests the keys again', async () => {
  let requests = 0
  const keys = cacheSigningKeys({ fetch: async () => `s${++requests}`, log })
  await keys.get(never)
  keys.invalidate()
  expect(await keys.get(never)).toBe('s2')
})

test('cacheSigningKeys.invalidate: keys that changed during a request are requested again', async () => {
  const replies = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  let requests = 0
  const keys = cacheSigningKeys({
    fetch: () => replies[requests++]?.promise ?? Promise.reject(new Error('too often')),
    log,
  })
  const first = keys.get(never)
  keys.invalidate()
  replies[0]?.resolve('old')
  replies[1]?.resolve('new')
  await first
  expect(await keys.get(never)).toBe('new')
})

test('cacheSigningKeys: without keys, callers wait until auth-bridge responds', async () => {
  let down = true
  const keys = cacheSigningKeys({
    fetch: async () => (down ? Promise.reject(new Error('unavailable')) : 's'),
    log,
    retryMs: 1,
  })
  let received: string | undefined
  const pending = keys.get(never).then((value) => (received = value))
  await new Promise<void>((resolve) => setImmediate(resolve))
  expect(received).toBeUndefined()
  down = false
  expect(await pending).toBe('s')
})

test('cacheSigningKeys: expired keys stay in use while auth-bridge is unavailable', async () => {
  let down = false
  const keys = cacheSigningKeys({
    fetch: async () => (down ? Promise.reject(new Error('unavailable')) : 's'),
    log,
  })
  await keys.get(never)
  down = true
  keys.invalidate()
  expect(await keys.get(never)).toBe('s')
})

test('cacheSigningKeys: an aborted signal ends the wait', async () => {
  const stop = new AbortController()
  const keys = cacheSigningKeys({
    fetch: () => Promise.reject(new Error('unavailable')),
    log,
    retryMs: 60_000,
  })
  const pending = keys.get(stop.signal)
  stop.abort()
  await expect(pending).rejects.toThrow()
})

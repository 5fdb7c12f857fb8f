import { expect, test } from '@jest/globals'
import { createLogger } from '@posthorn/telemetry'
import { cacheSigningKeys } from './signing-keys.ts'

const log = createLogger('test', 'silent')
const never = new AbortController().signal

test('it is asked for once', async () => {
  let asked = 0
  const secret = cacheSigningKeys({ fetch: async () => `s${++asked}`, log })
  expect(await Promise.all([secret.get(never), secret.get(never)])).toEqual(['s1', 's1'])
  expect(await secret.get(never)).toBe('s1')
})

test('a change is asked for before the next use', async () => {
  let asked = 0
  const secret = cacheSigningKeys({ fetch: async () => `s${++asked}`, log })
  await secret.get(never)
  secret.invalidate()
  expect(await secret.get(never)).toBe('s2')
})

test('a change during the asking is asked for again', async () => {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  let asked = 0
  const secret = cacheSigningKeys({
    fetch: () => answers[asked++]?.promise ?? Promise.reject(new Error('too often')),
    log,
  })
  const first = secret.get(never)
  secret.invalidate()
  answers[0]?.resolve('old')
  answers[1]?.resolve('new')
  await first
  expect(await secret.get(never)).toBe('new')
})

test('while it cannot be had callers wait', async () => {
  let down = true
  const secret = cacheSigningKeys({
    fetch: async () => (down ? Promise.reject(new Error('nobody there')) : 's'),
    log,
    retryMs: 1,
  })
  let got: string | undefined
  const asking = secret.get(never).then((value) => (got = value))
  await new Promise<void>((resolve) => setImmediate(resolve))
  expect(got).toBeUndefined()
  down = false
  expect(await asking).toBe('s')
})

test('one that is known is used while a new one cannot be had', async () => {
  let down = false
  const secret = cacheSigningKeys({
    fetch: async () => (down ? Promise.reject(new Error('nobody there')) : 's'),
    log,
  })
  await secret.get(never)
  down = true
  secret.invalidate()
  expect(await secret.get(never)).toBe('s')
})

test('a caller that stops waiting is let go', async () => {
  const stop = new AbortController()
  const secret = cacheSigningKeys({
    fetch: () => Promise.reject(new Error('nobody there')),
    log,
    retryMs: 60_000,
  })
  const asking = secret.get(stop.signal)
  stop.abort()
  await expect(asking).rejects.toThrow()
})

import { argon2Sync, randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { blockedMs, fastestBlockedMs } from '@posthorn/testkit'
import { currentCost, PasswordHasher } from './passwords.ts'

const cheap = { memory: 64, passes: 1, parallelism: 1 }

test('PasswordHasher: a hash is a PHC string with a random salt', async () => {
  const hasher = new PasswordHasher()
  const hashes = [await hasher.hash('päßwörd'), await hasher.hash('päßwörd')]
  expect(new Set(hashes).size).toBe(2)
  for (const stored of hashes) {
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    const correct = { isCorrect: true, isOutdated: false }
    expect(await hasher.check('päßwörd'.normalize('NFD'), stored)).toEqual(correct)
    expect(await hasher.check('passwort', stored)).toMatchObject({ isCorrect: false })
  }
})

test.each([
  [{ memory: 128, passes: 1, parallelism: 1 }, true],
  [{ memory: 64, passes: 2, parallelism: 1 }, true],
  [{ memory: 64, passes: 1, parallelism: 1 }, false],
  [{ memory: 32, passes: 1, parallelism: 1 }, false],
])('PasswordHasher with cost %j: a hash of 64 KiB is outdated, %s', async (cost, isOutdated) => {
  const stored = await new PasswordHasher(cheap).hash('secret')
  const checked = await new PasswordHasher(cost).check('secret', stored)
  expect(checked).toEqual({ isCorrect: true, isOutdated })
})

test.each([
  null,
  undefined,
  '',
  'secret',
  '$argon2id$v=19$m=64,t=1,p=1$$',
  '$2b$10$abcdefghijklmnopqrstuv',
])('PasswordHasher: stored hash %s, no password is correct', async (stored) => {
  const hasher = new PasswordHasher(cheap)
  for (const password of ['secret', '', String(stored)])
    expect(await hasher.check(password, stored)).toMatchObject({ isCorrect: false })
})

test('PasswordHasher: 2 run, 16 wait, others are rejected with ttl', async () => {
  const hasher = new PasswordHasher(cheap)
  const hashings = Array.from({ length: 20 }, () => hasher.hash('secret'))
  expect([hasher.running, hasher.waiting]).toEqual([2, 16])
  const results = await Promise.allSettled(hashings)
  const rejected = results.filter(({ status }) => status === 'rejected')
  expect(rejected).toHaveLength(2)
  expect(rejected[0]).toMatchObject({ reason: { kind: 'rate-limited', extras: { ttl: 2 } } })
  expect([hasher.running, hasher.waiting]).toEqual([0, 0])
})

test('PasswordHasher: all hashings together block the event loop less than one in it', async () => {
  const hasher = new PasswordHasher()
  const parameters = { ...currentCost, message: 'x', nonce: randomBytes(16), tagLength: 32 }
  const inLoop = await blockedMs(() => argon2Sync('argon2id', parameters))
  const hashAll = () => Promise.all(Array.from({ length: 18 }, () => hasher.hash('x')))
  expect(await fastestBlockedMs(hashAll, inLoop)).toBeLessThan(inLoop)
})

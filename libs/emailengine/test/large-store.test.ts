import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, expect, test } from '@jest/globals'
import { Secret } from '@posthorn/config'
import { startTestRedis } from '@posthorn/testkit'
import { openStore } from '../src/index.ts'
import { inputOf } from './entries.ts'
import { Sealer, StoreWriter } from './store-writer.ts'
import { secret } from './whole-store.ts'

const redis = await startTestRedis()
afterAll(() => redis.destroy())

const total = 10_000
/** Text in the JSON of each account, so that the accounts in the large test store have 40 MB. */
const padding = 'x'.repeat(4_000)

/**
 * Writes accounts to EmailEngine's store whose passwords are encrypted by runs with 20 different
 * salts.
 */
async function writeAccounts(writer: StoreWriter): Promise<void> {
  const sealers = Array.from({ length: 20 }, () => new Sealer(secret))
  for (let start = 0; start < total; start += 500)
    await Promise.all(
      Array.from({ length: 500 }, async (_, at) => {
        const user = `user-${start + at}`
        const pass = sealers[at % sealers.length]?.seal(`pass of ${user}`)
        await writer.account(user, {
          name: user,
          imap: JSON.stringify({ host: 'imap.test', port: 993, auth: { user, pass }, padding }),
        })
      }),
    )
}

/** Memory in use after a garbage collection, in bytes. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test('accounts: with 10,000 accounts, reads each once in bounded memory', async () => {
  await using writer = await new StoreWriter(redis.url).connect()
  await writeAccounts(writer)
  await using store = await openStore({ url: redis.url, secret: new Secret(secret) })
  expect(await store.counts()).toMatchObject({ accounts: total })
  const ids = new Set<string>()
  const before = usedBytes()
  let largest = 0
  for await (const entry of store.accounts()) {
    const { imap } = inputOf(entry)
    expect(imap && imap.auth && imap.auth.pass).toBe(`pass of ${entry.id}`)
    expect(ids.has(entry.id)).toBe(false)
    ids.add(entry.id)
    if (ids.size % 1_000 === 0) largest = Math.max(largest, usedBytes())
  }
  expect(ids.size).toBe(total)
  expect(largest - before).toBeLessThan(20 * 1024 * 1024)
})

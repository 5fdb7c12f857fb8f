import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, faultSize } from '@posthorn/testkit'
import { registerManyAccounts, shuffled, type ManyAccounts } from '../many-accounts.ts'
import { startWorld, type World } from '../world.ts'

/**
 * Number of registered accounts. The sync-worker has memory for about 450 accounts in the small
 * test, and for about 1,000 accounts in the full test.
 */
const registered = faultSize({ small: 600, full: 1_150 })
/**
 * V8 old space of the sync-worker in MB, from which its memory limit follows without a container.
 */
const oldSpaceMb = faultSize({ small: 300, full: 440 })
/** Part of its memory limit that a sync-worker never exceeds. */
const maxPart = 0.9
const readsAtOnce = 8
/** Maximum time of all rounds of API reads. A read lasts 5 s at most. */
const maxReadMs = 900_000

const stack = new AsyncDisposableStack()
let world: World
let many: ManyAccounts
let memory: ReturnType<typeof watchMemory>
beforeAll(async () => {
  world = stack.use(
    await startWorld({
      // API reads of accounts that the sync-worker does not hold end soon.
      env: { SVC_LOGINS_PER_HOST: '200', SVC_TIMEOUT: '5s' },
      envByService: {
        'sync-worker': {
          NODE_OPTIONS: `--max-old-space-size=${oldSpaceMb} --max-semi-space-size=8`,
        },
      },
    }),
  )
  memory = stack.use(watchMemory(world))
  many = stack.use(await registerManyAccounts(world, registered, { secure: true }))
})
afterAll(() => stack.disposeAsync())

test('more accounts than a lone worker has memory for: it holds some, and refuses the others', async () => {
  await eventually(
    async () => {
      const read = await readMetrics(world)
      const [held, unclaimed] = [read('sync_worker_accounts'), read('accounts_unclaimed')]
      expect(held + unclaimed).toBe(registered)
      expect(unclaimed).toBeGreaterThan(0)
      // Accounts without a worker can have the state `connected` too: an account may log in while
      // its shard is released.
      expect(read('accounts', 'state="connected"')).toBe(held)
    },
    { timeoutMs: 240_000 },
  )
  expect(memory.peakPart()).toBeLessThan(maxPart)
})

test(
  'each account is read: the worker stays below its limit',
  async () => {
    const readAccounts = new Set<string>()
    // Reads messages of each account once. On a busy machine, the sync-worker may lose its shards
    // during a round and refuse all reads until the accounts have logged in again.
    const readRound = async () => {
      const waiting = shuffled(many.accounts)
      const readSome = async () => {
        for (let account = waiting.pop(); account !== undefined; account = waiting.pop()) {
          const name = account
          await world.posthorn.listMessages({ account, path: 'INBOX' }).then(
            () => readAccounts.add(name),
            () => undefined,
          )
        }
      }
      await Promise.all(Array.from({ length: readsAtOnce }, readSome))
    }
    await eventually(
      async () => {
        await readRound()
        expect(readAccounts.size).toBeGreaterThan(registered / 10)
      },
      { timeoutMs: maxReadMs - 60_000 },
    )
    const { peakMb, limitMb } = memory.summary()
    const count = readAccounts.size
    process.stdout.write(`small worker: ${count} accounts read, peak ${peakMb} of ${limitMb} MB\n`)
    expect(memory.peakPart()).toBeLessThan(maxPart)
  },
  maxReadMs,
)

/** Watches the resident memory of sync-worker and its message readers, as the worker reports it. */
function watchMemory(watched: World) {
  let [peak, limit] = [0, Infinity]
  let isStopped = false
  const run = async () => {
    while (!isStopped) {
      const read = await readMetrics(watched)
      peak = Math.max(peak, read('sync_worker_memory_bytes'))
      limit = read('sync_worker_memory_limit_bytes')
      await delay(250) // interval of the samples, not a wait
    }
  }
  const done = run()
  const mb = (bytes: number) => Math.round(bytes / 1e6)
  return {
    peakPart: () => peak / limit,
    summary: () => ({ peakMb: mb(peak), limitMb: mb(limit) }),
    async [Symbol.asyncDispose]() {
      isStopped = true
      await done
    },
  }
}

/** Reads the gauges of sync-worker. Names of metrics have no prefix here. */
async function readMetrics({ services }: World) {
  const text = await (await fetch(`${services.urls['sync-worker']}/metrics`)).text()
  return (name: string, label = '') => {
    const line = new RegExp(`^posthorn_${name}\\{[^ ]*${label}[^ ]* ([\\d.e+-]+)$`, 'm')
    return Number(line.exec(text)?.[1])
  }
}

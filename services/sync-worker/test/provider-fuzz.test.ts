import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { FuzzRun } from './feeds/fuzz-run.ts'
import { fuzzedGmail, fuzzedGraph } from './feeds/fuzzed-mailbox.ts'
import { account } from './feeds/memory-feed-store.ts'

// Random broken responses of the fakes: TEST_SEED repeats a run, TEST_STEPS sets its rounds.

const seed = Number(process.env['TEST_SEED'] ?? 1)
const rounds = Number(process.env['TEST_STEPS'] ?? 500)

const escaped: unknown[] = []
const recordError = (error: unknown) => void escaped.push(error)
beforeAll(
  () => void process.on('unhandledRejection', recordError).on('uncaughtException', recordError),
)
afterAll(
  () => void process.off('unhandledRejection', recordError).off('uncaughtException', recordError),
)

test.each([
  ['Gmail', fuzzedGmail],
  ['Microsoft Graph', fuzzedGraph],
] as const)(
  `MailboxFeeds: broken responses of %s, seed ${seed}: events and index equal the mailbox afterwards`,
  async (_provider, open) => {
    await using mailbox = await open(account.notifyFrom)
    const run = new FuzzRun(mailbox, seed)
    await run.start()
    for (let round = 1; round <= rounds; round++)
      await run.round().catch((cause: unknown) => {
        const broken = run.faults.broken.join('\n  ')
        throw new Error(`seed ${seed}, round ${round}, after\n  ${broken}`, { cause })
      })
    expect(escaped).toEqual([])
    expect(run.outcomes.get('pass done')).toBeGreaterThan(0)
    expect(run.outcomes.get('pass unavailable')).toBeGreaterThan(0)
    expect(run.outcomes.get('read done')).toBeGreaterThan(0)
  },
  1_200_000,
)

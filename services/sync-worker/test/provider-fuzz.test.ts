import { expect, test } from '@jest/globals'
import { faultSize } from '@posthorn/testkit'
import { FuzzRun } from './feeds/fuzz-run.ts'
import { fuzzedGmail, fuzzedGraph } from './feeds/fuzzed-mailbox.ts'
import { account } from './feeds/memory-feed-store.ts'

// Syncs with random broken responses of fake providers: TEST_SEED repeats a run, TEST_STEPS sets
// its number of rounds.

const seed = Number(process.env['TEST_SEED'] ?? 1)
const steps = process.env['TEST_STEPS']

test.each([
  ['Gmail', fuzzedGmail, faultSize({ small: 150, full: 500 })],
  // A round of changes and syncs takes 0.1 to 0.3 s with Graph, two to four times as long as with
  // Gmail.
  ['Microsoft Graph', fuzzedGraph, faultSize({ small: 60, full: 200 })],
] as const)(
  `MailboxFeeds: broken responses of %s, seed ${seed}: events and index equal the mailbox afterwards`,
  async (_provider, open, defaultRounds) => {
    const rounds = Number(steps ?? defaultRounds)
    await using mailbox = await open(account.notifyFrom)
    const run = new FuzzRun(mailbox, seed)
    await run.start()
    for (let round = 1; round <= rounds; round++)
      await run.round().catch((cause: unknown) => {
        const broken = run.faults.broken.join('\n  ')
        throw new Error(`seed ${seed}, round ${round}, after\n  ${broken}`, { cause })
      })
    // If a run has fewer than 30 rounds, some outcomes of sync passes may not occur.
    const outcomes = rounds < 30 ? [] : ['pass done', 'pass unavailable', 'read done']
    expect([...run.outcomes.keys()]).toEqual(expect.arrayContaining(outcomes))
  },
  1_200_000,
)

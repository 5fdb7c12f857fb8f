import { expect, test } from '@jest/globals'
import { faultSize } from '@posthorn/testkit'
import { FeedRun } from './feeds/feed-run.ts'

// Random runs of syncs against a model mailbox: TEST_SEED repeats a run, TEST_STEPS sets its
// length. Each step is a change of the mailbox or a sync pass of a worker. The worker may crash at
// any commit or request, or be overtaken by another worker. `EventView` fails on a repeated or
// invented event.

const steps = Number(process.env['TEST_STEPS'] ?? faultSize({ small: 14_000, full: 40_000 }))
const seed = Number(process.env['TEST_SEED'] ?? 1)

/** Number of random steps between two comparisons of index and events with the model mailbox. */
const interval = 500

test.each([
  ['labels', false],
  ['folder', false],
  ['folder', true],
] as const)(
  'MailboxFeeds: after random changes, crashes and takeovers, events and index equal a mailbox with placement %s, read lag %s',
  async (placement, readLag) => {
    const run = new FeedRun(placement, seed, readLag)
    for (let step = 1; step <= steps / 2; step++) {
      await run.step()
      if (step % interval === 0) await run.settle()
    }
    expect(run.outcomes).toMatchObject({
      done: expect.any(Number),
      ...(placement === 'folder' && { yielded: expect.any(Number) }),
      crash: expect.any(Number),
      stale: expect.any(Number),
    })
    expect(run.tables.warnings.length).toBeGreaterThan(0)
  },
  1_200_000,
)

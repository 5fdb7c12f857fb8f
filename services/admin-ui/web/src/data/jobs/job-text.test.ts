import { expect, test } from '@jest/globals'
import { describeJob, handledEntries } from './job-text.ts'

const counts = { total: 10, done: 3, failed: 0, skipped: 0 }
const job = { state: 'running', maxEntries: null, ...counts } as const

test.each([
  [{ ...job, state: 'queued', total: null }, 'The job waits for its start.'],
  [job, 'Running: 3 of 10 done.'],
  [{ ...job, total: null }, 'Running: 3 of an unknown number done.'],
  [{ ...job, state: 'done', done: 9, failed: 1 }, 'Ended: 9 of 10 done, 1 failed.'],
  [
    { ...job, state: 'cancelled', skipped: 2 },
    'Cancelled: 3 of 10 done, 2 skipped, because they do not match any more.',
  ],
  [{ ...job, state: 'cancelled', maxEntries: 10 }, 'Cancelled: 3 of 10 done.'],
  [
    { ...job, state: 'cancelled', maxEntries: 9, done: 0 },
    'Not run: 10 entries match the filters, more than the confirmed 9. Check the list and start the job again.',
  ],
] as const)('describeJob: %j', (progress, text) => {
  expect(describeJob(progress)).toBe(text)
})

test('handledEntries: counts entries that succeeded, failed or were skipped', () => {
  expect(handledEntries({ ...job, failed: 2, skipped: 1 })).toBe(6)
})

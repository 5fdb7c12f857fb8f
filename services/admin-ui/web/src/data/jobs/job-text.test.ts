import { expect, test } from '@jest/globals'
import { describeJob, handledEntries, jobNews, nameJobs } from './job-text.ts'
import type { Job } from './jobs.ts'

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

/** Bulk job as the API lists it, with an action and an id. */
function listed(action: Job['action'], id: string): Job {
  const times = { createdAt: '2026-01-01T00:00:00.000Z', startedAt: null, finishedAt: null }
  const rest = { filter: null, logs: null, errors: [], ...times }
  return { ...job, ...rest, id, action } as Job
}

test('nameJobs: numbers the jobs with the same action, the oldest first', () => {
  const jobs = [listed('sync', '3'), listed('delete', '2'), listed('sync', '1')]
  expect(nameJobs(jobs).map(({ id, name }) => [id, name])).toEqual([
    ['3', 'Sync accounts, job 2'],
    ['2', 'Delete accounts'],
    ['1', 'Sync accounts'],
  ])
})

const named = { ...job, id: 'j1', name: 'Sync accounts' }

test.each([
  [undefined, { ...named, state: 'queued' }, []],
  [undefined, named, ['Job started: Sync accounts.']],
  ['queued', named, ['Job started: Sync accounts.']],
  ['running', { ...named, done: 9 }, []],
  ['running', { ...named, state: 'done' }, ['Job ended: Sync accounts, 3 of 10 done.']],
  [undefined, { ...named, state: 'done' }, ['Job ended: Sync accounts, 3 of 10 done.']],
  ['done', { ...named, state: 'done' }, []],
  ['queued', { ...named, state: 'cancelled' }, ['Job cancelled: Sync accounts, 3 of 10 done.']],
  [
    'queued',
    { ...named, state: 'cancelled', maxEntries: 9 },
    ['Job not run: Sync accounts, 10 entries match the filters, more than the confirmed 9.'],
  ],
] as const)(
  'jobNews: with the former state %s and the job %j, announces %j',
  (state, next, news) => {
    expect(jobNews(new Map(state ? [['j1', state]] : []), [next])).toEqual(news)
  },
)

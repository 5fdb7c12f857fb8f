import { expect, test } from '@jest/globals'
import { filterText, replayFilter, replayText } from './replay-filter.ts'

test('replayFilter: filters of the page without state, cursor and empty values', () => {
  const query = { state: 'failed', account: 'anna', event: '', cursor: 'c', address: 'https://a' }
  expect(replayFilter(query)).toEqual({ account: 'anna', address: 'https://a' })
})

test('filterText: names the filters, or says that all deliveries match', () => {
  expect(filterText({ account: 'anna', event: 'messageNew' })).toBe(
    'with account anna and event messageNew',
  )
  expect(filterText({})).toBe('of all accounts and targets')
})

test.each([
  [{ state: 'queued', replayed: 0, total: null }, 'The replay is about to start.'],
  [{ state: 'running', replayed: 1_500, total: 10_000 }, '1,500 of 10,000 replayed'],
  [{ state: 'running', replayed: 5, total: null }, '5 replayed'],
  [{ state: 'done', replayed: 10_000, total: 10_000 }, 'Done: 10,000 deliveries are sent again.'],
] as const)('replayText: %j', (job, expected) => {
  expect(replayText(job)).toBe(expected)
})

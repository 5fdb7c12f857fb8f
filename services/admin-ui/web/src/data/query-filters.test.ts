import { expect, test } from '@jest/globals'
import { filtersOf, timeFiltersOf } from './query-filters.ts'

test('filtersOf: empty, missing and other members of the query are left out', () => {
  expect(filtersOf({ account: 'anna', event: '', page: '2' }, ['account', 'event', 'x'])).toEqual({
    account: 'anna',
  })
})

test('timeFiltersOf: local times become UTC, invalid times are left out', () => {
  const from = '2030-01-31T09:00'
  expect(timeFiltersOf({ from, to: 'tomorrow' }, ['from', 'to'])).toEqual({
    from: new Date(from).toISOString(),
  })
})

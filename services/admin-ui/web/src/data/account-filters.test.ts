import { expect, test } from '@jest/globals'
import { accountFilters, hasPartialWorker } from './account-filters.ts'

const worker = '3f0c2c1e-0000-4000-8000-00000000000a'

type Query = Readonly<Record<string, string>>
const cases: readonly (readonly [query: Query, isPartial: boolean, filters: Query])[] = [
  [{}, false, {}],
  [{ worker: '' }, false, {}],
  [{ worker }, false, { worker }],
  [{ worker: worker.toUpperCase() }, false, { worker: worker.toUpperCase() }],
  [{ worker: worker.slice(0, -1) }, true, {}],
  [{ worker: '-'.repeat(36) }, true, {}],
  [{ worker: `${worker} ` }, true, {}],
]

test.each(cases)('worker: of %j is partial: %s, and filters by %j', (query, isPartial, filters) => {
  expect(hasPartialWorker(query)).toBe(isPartial)
  expect(accountFilters(query)).toEqual(filters)
})

test('accountFilters: leaves out unknown choices', () => {
  const query = { query: 'anna', state: 'nothing', backend: 'nothing', provider: 'nothing' }
  expect(accountFilters(query)).toEqual({ query: 'anna' })
})

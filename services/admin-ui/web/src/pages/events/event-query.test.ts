import { expect, test } from '@jest/globals'
import { eventListInput, isLive, liveFilter } from './event-query.ts'

test('eventListInput: filters of the address, times in UTC', () => {
  const since = '2030-01-31T09:00'
  expect(
    eventListInput({
      account: 'jane',
      event: '',
      since,
      until: 'tomorrow',
      cursor: '1_2',
      live: '1',
    }),
  ).toEqual({ pageSize: 50, account: 'jane', since: new Date(since).toISOString(), cursor: '1_2' })
})

test('liveFilter: account and event', () => {
  expect(liveFilter({ account: 'jane', event: '', since: '2030-01-31T09:00' })).toEqual({
    account: 'jane',
  })
})

test.each([
  [{ live: '1' }, true],
  [{}, false],
  [{ live: '1', cursor: '1_2' }, false],
  [{ live: '1', until: '2030-01-31T09:00' }, false],
])('isLive: %j is %s', (query, expected) => {
  expect(isLive(query)).toBe(expected)
})

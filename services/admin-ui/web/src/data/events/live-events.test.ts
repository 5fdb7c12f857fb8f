import { expect, test } from '@jest/globals'
import { addLiveEvents, maxLiveEvents, mergeEvents, parseLiveEvents } from './live-events.ts'

const event = (id: number) => ({
  id: String(id),
  date: '2030-01-31T08:00:00.000Z',
  event: 'messageNew',
  account: 'jane',
  path: null,
})

test('addLiveEvents: latest first, up to the limit', () => {
  const first = addLiveEvents(
    [],
    parseLiveEvents([event(1), event(2)].map((each) => JSON.stringify(each))),
  )
  expect(first).toEqual([event(2), event(1)])
  const many = Array.from({ length: maxLiveEvents }, (_, n) => event(n + 3))
  const all = addLiveEvents(first, many)
  expect(all).toHaveLength(maxLiveEvents)
  expect(all[0]).toEqual(event(maxLiveEvents + 2))
})

test('mergeEvents: each event once, as in the list', () => {
  const listed = [{ ...event(2), deliveryState: 'failed' as const }, event(1)]
  expect(mergeEvents([event(3), event(2)], listed)).toEqual([event(3), ...listed])
})

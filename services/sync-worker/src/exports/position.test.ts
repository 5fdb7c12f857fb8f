import { expect, test } from '@jest/globals'
import { estimateEnd } from './position.ts'

test('estimateEnd: continues at the pace of the messages so far', () => {
  const end = estimateEnd({ done: 100, queued: 400, since: 0 }, 10_000)
  expect(end).toEqual(new Date(40_000))
})

test('estimateEnd: unknown in the first seconds and before the first message', () => {
  expect(estimateEnd({ done: 10, queued: 400, since: 0 }, 4_000)).toBeNull()
  expect(estimateEnd({ done: 0, queued: 400, since: 0 }, 10_000)).toBeNull()
})

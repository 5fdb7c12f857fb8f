import { expect, test } from '@jest/globals'
import { stateFilter, stateText } from './account-states.ts'

test.each([
  ['authenticationError', { label: 'Login fails', tone: 'bad' }],
  ['later', { label: 'later', tone: 'neutral' }],
  ['constructor', { label: 'constructor', tone: 'neutral' }],
])('stateText: %s is %j', (state, expected) => {
  expect(stateText(state)).toEqual(expected)
})

test.each([
  ['paused', 'paused'],
  ['later', undefined],
  ['', undefined],
  [undefined, undefined],
])('stateFilter: %p filters by %p', (value, expected) => {
  expect(stateFilter(value)).toBe(expected)
})

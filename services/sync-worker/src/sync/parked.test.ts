import { expect, test } from '@jest/globals'
import { Parked } from './parked.ts'

const status = { path: 'a', messages: 1, uidNext: 2, uidValidity: 1n }
const hour = 3_600_000

function refusedThrice(): Parked {
  const parked = new Parked()
  for (let n = 0; n < 3; n++) parked.refused('a', status, 0)
  return parked
}

test('a mailbox is left alone only after three refusals', () => {
  const parked = new Parked()
  for (let n = 0; n < 2; n++) parked.refused('a', status, 0)
  expect(parked.skips('a', status, 1)).toBe(false)
  parked.refused('a', status, 0)
  expect(parked.skips('a', status, 1)).toBe(true)
  expect(parked.skips('b', status, 1)).toBe(false)
})

test('it is tried again after six hours', () => {
  expect(refusedThrice().skips('a', status, 6 * hour - 1)).toBe(true)
  expect(refusedThrice().skips('a', status, 6 * hour)).toBe(false)
})

test('it is tried again when its counters change', () => {
  expect(refusedThrice().skips('a', { ...status, messages: 2 }, 1)).toBe(false)
  expect(refusedThrice().skips('a', undefined, 1)).toBe(true)
})

test('one that could be opened starts over', () => {
  const parked = refusedThrice()
  parked.opened('a')
  parked.refused('a', status, 0)
  expect(parked.skips('a', status, 1)).toBe(false)
})

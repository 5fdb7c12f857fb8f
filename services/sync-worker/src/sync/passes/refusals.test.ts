import { expect, test } from '@jest/globals'
import { MailboxRefusals } from './refusals.ts'

const status = { path: 'a', messages: 1, uidNext: 2, uidValidity: 1n }
const minute = 60_000

function refusedThrice(): MailboxRefusals {
  const parked = new MailboxRefusals(minute)
  for (let n = 0; n < 3; n++) parked.refused('a', status, 0)
  return parked
}

test('a mailbox is left alone only after three refusals', () => {
  const parked = new MailboxRefusals(minute)
  for (let n = 0; n < 2; n++) parked.refused('a', status, 0)
  expect(parked.isSuspended('a', status, 1)).toBe(false)
  parked.refused('a', status, 0)
  expect(parked.isSuspended('a', status, 1)).toBe(true)
  expect(parked.isSuspended('b', status, 1)).toBe(false)
})

test('it is tried again after a minute, then after two, and every six hours in the end', () => {
  const parked = refusedThrice()
  expect(parked.isSuspended('a', status, minute - 1)).toBe(true)
  expect(parked.isSuspended('a', status, minute)).toBe(false)
  parked.refused('a', status, 0)
  expect(parked.isSuspended('a', status, 2 * minute - 1)).toBe(true)
  expect(parked.isSuspended('a', status, 2 * minute)).toBe(false)
  for (let n = 0; n < 50; n++) parked.refused('a', status, 0)
  expect(parked.isSuspended('a', status, 360 * minute - 1)).toBe(true)
  expect(parked.isSuspended('a', status, 360 * minute)).toBe(false)
})

test('it is tried again when its counters change', () => {
  expect(refusedThrice().isSuspended('a', { ...status, messages: 2 }, 1)).toBe(false)
  expect(refusedThrice().isSuspended('a', undefined, 1)).toBe(true)
})

test('one that could be opened starts over', () => {
  const parked = refusedThrice()
  parked.clear('a')
  parked.refused('a', status, 0)
  expect(parked.isSuspended('a', status, 1)).toBe(false)
})

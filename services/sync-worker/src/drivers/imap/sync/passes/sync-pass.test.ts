import { describe, expect, test } from '@jest/globals'
import { MailboxRefusals } from './sync-pass.ts'

const status = { path: 'a', messages: 1, uidNext: 2, uidValidity: 1n }
const minute = 60_000

function refusedThrice(): MailboxRefusals {
  const refusals = new MailboxRefusals(minute)
  for (let n = 0; n < 3; n++) refusals.add('a', status, 0)
  return refusals
}

describe('MailboxRefusals', () => {
  test('isSuspended: true only for a mailbox with three refusals', () => {
    const refusals = new MailboxRefusals(minute)
    for (let n = 0; n < 2; n++) refusals.add('a', status, 0)
    expect(refusals.isSuspended('a', status, 1)).toBe(false)
    refusals.add('a', status, 0)
    expect(refusals.isSuspended('a', status, 1)).toBe(true)
    expect(refusals.isSuspended('b', status, 1)).toBe(false)
  })

  test('isSuspended: delay doubles from the minimum up to 6 h', () => {
    const refusals = refusedThrice()
    expect(refusals.isSuspended('a', status, minute - 1)).toBe(true)
    expect(refusals.isSuspended('a', status, minute)).toBe(false)
    refusals.add('a', status, 0)
    expect(refusals.isSuspended('a', status, 2 * minute - 1)).toBe(true)
    expect(refusals.isSuspended('a', status, 2 * minute)).toBe(false)
    for (let n = 0; n < 50; n++) refusals.add('a', status, 0)
    expect(refusals.isSuspended('a', status, 360 * minute - 1)).toBe(true)
    expect(refusals.isSuspended('a', status, 360 * minute)).toBe(false)
  })

  test('isSuspended: changed counters end the suspension', () => {
    expect(refusedThrice().isSuspended('a', { ...status, messages: 2 }, 1)).toBe(false)
    expect(refusedThrice().isSuspended('a', undefined, 1)).toBe(true)
  })

  test('clear: resets the count of refusals', () => {
    const refusals = refusedThrice()
    refusals.clear('a')
    refusals.add('a', status, 0)
    expect(refusals.isSuspended('a', status, 1)).toBe(false)
  })
})

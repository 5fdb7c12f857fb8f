import { expect, test } from '@jest/globals'
import { SyncRequests } from './sync-requests.ts'

test('several wishes are one, and are had once', () => {
  const wishes = new SyncRequests()
  const { pending: made } = wishes
  wishes.requestMailboxes([])
  expect(made.aborted).toBe(false)
  wishes.requestMailboxes(['a', 'b'])
  wishes.requestMailboxes(['b'])
  expect(made.aborted).toBe(true)
  const none = { all: false, mailboxes: new Set(), reselect: new Set() }
  expect(wishes.take()).toEqual({ ...none, mailboxes: new Set(['a', 'b']) })
  expect(wishes.take()).toEqual(none)
})

test('what is to be opened in any case is told apart', () => {
  const wishes = new SyncRequests()
  const { pending: made } = wishes
  wishes.requestReselect('a')
  expect(made.aborted).toBe(true)
  const { mailboxes, reselect: distrusted } = wishes.take()
  expect([mailboxes, distrusted]).toEqual([new Set(), new Set(['a'])])
})

test('after wishes were taken the next one is told anew', () => {
  const wishes = new SyncRequests()
  wishes.requestFull()
  expect(wishes.take().all).toBe(true)
  const { pending: made } = wishes
  expect(made.aborted).toBe(false)
  wishes.requestFull()
  expect(made.aborted).toBe(true)
  expect(wishes.pending.aborted).toBe(true)
})

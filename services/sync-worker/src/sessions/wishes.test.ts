import { expect, test } from '@jest/globals'
import { Wishes } from './wishes.ts'

test('several wishes are one, and are had once', () => {
  const wishes = new Wishes()
  const { made } = wishes
  wishes.wishFor([])
  expect(made.aborted).toBe(false)
  wishes.wishFor(['a', 'b'])
  wishes.wishFor(['b'])
  expect(made.aborted).toBe(true)
  const none = { all: false, mailboxes: new Set(), distrusted: new Set() }
  expect(wishes.take()).toEqual({ ...none, mailboxes: new Set(['a', 'b']) })
  expect(wishes.take()).toEqual(none)
})

test('what is to be opened in any case is told apart', () => {
  const wishes = new Wishes()
  const { made } = wishes
  wishes.wishToOpen('a')
  expect(made.aborted).toBe(true)
  const { mailboxes, distrusted } = wishes.take()
  expect([mailboxes, distrusted]).toEqual([new Set(), new Set(['a'])])
})

test('after wishes were taken the next one is told anew', () => {
  const wishes = new Wishes()
  wishes.wishForAll()
  expect(wishes.take().all).toBe(true)
  const { made } = wishes
  expect(made.aborted).toBe(false)
  wishes.wishForAll()
  expect(made.aborted).toBe(true)
  expect(wishes.made.aborted).toBe(true)
})

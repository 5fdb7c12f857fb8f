import { expect, test } from '@jest/globals'
import type { MailboxRow } from '../../../store/mailboxes.ts'
import { needsSync, planSync, mergeCounters } from './sync-plan.ts'

const row = (over: Partial<MailboxRow> = {}): MailboxRow => ({
  id: '1',
  account: 'a',
  path: 'INBOX',
  number: 1,
  name: 'INBOX',
  delimiter: '/',
  parentPath: null,
  specialUse: '\\Inbox',
  specialUseSource: 'name',
  attributes: [],
  subscribed: true,
  listed: true,
  uidValidity: '7',
  uidNext: '11',
  highestModseq: '100',
  messages: 10,
  flagsComplete: true,
  syncEpoch: '0',
  indexer: 'full',
  mailboxId: null,
  missingSince: null,
  idsOnly: false,
  syncedAt: new Date(),
  createdAt: new Date(),
  ...over,
})
const same = { uidValidity: 7n, uidNext: 11, messages: 10, highestModseq: 100n }

test('planSync: nothing for equal counters', () => {
  expect(planSync(row(), same, true)).toEqual({ uids: false, flags: 'none' })
  expect(needsSync(row(), same, true)).toBe(false)
})

test('planSync: uids if MESSAGES or UIDNEXT differ', () => {
  expect(planSync(row(), { ...same, messages: 9 }, false).uids).toBe(true)
  expect(planSync(row(), { ...same, uidNext: 12 }, false).uids).toBe(true)
})

test('planSync: uids for an arrival and a deletion with equal MESSAGES', () => {
  expect(needsSync(row(), { ...same, uidNext: 12, messages: 10 }, false)).toBe(true)
})

test('planSync: uids always without UIDNEXT', () => {
  expect(planSync(row({ uidNext: '0' }), { ...same, uidNext: 0 }, false).uids).toBe(true)
})

test('planSync: delta for a higher HIGHESTMODSEQ, search for a lower or unknown one', () => {
  expect(planSync(row(), { ...same, highestModseq: 101n }, false).flags).toBe('delta')
  expect(planSync(row(), { ...same, highestModseq: 99n }, false).flags).toBe('search')
  expect(planSync(row({ highestModseq: null }), same, false).flags).toBe('search')
})

test('planSync: compares mod-sequences above 2^53 exactly', () => {
  const huge = 2n ** 63n - 1n
  expect(
    planSync(row({ highestModseq: String(huge - 1n) }), { ...same, highestModseq: huge }, false)
      .flags,
  ).toBe('delta')
})

test('planSync: without mod-sequences, searches flags with full only', () => {
  const { highestModseq: _, ...plain } = same
  expect(planSync(row({ highestModseq: null }), plain, true).flags).toBe('search')
  expect(planSync(row({ highestModseq: null }), plain, false).flags).toBe('none')
})

test('needsSync: true for an unfinished initial sync', () => {
  expect(needsSync(row({ syncedAt: null }), same, false)).toBe(true)
  expect(needsSync(row({ flagsComplete: false }), same, false)).toBe(true)
})

test('needsSync: true for another UIDVALIDITY', () => {
  expect(needsSync(row(), { ...same, uidValidity: 8n }, false)).toBe(true)
})

test('planSync: with a fast index and a constant UIDNEXT, searches for new messages only', () => {
  const fast = row({ indexer: 'fast' })
  expect(needsSync(fast, { ...same, highestModseq: 200n }, true)).toBe(false)
  expect(needsSync(fast, { ...same, uidNext: 12 }, false)).toBe(true)
  expect(planSync(fast, { ...same, messages: 11 }, true)).toEqual({ uids: true, flags: 'none' })
})

test('mergeCounters: missing counters are the stored ones', () => {
  expect(needsSync(row(), mergeCounters(row(), {}), false)).toBe(false)
  expect(needsSync(row(), mergeCounters(row(), { messages: 9 }), false)).toBe(true)
  expect(needsSync(row(), mergeCounters(row(), { highestModseq: 101n }), false)).toBe(true)
})

test('needsSync: a STATUS without UIDVALIDITY is no change of it', () => {
  expect(needsSync(row(), { ...same, uidValidity: 0n }, false)).toBe(false)
})

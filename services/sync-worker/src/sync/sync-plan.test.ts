import { expect, test } from '@jest/globals'
import type { MailboxRow } from '../store/mailboxes.ts'
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

test('equal counters leave nothing to look at', () => {
  expect(planSync(row(), same, true)).toEqual({ uids: false, flags: 'none' })
  expect(needsSync(row(), same, true)).toBe(false)
})

test('more or fewer messages, or another UIDNEXT, need the UIDs', () => {
  expect(planSync(row(), { ...same, messages: 9 }, false).uids).toBe(true)
  expect(planSync(row(), { ...same, uidNext: 12 }, false).uids).toBe(true)
})

test('an arrival and a deletion that even out are seen by UIDNEXT', () => {
  expect(needsSync(row(), { ...same, uidNext: 12, messages: 10 }, false)).toBe(true)
})

test('a server that does not say UIDNEXT is looked at every time', () => {
  expect(planSync(row({ uidNext: '0' }), { ...same, uidNext: 0 }, false).uids).toBe(true)
})

test('a higher mod-sequence needs a delta, a lower or unknown one a full comparison', () => {
  expect(planSync(row(), { ...same, highestModseq: 101n }, false).flags).toBe('delta')
  expect(planSync(row(), { ...same, highestModseq: 99n }, false).flags).toBe('search')
  expect(planSync(row({ highestModseq: null }), same, false).flags).toBe('search')
})

test('mod-sequences beyond 2^53 are compared exactly', () => {
  const huge = 2n ** 63n - 1n
  expect(
    planSync(row({ highestModseq: String(huge - 1n) }), { ...same, highestModseq: huge }, false)
      .flags,
  ).toBe('delta')
})

test('without mod-sequences flags are compared when a full look is due', () => {
  const { highestModseq: _, ...plain } = same
  expect(planSync(row({ highestModseq: null }), plain, true).flags).toBe('search')
  expect(planSync(row({ highestModseq: null }), plain, false).flags).toBe('none')
})

test('a mailbox whose first look never ended is looked at again', () => {
  expect(needsSync(row({ syncedAt: null }), same, false)).toBe(true)
  expect(needsSync(row({ flagsComplete: false }), same, false)).toBe(true)
})

test('another UIDVALIDITY is always looked into', () => {
  expect(needsSync(row(), { ...same, uidValidity: 8n }, false)).toBe(true)
})

test('a fast index looks for new messages alone, also of a server whose UIDNEXT stands still', () => {
  const fast = row({ indexer: 'fast' })
  expect(needsSync(fast, { ...same, highestModseq: 200n }, true)).toBe(false)
  expect(needsSync(fast, { ...same, uidNext: 12 }, false)).toBe(true)
  expect(planSync(fast, { ...same, messages: 11 }, true)).toEqual({ uids: true, flags: 'none' })
})

test('counters that are not told are taken to be as they were', () => {
  expect(needsSync(row(), mergeCounters(row(), {}), false)).toBe(false)
  expect(needsSync(row(), mergeCounters(row(), { messages: 9 }), false)).toBe(true)
  expect(needsSync(row(), mergeCounters(row(), { highestModseq: 101n }), false)).toBe(true)
})

test('a STATUS without UIDVALIDITY does not count as another one', () => {
  expect(needsSync(row(), { ...same, uidValidity: 0n }, false)).toBe(false)
})

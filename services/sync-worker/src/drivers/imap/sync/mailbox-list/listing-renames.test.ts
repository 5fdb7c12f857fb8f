import { expect, test } from '@jest/globals'
import type { Listing, MailboxRow } from '../../../../store/mailboxes.ts'
import { findRenames, matchAppliedRename } from './listing.ts'

const row = (path: string, delimiter: string | null = '/') => ({ path, delimiter }) as MailboxRow
const listing = (path: string) => ({ path }) as Listing

test('matchAppliedRename: the mailbox and those below, no others', () => {
  const missing = [row('A'), row('A/B'), row('A/B/C'), row('AB'), row('Other/A')]
  const added = ['X/Y', 'X/Y/B', 'X/Y/B/C', 'X/YB', 'New'].map(listing)
  const followed = matchAppliedRename({ missing, added }, { from: 'A', to: 'X/Y' })
  expect(followed.map(({ row, listing }) => [row.path, listing.path])).toEqual([
    ['A', 'X/Y'],
    ['A/B', 'X/Y/B'],
    ['A/B/C', 'X/Y/B/C'],
  ])
})

test('matchAppliedRename: ignores mailboxes not listed under the new path', () => {
  const missing = [row('A.B', '.'), row('A.C', '.')]
  const followed = matchAppliedRename({ missing, added: [listing('Z.C')] }, { from: 'A', to: 'Z' })
  expect(followed.map(({ row }) => row.path)).toEqual(['A.C'])
})

const gone = (path: string, over: Partial<MailboxRow> = {}) =>
  ({ path, mailboxId: null, uidValidity: '1700000000', uidNext: '5', ...over }) as MailboxRow
const came = (path: string, mailboxId: string | null = null) => ({ path, mailboxId }) as Listing
const statusOf = (path: string, uidNext = 5, uidValidity = 1_700_000_000n) =>
  [path, { uidValidity, uidNext, messages: 4 }] as const
const pairs = (
  rows: MailboxRow[],
  added: Listing[],
  counters: ReturnType<typeof statusOf>[] = [],
): string[] =>
  findRenames(
    rows,
    { missing: rows.filter(({ path }) => path !== 'stays'), added },
    new Map(counters),
  ).map(({ row, listing }) => `${row.path} → ${listing.path}`)

test('findRenames: decided by MAILBOXID', () => {
  expect(pairs([gone('A', { mailboxId: 'm1' })], [came('B', 'm1')])).toEqual(['A → B'])
  expect(pairs([gone('A', { mailboxId: 'm1' })], [came('B', 'm2')], [statusOf('B')])).toEqual([])
})

test('findRenames: without MAILBOXID, a unique UIDVALIDITY proves a rename', () => {
  expect(
    pairs([gone('A')], [came('B'), came('C')], [statusOf('B'), statusOf('C', 5, 1_800_000_000n)]),
  ).toEqual(['A → B'])
  expect(pairs([gone('A')], [came('B')], [statusOf('B', 9)])).toEqual(['A → B'])
})

test('findRenames: a UIDVALIDITY of several mailboxes proves nothing', () => {
  expect(pairs([gone('A'), gone('stays')], [came('B')], [statusOf('B')])).toEqual([])
  expect(pairs([gone('A')], [came('B'), came('C')], [statusOf('B'), statusOf('C')])).toEqual([])
  expect(pairs([gone('A', { uidValidity: '1' })], [came('B')], [statusOf('B', 5, 1n)])).toEqual([])
})

test('findRenames: a decreased UIDNEXT means another mailbox', () => {
  expect(pairs([gone('A')], [came('B')], [statusOf('B', 4)])).toEqual([])
  expect(pairs([gone('A', { uidNext: '1' })], [came('B')], [statusOf('B', 1)])).toEqual([])
})

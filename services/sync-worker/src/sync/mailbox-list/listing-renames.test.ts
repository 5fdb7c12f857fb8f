import { expect, test } from '@jest/globals'
import type { Listing, MailboxRow } from '../../store/mailboxes.ts'
import { findRenames, matchAppliedRename } from './listing.ts'

const row = (path: string, delimiter: string | null = '/') => ({ path, delimiter }) as MailboxRow
const listing = (path: string) => ({ path }) as Listing

test('a renamed folder is followed with what is below it, and nothing else', () => {
  const missing = [row('A'), row('A/B'), row('A/B/C'), row('AB'), row('Other/A')]
  const added = ['X/Y', 'X/Y/B', 'X/Y/B/C', 'X/YB', 'New'].map(listing)
  const followed = matchAppliedRename({ missing, added }, { from: 'A', to: 'X/Y' })
  expect(followed.map(({ row, listing }) => [row.path, listing.path])).toEqual([
    ['A', 'X/Y'],
    ['A/B', 'X/Y/B'],
    ['A/B/C', 'X/Y/B/C'],
  ])
})

test('what is not listed under the new name is not followed', () => {
  const missing = [row('A.B', '.'), row('A.C', '.')]
  const followed = matchAppliedRename({ missing, added: [listing('Z.C')] }, { from: 'A', to: 'Z' })
  expect(followed.map(({ row }) => row.path)).toEqual(['A.C'])
})

const gone = (path: string, over: Partial<MailboxRow> = {}) =>
  ({ path, mailboxId: null, uidValidity: '1700000000', uidNext: '5', ...over }) as MailboxRow
const came = (path: string, mailboxId: string | null = null) => ({ path, mailboxId }) as Listing
const told = (path: string, uidNext = 5, uidValidity = 1_700_000_000n) =>
  [path, { uidValidity, uidNext, messages: 4 }] as const
const pairs = (
  rows: MailboxRow[],
  added: Listing[],
  counters: ReturnType<typeof told>[] = [],
): string[] =>
  findRenames(
    rows,
    { missing: rows.filter(({ path }) => path !== 'stays'), added },
    new Map(counters),
  ).map(({ row, listing }) => `${row.path} → ${listing.path}`)

test('an equal MAILBOXID proves a rename, another one disproves it', () => {
  expect(pairs([gone('A', { mailboxId: 'm1' })], [came('B', 'm1')])).toEqual(['A → B'])
  expect(pairs([gone('A', { mailboxId: 'm1' })], [came('B', 'm2')], [told('B')])).toEqual([])
})

test('where no MAILBOXID is told, a UIDVALIDITY of its own proves it', () => {
  expect(
    pairs([gone('A')], [came('B'), came('C')], [told('B'), told('C', 5, 1_800_000_000n)]),
  ).toEqual(['A → B'])
  expect(pairs([gone('A')], [came('B')], [told('B', 9)])).toEqual(['A → B'])
})

test('a UIDVALIDITY that others have, or that all have, proves nothing', () => {
  expect(pairs([gone('A'), gone('stays')], [came('B')], [told('B')])).toEqual([])
  expect(pairs([gone('A')], [came('B'), came('C')], [told('B'), told('C')])).toEqual([])
  expect(pairs([gone('A', { uidValidity: '1' })], [came('B')], [told('B', 5, 1n)])).toEqual([])
})

test('UIDs that begin anew are those of another mailbox', () => {
  expect(pairs([gone('A')], [came('B')], [told('B', 4)])).toEqual([])
  expect(pairs([gone('A', { uidNext: '1' })], [came('B')], [told('B', 1)])).toEqual([])
})

import { expect, test } from '@jest/globals'
import type { Listing, MailboxRow } from '../store/mailboxes.ts'
import { followRename } from './renames.ts'

const row = (path: string, delimiter: string | null = '/') => ({ path, delimiter }) as MailboxRow
const listing = (path: string) => ({ path }) as Listing

test('a renamed folder is followed with what is below it, and nothing else', () => {
  const missing = [row('A'), row('A/B'), row('A/B/C'), row('AB'), row('Other/A')]
  const added = ['X/Y', 'X/Y/B', 'X/Y/B/C', 'X/YB', 'New'].map(listing)
  const followed = followRename({ missing, added }, { from: 'A', to: 'X/Y' })
  expect(followed.map(({ row, listing }) => [row.path, listing.path])).toEqual([
    ['A', 'X/Y'],
    ['A/B', 'X/Y/B'],
    ['A/B/C', 'X/Y/B/C'],
  ])
})

test('what is not listed under the new name is not followed', () => {
  const missing = [row('A.B', '.'), row('A.C', '.')]
  const followed = followRename({ missing, added: [listing('Z.C')] }, { from: 'A', to: 'Z' })
  expect(followed.map(({ row }) => row.path)).toEqual(['A.C'])
})

import { expect, test } from '@jest/globals'
import type { ListedMailbox } from '@posthorn/backends'
import { isSelectable, type Listing, type MailboxRow } from '../../../../store/mailboxes.ts'
import { compareListing, describeListing } from './listing.ts'

const listed = (path: string, over: Partial<ListedMailbox> = {}): ListedMailbox => ({
  path,
  name: path,
  delimiter: '/',
  parentPath: '',
  attributes: [],
  subscribed: true,
  selectable: true,
  ...over,
})
const rowOf = (listing: Listing): MailboxRow =>
  ({ ...listing, id: listing.path, listed: true }) as unknown as MailboxRow

test('describeListing: INBOX in any case is the inbox', () => {
  expect(describeListing([listed('Inbox')], {})).toMatchObject([{ specialUse: '\\Inbox' }])
})

test('describeListing: sentMailPath overrides the special use of the server', () => {
  const mailboxes = [
    listed('Sent', { specialUse: '\\Sent', specialUseSource: 'extension' }),
    listed('Gesendet'),
  ]
  expect(describeListing(mailboxes, { sentMailPath: 'Gesendet' })).toMatchObject([
    { path: 'Sent', specialUse: null, specialUseSource: null },
    { path: 'Gesendet', specialUse: '\\Sent', specialUseSource: 'user' },
  ])
})

test('describeListing: an override of a missing path has no effect', () => {
  const [sent] = describeListing(
    [listed('Sent', { specialUse: '\\Sent', specialUseSource: 'extension' })],
    { sentMailPath: 'nowhere' },
  )
  expect(sent).toMatchObject({ specialUse: '\\Sent', specialUseSource: 'extension' })
})

test('describeListing: a mailbox listed twice counts once', () => {
  expect(describeListing([listed('INBOX'), listed('INBOX')], {})).toHaveLength(1)
})

test('describeListing: adds Noselect to an unselectable mailbox', () => {
  const [a] = describeListing([listed('a', { selectable: false })], {})
  expect(a && isSelectable(a)).toBe(false)
})

test('compareListing: ignores Marked and Unmarked', () => {
  const [listing] = describeListing(
    [listed('a', { attributes: ['\\Marked', '\\NoInferiors'] })],
    {},
  )
  expect(listing?.attributes).toEqual(['\\NoInferiors'])
  const before = [
    rowOf({ ...listed('a'), ...listing, attributes: ['\\UnMarked', '\\NoInferiors'] } as Listing),
  ]
  expect(compareListing(before, listing ? [listing] : [])).toMatchObject({ changed: [], added: [] })
})

test('compareListing: added, missing and changed mailboxes', () => {
  const before = describeListing([listed('INBOX'), listed('a'), listed('b')], {}).map(rowOf)
  const now = describeListing(
    [listed('INBOX'), listed('b', { subscribed: false }), listed('c')],
    {},
  )
  const { added, missing, changed } = compareListing(before, now)
  expect(added.map(({ path }) => path)).toEqual(['c'])
  expect(missing.map(({ path }) => path)).toEqual(['a'])
  expect(changed.map(({ row }) => row.path)).toEqual(['b'])
})

test('compareListing: empty for an equal listing', () => {
  const listings = describeListing([listed('INBOX'), listed('a')], {})
  expect(compareListing(listings.map(rowOf), listings)).toEqual({
    added: [],
    unselectable: [],
    missing: [],
    changed: [],
  })
})

test('compareListing: a mailbox that became unselectable is unselectable and added', () => {
  const before = describeListing([listed('a')], {}).map(rowOf)
  const now = describeListing([listed('a', { selectable: false, attributes: ['\\Noselect'] })], {})
  const { added, unselectable: gone } = compareListing(before, now)
  expect([added.length, gone.length]).toEqual([1, 1])
})

test('compareListing: without the stored inbox, no mailbox is missing', () => {
  const before = describeListing([listed('INBOX'), listed('a')], {}).map(rowOf)
  expect(compareListing(before, describeListing([listed('b')], {}))).toMatchObject({
    missing: [],
    added: [{ path: 'b' }],
  })
})

test('compareListing: without a stored inbox, others can be missing', () => {
  const before = describeListing([listed('a'), listed('b')], {}).map(rowOf)
  expect(compareListing(before, describeListing([listed('a')], {})).missing).toMatchObject([
    { path: 'b' },
  ])
})

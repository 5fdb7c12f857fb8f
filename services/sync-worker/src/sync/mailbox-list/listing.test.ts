import { expect, test } from '@jest/globals'
import type { ListedMailbox } from '@posthorn/backends'
import { isSelectable, type Listing, type MailboxRow } from '../../store/mailboxes.ts'
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

test('INBOX is the inbox in any case', () => {
  expect(describeListing([listed('Inbox')], {})).toMatchObject([{ specialUse: '\\Inbox' }])
})

test('the registration decides which mailbox is Sent, and no other one is then', () => {
  const mailboxes = [
    listed('Sent', { specialUse: '\\Sent', specialUseSource: 'extension' }),
    listed('Gesendet'),
  ]
  expect(describeListing(mailboxes, { sentMailPath: 'Gesendet' })).toMatchObject([
    { path: 'Sent', specialUse: null, specialUseSource: null },
    { path: 'Gesendet', specialUse: '\\Sent', specialUseSource: 'user' },
  ])
})

test('a path of the registration that does not exist changes nothing', () => {
  const [sent] = describeListing(
    [listed('Sent', { specialUse: '\\Sent', specialUseSource: 'extension' })],
    { sentMailPath: 'nowhere' },
  )
  expect(sent).toMatchObject({ specialUse: '\\Sent', specialUseSource: 'extension' })
})

test('a mailbox listed twice counts once', () => {
  expect(describeListing([listed('INBOX'), listed('INBOX')], {})).toHaveLength(1)
})

test('a mailbox that cannot be selected says so, whatever its attributes', () => {
  const [a] = describeListing([listed('a', { selectable: false })], {})
  expect(a && isSelectable(a)).toBe(false)
})

test('a mark that something came is no difference, also to what was stored with one', () => {
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

test('what came, went and looks different is told apart', () => {
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

test('the same listing changes nothing', () => {
  const listings = describeListing([listed('INBOX'), listed('a')], {})
  expect(compareListing(listings.map(rowOf), listings)).toEqual({
    added: [],
    unselectable: [],
    missing: [],
    changed: [],
  })
})

test('a mailbox that was deleted above its children went, and came as one without messages', () => {
  const before = describeListing([listed('a')], {}).map(rowOf)
  const now = describeListing([listed('a', { selectable: false, attributes: ['\\Noselect'] })], {})
  const { added, unselectable: gone } = compareListing(before, now)
  expect([added.length, gone.length]).toEqual([1, 1])
})

test('a listing that lacks the inbox says nothing about what else it lacks', () => {
  const before = describeListing([listed('INBOX'), listed('a')], {}).map(rowOf)
  expect(compareListing(before, describeListing([listed('b')], {}))).toMatchObject({
    missing: [],
    added: [{ path: 'b' }],
  })
})

test('where there never was an inbox its absence says nothing', () => {
  const before = describeListing([listed('a'), listed('b')], {}).map(rowOf)
  expect(compareListing(before, describeListing([listed('a')], {})).missing).toMatchObject([
    { path: 'b' },
  ])
})

import { expect, test } from '@jest/globals'
import type { MailboxEntry } from '../../../data/mail.ts'
import { firstPath, mailboxTree, moveChoices } from './mailbox-tree.ts'

const box = (path: string, more: Partial<MailboxEntry> = {}) =>
  ({ path, delimiter: '/', name: path, ...more }) as MailboxEntry

const mailboxes = [
  box('Trash', { specialUse: '\\Trash' }),
  box('Clients/2026'),
  box('Clients-old'),
  box('Clients', { noSelect: true }),
  box('Sent', { specialUse: '\\Sent' }),
  box('INBOX/Receipts'),
  box('INBOX', { specialUse: '\\Inbox' }),
]

test('mailboxTree: special uses come first, each mailbox precedes those below it', () => {
  const tree = mailboxTree(mailboxes).map(({ mailbox: { path }, depth }) => [path, depth])
  expect(tree).toEqual([
    ['INBOX', 0],
    ['INBOX/Receipts', 1],
    ['Sent', 0],
    ['Trash', 0],
    ['Clients', 0],
    ['Clients/2026', 1],
    ['Clients-old', 0],
  ])
})

test('mailboxTree: a server without levels has no depth', () => {
  expect(mailboxTree([box('a/b', { delimiter: null })])).toMatchObject([{ depth: 0 }])
})

test('firstPath: the Inbox, otherwise the first mailbox that can have messages', () => {
  expect(firstPath(mailboxes)).toBe('INBOX')
  expect(firstPath(mailboxes.slice(3, 5))).toBe('Sent')
  expect(firstPath([])).toBeUndefined()
})

test('moveChoices: leaves out the own mailbox and mailboxes without messages', () => {
  const paths = moveChoices(mailboxes, 'INBOX').map(({ value }) => value)
  expect(paths).toEqual(['INBOX/Receipts', 'Sent', 'Trash', 'Clients/2026', 'Clients-old'])
})

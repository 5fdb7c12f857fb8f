import { expect, test } from '@jest/globals'
import { messageLabels, type GmailMailbox, mailboxLabel } from './gmail.ts'

const mailbox = (path: string, use: string | null = null, ...attributes: string[]) =>
  ({
    path,
    specialUse: use,
    specialUseSource: use === null ? null : path === 'INBOX' ? 'name' : 'extension',
    attributes,
  }) satisfies GmailMailbox

test.each([
  ['INBOX', mailbox('INBOX', '\\Inbox'), '\\Inbox'],
  ['All Mail', mailbox('[Gmail]/All Mail', '\\All'), undefined],
  ['Sent', mailbox('[Gmail]/Gesendet', '\\Sent'), '\\Sent'],
  ['Drafts', mailbox('[Gmail]/Drafts', '\\Drafts'), '\\Draft'],
  ['Starred', mailbox('[Google Mail]/Starred', '\\Flagged'), '\\Starred'],
  ['Important', mailbox('[Gmail]/Wichtig', null, '\\Important'), '\\Important'],
  ['Spam', mailbox('[Gmail]/Spam', '\\Junk'), '\\Junk'],
  ['Trash', mailbox('[Gmail]/Papierkorb', '\\Trash'), '\\Trash'],
  ['Chats', mailbox('[Gmail]/Chats'), undefined],
  ['the root of the system labels', mailbox('[Gmail]', null, '\\Noselect'), undefined],
  ['a label', mailbox('Work/Later'), 'Work/Later'],
  ['a label that exists only as a parent', mailbox('Work', null, '\\NoSelect'), undefined],
])('mailboxLabel: label of %s', (_name, row, label) => {
  expect(mailboxLabel(row)).toBe(label)
})

test.each(['name', 'user'] as const)(
  'mailboxLabel: a trash determined by %s is an ordinary label',
  (source) => {
    expect(mailboxLabel({ ...mailbox('Müll', '\\Trash'), specialUseSource: source })).toBe('Müll')
  },
)

test('messageLabels: removes duplicates and adds the label of the mailbox', () => {
  expect(messageLabels(mailbox('Work'), ['\\INBOX', 'b', 'Work', '\\Inbox'])).toEqual([
    'Work',
    '\\Inbox',
    'b',
  ])
  expect(messageLabels(mailbox('Work'), [])).toEqual(['Work'])
  expect(messageLabels(mailbox('[Gmail]/All Mail', '\\All'), [])).toEqual([])
})

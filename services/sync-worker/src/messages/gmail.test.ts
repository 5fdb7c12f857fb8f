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
  ['the root of them', mailbox('[Gmail]', null, '\\Noselect'), undefined],
  ['a label', mailbox('Work/Later'), 'Work/Later'],
  [
    'a label that does not exist but for those below it',
    mailbox('Work', null, '\\NoSelect'),
    undefined,
  ],
])('the label of %s', (_name, given, label) => {
  expect(mailboxLabel(given)).toBe(label)
})

test.each(['name', 'user'] as const)('a label that is a trash by %s is a label', (source) => {
  expect(mailboxLabel({ ...mailbox('Müll', '\\Trash'), specialUseSource: source })).toBe('Müll')
})

test('labels are told once, in one spelling, with that of the mailbox', () => {
  expect(messageLabels(mailbox('Work'), ['\\INBOX', 'b', 'Work', '\\Inbox'])).toEqual([
    'Work',
    '\\Inbox',
    'b',
  ])
  expect(messageLabels(mailbox('Work'), [])).toEqual(['Work'])
  expect(messageLabels(mailbox('[Gmail]/All Mail', '\\All'), [])).toEqual([])
})

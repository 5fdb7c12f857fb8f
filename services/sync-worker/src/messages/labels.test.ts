import { expect, test } from '@jest/globals'
import { labelsIn, type LabelledMailbox, ownLabel } from './labels.ts'

const mailbox = (path: string, use: string | null = null, ...attributes: string[]) =>
  ({
    path,
    specialUse: use,
    specialUseSource: use === null ? null : path === 'INBOX' ? 'name' : 'extension',
    attributes,
  }) satisfies LabelledMailbox

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
  expect(ownLabel(given)).toBe(label)
})

test.each(['name', 'user'] as const)('a label that is a trash by %s is a label', (source) => {
  expect(ownLabel({ ...mailbox('Müll', '\\Trash'), specialUseSource: source })).toBe('Müll')
})

test('labels are told once, in one spelling, with that of the mailbox', () => {
  expect(labelsIn(mailbox('Work'), ['\\INBOX', 'b', 'Work', '\\Inbox'])).toEqual([
    'Work',
    '\\Inbox',
    'b',
  ])
  expect(labelsIn(mailbox('Work'), [])).toEqual(['Work'])
  expect(labelsIn(mailbox('[Gmail]/All Mail', '\\All'), [])).toEqual([])
})

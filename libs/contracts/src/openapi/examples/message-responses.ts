import { fromAda, ids, jane, messageIds, messageText } from './cast.ts'

const older = {
  id: ids.olderMessage,
  uid: 480,
  path: 'INBOX',
  date: '2030-01-30T16:05:00.000Z',
  flags: ['\\Seen', '\\Answered'],
  answered: true,
  size: 2_411,
  subject: 'Figures',
  from: { name: 'News', address: 'news@example.net' },
  to: [jane],
  messageId: '<77a0-figures@mail.example.net>',
  text: { id: 'AAAAAQAAAeAx', encodedSize: { plain: 310 } },
}
const page = { page: 0, pages: 1, nextPageCursor: null, prevPageCursor: null }
const inbox = {
  path: 'INBOX',
  delimiter: '/',
  name: 'INBOX',
  listed: true,
  subscribed: true,
  specialUse: '\\Inbox',
  specialUseSource: 'extension',
  messages: 42,
  uidNext: 482,
}

/** Examples of responses of the operations on mailboxes and messages, by operation id. */
export const messageResponses = {
  listMailboxes: {
    mailboxes: [
      { ...inbox, status: { messages: 42, unseen: 5 } },
      {
        path: 'Clients/Example',
        delimiter: '/',
        parentPath: 'Clients',
        name: 'Example',
        listed: true,
        subscribed: true,
        messages: 12,
        uidNext: 31,
        status: { messages: 12, unseen: 0 },
      },
    ],
  },
  createMailbox: { path: 'Clients/Example', mailboxId: 'F2212ea87-6097', created: true },
  updateMailbox: { path: 'Clients', newPath: 'Customers', renamed: true },
  deleteMailbox: { path: 'Clients/Example', deleted: true },
  listMessages: { total: 2, ...page, messages: [fromAda, older] },
  searchMessages: { total: 1, ...page, messages: [fromAda] },
  getMessage: {
    ...fromAda,
    text: { ...fromAda.text, plain: messageText, hasMore: false },
    specialUse: '\\Inbox',
    headers: {
      from: ['Ada <ada@example.org>'],
      to: ['Jane <jane@example.com>'],
      subject: ['Invoice of January'],
      'message-id': [messageIds.fromAda],
    },
  },
  getMessageSource: [
    'From: Ada <ada@example.org>',
    'To: Jane <jane@example.com>',
    'Subject: Hello',
    `Message-ID: ${messageIds.fromAda}`,
    'Date: Thu, 31 Jan 2030 07:58:00 +0000',
    'Content-Type: text/plain; charset=utf-8',
    '',
    'Dear Jane, how are you? Ada',
    '',
  ].join('\r\n'),
  getText: {
    plain: messageText,
    html: '<p>Dear Jane, please find the invoice attached. Ada</p>',
    hasMore: false,
  },
  getAttachment: 'customer,amount\nExample Ltd,120.00\n',
  updateMessage: { flags: { add: true, result: ['\\Seen'] } },
  moveMessage: { path: 'Archive', id: ids.archivedMessage, uid: 12 },
  deleteMessage: {
    deleted: false,
    moved: { destination: 'Trash', message: ids.trashedMessage },
  },
  updateMessages: { flags: { add: true } },
  moveMessages: { path: 'News', idMap: [[ids.olderMessage, 'AAAABgAAAAE']] },
  deleteMessages: {
    deleted: false,
    moved: { destination: 'Trash', idMap: [[ids.olderMessage, 'AAAABAAAAAg']] },
  },
  uploadMessage: {
    id: ids.draft,
    path: 'Drafts',
    uid: 9,
    uidValidity: '1893456000',
    seq: 3,
    messageId: '<90de-draft@posthorn.example.com>',
  },
}

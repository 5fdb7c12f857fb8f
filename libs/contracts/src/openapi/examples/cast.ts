// Invented accounts, addresses and ids that occur in several examples of the API documentation.
// Host names are reserved for documentation (RFC 2606), IP addresses as well (RFC 5737).

/** Page counts in the example of a list that fits on its first page. */
export const onlyPage = (total: number) => ({ total, page: 0, pages: 1 })

export const masked = '******'
export const jane = { name: 'Jane', address: 'jane@example.com' }
export const ada = { name: 'Ada', address: 'ada@example.org' }

export const ids = {
  /** Id of an example message: the message from Ada in the Inbox of the account `jane`. */
  message: 'AAAAAQAAAeE',
  /** Id of an example message: an older message in the same mailbox as the message from Ada. */
  olderMessage: 'AAAAAQAAAeA',
  /** Id of the example message from Ada after it was moved to the archive. */
  archivedMessage: 'AAAABQAAAAw',
  /** Id of the example message from Ada after it was moved to the trash mailbox. */
  trashedMessage: 'AAAABAAAAAc',
  draft: 'AAAAAwAAAAk',
  text: 'AAAAAQAAAeExLjE',
  attachment: 'AAAAAQAAAeEy',
  submission: 'AAABuLcvxYDm0Q7K',
  export: 'exp_65b8e1a09f3c7d2e4b6a8c10',
  app: 'AAABkEr2oQAAAAAB',
  template: 'k3Zr0eW8Qm2nV6yTb1xS5g',
  route: 'AAABkEr2oQAAAAAC',
  event: '3f0c2c1e-6a0b-4d0e-9a53-5f7f0a4f2d11',
  delivery: '8d2f6a3c-1b5e-4c8f-b0a7-2e9d4c6b7a15',
  replayedDelivery: 'e1b7c9d4-5a2f-4e6b-8c3d-7f0a1b2c3d4e',
  worker: '0b7c5f0e-5d2c-4c57-9f0e-1f6a3c9d2b11',
  job: 'b3a1d0c2-7e4f-4d5a-8c6b-9f0e1d2c3b4a',
  replay: '5c9e1d7a-3f4b-4a2c-9e8d-6b0f1a2c3e47',
  /** Invented value of an access token, and its SHA-256. */
  tokenValue: '0123456789abcdef'.repeat(4),
  /** Id of the example access token if it was imported from EmailEngine. */
  importedToken: '4884fdaafea47c29fea7159d0daddd9c085d6200e1359e85bb81736af6b7c837',
  token: 'a8ae6e6ee929abea3afcfc5258c8ccd6f85273e0d4626d26c7279f3250f77c8e',
} as const

/** Public sealing key of another instance, and a shortened text that is sealed with it. */
export const otherInstance = {
  id: 'b973953f84e249cc',
  publicKey: 'etwIthuFKzG6IROQikrJ-Mh7Uw_2yNFP2BVYC_7cySg',
  sealed: 'eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkdDTSJ9..Zm9v.YmFy.YmF6',
} as const

export const messageIds = {
  fromAda: '<3f2a-invoice@mail.example.org>',
  toAda: '<5b1c-hello@posthorn.example.com>',
} as const

export const messageText = 'Dear Jane, please find the invoice attached. Ada'
/** Example message from Ada as an entry of a message list. */
export const fromAda = {
  id: ids.message,
  uid: 481,
  path: 'INBOX',
  date: '2030-01-31T07:58:00.000Z',
  flags: [],
  unseen: true,
  size: 18_342,
  subject: 'Invoice of January',
  from: ada,
  to: [jane],
  messageId: messageIds.fromAda,
  attachments: [
    {
      id: ids.attachment,
      contentType: 'application/pdf',
      encodedSize: 14_680,
      filename: 'invoice.pdf',
    },
  ],
  text: { id: ids.text, encodedSize: { plain: messageText.length } },
}

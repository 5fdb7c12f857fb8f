import { afterEach, expect, test } from '@jest/globals'
import {
  eventually,
  type ImapScript,
  type ImapScriptOptions,
  startImapScript,
} from '@posthorn/testkit'
import { ImapFlow } from 'imapflow'

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each[Symbol.asyncDispose]()
})

async function start(options: ImapScriptOptions = {}): Promise<ImapScript> {
  const server = await startImapScript(options)
  open.push(server)
  return server
}

async function connect(server: ImapScript, options: object = {}): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: server.host,
    port: server.port,
    secure: false,
    auth: { user: 'jane', pass: 'secret' },
    tls: { rejectUnauthorized: false },
    logger: false,
    disableAutoIdle: true,
    qresync: true,
    ...options,
  })
  client.on('error', () => undefined)
  await client.connect()
  open.push({ [Symbol.asyncDispose]: async () => client.close() })
  return client
}

const plainMessage = (subject: string) =>
  `From: "Doe, Jane" <jane@mail.test>\r\nTo: a@x, friends: b@x;\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@x>\r\n\r\nhello ${subject}\r\n`

const mixed = [
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/plain',
  '',
  'text',
  '--b',
  'Content-Type: message/rfc822',
  '',
  'Subject: inside',
  '',
  'deep',
  '--b--',
  '',
].join('\r\n')

test('startImapScript: accepts every mechanism, rejects a wrong password', async () => {
  const server = await start({
    capabilities: ['IMAP4rev1', 'AUTH=PLAIN', 'AUTH=XOAUTH2', 'STARTTLS', 'SASL-IR'],
  })
  const client = await connect(server)
  expect(server.sessions[0]).toMatchObject({ user: 'jane', secure: true })
  await client.logout()
  await connect(server, { auth: { user: 'jane', accessToken: 'secret' } })
  await expect(connect(server, { auth: { user: 'jane', pass: 'no' } })).rejects.toMatchObject({
    authenticationFailed: true,
  })
  await expect(
    connect(server, { auth: { user: 'jane', accessToken: 'no' } }),
  ).rejects.toMatchObject({ authenticationFailed: true })
  const tls = await start({ users: { jane: 'another' } })
  await connect(tls, {
    port: tls.securePort,
    secure: true,
    auth: { user: 'jane', pass: 'another' },
    tls: { ca: tls.cert },
  })
})

test('startImapScript: lists, creates, renames with children, and deletes mailboxes', async () => {
  const server = await start({
    mailboxes: { Sent: { attributes: ['\\Sent'] }, 'Ä & B': {}, 'Ä & B/c': {} },
  })
  const client = await connect(server)
  const list = async () => (await client.list()).map(({ path }) => path).toSorted()
  expect(await list()).toEqual(['INBOX', 'Sent', 'Ä & B', 'Ä & B/c'])
  await client.mailboxRename('Ä & B', 'Neu')
  await client.mailboxCreate('Neu/日本')
  await client.mailboxDelete('Sent')
  expect(await list()).toEqual(['INBOX', 'Neu', 'Neu/c', 'Neu/日本'])
  expect(await client.status('Neu/c', { messages: true, uidNext: true })).toMatchObject({
    messages: 0,
    uidNext: 1,
  })
  await expect(client.mailboxOpen('Sent')).rejects.toMatchObject({
    serverResponseCode: 'NONEXISTENT',
  })
})

test('startImapScript: fetches descriptions and contents of messages', async () => {
  const server = await start({ capabilities: ['IMAP4rev1', 'OBJECTID', 'CONDSTORE', 'ENABLE'] })
  const date = new Date('2024-02-29T12:00:00Z')
  const { emailId } = server
    .mailbox('INBOX')
    .append(plainMessage('one'), { flags: ['\\Seen', 'work'], date })
  server.mailbox('INBOX').append(mixed)
  const client = await connect(server)
  await client.mailboxOpen('INBOX')
  const [one, two] = await client.fetchAll('1:*', {
    envelope: true,
    flags: true,
    internalDate: true,
    size: true,
    bodyStructure: true,
    threadId: true,
  })
  expect(one).toMatchObject({
    uid: 1,
    emailId,
    flags: new Set(['\\Seen', 'work']),
    internalDate: date,
    size: plainMessage('one').length,
    envelope: {
      subject: 'one',
      from: [{ name: 'Doe, Jane', address: 'jane@mail.test' }],
      messageId: '<one@x>',
    },
    modseq: expect.any(BigInt),
  })
  expect(two?.bodyStructure?.childNodes).toMatchObject([
    { part: '1', type: 'text/plain' },
    { part: '2', type: 'message/rfc822' },
  ])
  const part = await client.fetchOne('2', {
    bodyParts: ['1', '2.1', '2.mime'],
    headers: ['content-type'],
  })
  const texts = Object.fromEntries(
    [...(part && part.bodyParts ? part.bodyParts : [])].map(([key, value]) => [
      key,
      value?.toString(),
    ]),
  )
  expect(texts).toEqual({
    '1': 'text',
    '2.1': 'deep',
    '2.mime': 'Content-Type: message/rfc822\r\n\r\n',
  })
  expect(part && part.headers?.toString()).toContain('boundary=b')
})

test('startImapScript: notifies a client in IDLE, and of earlier changes afterwards', async () => {
  const server = await start()
  const inbox = server.mailbox('INBOX')
  inbox.append(plainMessage('one'))
  const client = await connect(server, { qresync: false })
  await client.mailboxOpen('INBOX')
  const notifications: unknown[] = []
  client.on('exists', ({ count }) => notifications.push(['exists', count]))
  client.on('expunge', ({ seq }) => notifications.push(['expunge', seq]))
  client.on('flags', ({ uid, flags }) => notifications.push(['flags', uid, [...flags]]))
  inbox.append(plainMessage('two'))
  void client.idle()
  await eventually(() => expect(notifications).toEqual([['exists', 2]]))
  inbox.changeFlags(1, { add: ['\\Flagged'] })
  await eventually(() => expect(notifications).toContainEqual(['flags', 1, ['\\Flagged']]))
  inbox.expunge(1)
  await eventually(() => expect(notifications).toContainEqual(['expunge', 1]))
  inbox.append(plainMessage('three'))
  await client.noop()
  await eventually(() => expect(notifications.at(-1)).toEqual(['exists', 2]))
})

test('startImapScript: searches, flags, copies, moves and expunges messages', async () => {
  const server = await start({ mailboxes: ['Archive'] })
  const inbox = server.mailbox('INBOX')
  for (const subject of ['one', 'two', 'three', 'four']) inbox.append(plainMessage(subject))
  const client = await connect(server)
  await client.mailboxOpen('INBOX')
  expect(await client.search({ subject: 'T' }, { uid: true })).toEqual([2, 3])
  expect(
    await client.search(
      { or: [{ body: 'one' }, { header: { 'message-id': 'four' } }], not: { uid: '1' } },
      { uid: true },
    ),
  ).toEqual([4])
  await client.messageFlagsAdd('1:2', ['\\Seen'], { uid: true })
  expect(await client.search({ seen: false }, { uid: true })).toEqual([3, 4])
  expect(await client.messageMove('1,3', 'Archive', { uid: true })).toMatchObject({
    uidMap: new Map([
      [1, 1],
      [3, 2],
    ]),
  })
  await client.messageCopy('4', 'Archive', { uid: true })
  await client.messageDelete('2', { uid: true })
  expect(inbox.messages.map(({ uid }) => uid)).toEqual([4])
  expect(server.mailbox('Archive').messages).toHaveLength(3)
  expect(await client.append('Archive', plainMessage('five'), ['\\Draft'])).toMatchObject({
    uid: 4,
  })
  expect(server.mailbox('Archive').message(4).flags).toEqual(new Set(['\\Draft']))
})

test('startImapScript: QRESYNC reports changed and vanished messages', async () => {
  const server = await start()
  const inbox = server.mailbox('INBOX')
  for (const subject of ['one', 'two', 'three']) inbox.append(plainMessage(subject))
  const { highestModseq } = inbox
  inbox.expunge(2)
  inbox.changeFlags(3, { add: ['\\Seen'] })
  const client = await connect(server)
  const expunged: unknown[] = []
  client.on('expunge', ({ uid, vanished, earlier }) => expunged.push([uid, vanished, earlier]))
  await client.mailboxOpen('INBOX')
  const changed = await client.fetchAll(
    '1:*',
    { uid: true, flags: true },
    { uid: true, changedSince: highestModseq },
  )
  expect(changed.map(({ uid }) => uid)).toEqual([3])
  expect(expunged).toEqual([[2, true, true]])
})

test('startImapScript: has Gmail labels and ids if X-GM-EXT-1 is given', async () => {
  const server = await start({ capabilities: ['IMAP4rev1', 'X-GM-EXT-1'] })
  server
    .mailbox('INBOX')
    .append(plainMessage('one'), { labels: ['\\Inbox', 'Öl'], emailId: '17', threadId: '18' })
  const client = await connect(server)
  await client.mailboxOpen('INBOX')
  expect(await client.fetchOne('1', { labels: true, threadId: true })).toMatchObject({
    emailId: '17',
    threadId: '18',
    labels: new Set(['\\Inbox', 'Öl']),
  })
  await client.messageFlagsAdd('1', ['neu'], { useLabels: true })
  expect(server.mailbox('INBOX').message(1).labels).toEqual(new Set(['\\Inbox', 'Öl', 'neu']))
  expect(await client.search({ gmraw: 'one' })).toEqual([1])
})

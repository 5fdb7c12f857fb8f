import { expect, test } from '@jest/globals'
import { imapFaults } from '@posthorn/testkit'
import { connect, inbox, letter, start, inTime } from './fault-setup.ts'

const { omits, rejects, replaces, replies, times } = imapFaults

test.each([
  ['0', '[UIDVALIDITY 0]'],
  ['text', '[UIDVALIDITY x]'],
  ['negative', '[UIDVALIDITY -5]'],
  ['missing', '[NOSUCHCODE]'],
])(
  'MailSession.select: UIDVALIDITY is %s, fails, and a later valid one succeeds',
  async (_, code) => {
    const server = await start(1)
    server.on('SELECT', times(1, replaces(/\[UIDVALIDITY \d+\]/, code)))
    const session = await connect(server)
    await expect(session.select('INBOX')).rejects.toMatchObject({
      kind: 'unreachable',
      code: 'NoUidValidity',
    })
    await expect(session.searchUids({ all: true })).rejects.toMatchObject({ name: 'AppError' })
    expect(await session.select('INBOX')).toMatchObject({ messages: 1 })
  },
)

test('MailSession.select: UIDVALIDITY of any value, is returned unchanged', async () => {
  const server = await start(1)
  const session = await connect(server)
  for (const uidValidity of [7, 900, 3, 4_294_967_295, '99999999999', 3, 7]) {
    server.mailbox('INBOX').uidValidity = uidValidity
    expect(await session.select('INBOX')).toMatchObject({ uidValidity: BigInt(uidValidity) })
    expect(await session.status('INBOX')).toMatchObject({ uidValidity: BigInt(uidValidity) })
  }
})

test('fetchMessages: mailbox renumbered meanwhile, fails', async () => {
  const server = await start()
  server.mailbox('INBOX').append(letter('big', 'x'.repeat(3_000_000)))
  const session = await inbox(server)
  const { content } = await session.downloadSource(1)
  server.mailbox('INBOX').uidValidity = 99
  await session.select('INBOX')
  await expect(Array.fromAsync(content)).rejects.toMatchObject({ kind: 'unavailable' })
})

test.each([
  ['0', replaces(/UIDNEXT \d+/, 'UIDNEXT 0')],
  ['missing', omits(/UIDNEXT/)],
  ['too low', replaces(/UIDNEXT \d+/, 'UIDNEXT 1')],
])('MailSession.select: UIDNEXT is %s, messages stay visible', async (_, hook) => {
  const server = await start(3)
  server.on('SELECT', hook)
  const session = await connect(server)
  expect((await session.select('INBOX')).uidNext).toBeLessThan(2)
  expect(await session.searchUids({ from: 2 })).toEqual([[2, 3]])
})

test('MailSession.select: mod-sequence lower, beyond 2^53, fractional or missing, is handled', async () => {
  const server = await start(1)
  const box = server.mailbox('INBOX')
  const session = await connect(server)
  for (const highestModseq of [90n, 12n, 9_007_199_254_740_993n]) {
    box.highestModseq = highestModseq
    expect(await session.select('INBOX')).toMatchObject({ highestModseq })
  }
  const off = server.on('SELECT', replaces(/HIGHESTMODSEQ \d+/, 'HIGHESTMODSEQ 9.3736e+06'))
  expect((await session.select('INBOX')).highestModseq).toBeUndefined()
  off()
  box.noModseq = true
  expect((await session.select('INBOX')).highestModseq).toBeUndefined()
  await expect(Array.fromAsync(session.changesSince(1n))).rejects.toMatchObject({
    code: 'MissingServerExtension',
  })
})

test.each([
  ['responds with BAD', rejects('BAD [CLIENTBUG] CHANGEDSINCE')],
  ['responds with NO', rejects('NO [SERVERBUG] Server error')],
])('changesSince: server that %s, fails with its text', async (_, hook) => {
  const server = await start(2)
  const session = await inbox(server)
  server.on('FETCH', hook)
  await expect(Array.fromAsync(session.changesSince(1n))).rejects.toMatchObject({
    name: 'AppError',
    extras: { info: { response: expect.any(String) } },
  })
  await session.ping()
})

test('MailSession.select: listed but missing mailbox, is FolderNotFound', async () => {
  const server = await start(0, { mailboxes: ['Phantom'] })
  const session = await connect(server)
  expect((await session.listMailboxes()).map(({ path }) => path)).toContain('Phantom')
  server.on('SELECT', rejects("NO [NONEXISTENT] Mailbox doesn't exist"))
  await expect(session.select('Phantom')).rejects.toMatchObject({
    kind: 'not-found',
    code: 'FolderNotFound',
  })
})

test('MailSession: selected mailbox deleted or renamed by another client, calls fail without a hang', async () => {
  const server = await start(0, { mailboxes: ['Gone', 'Old'] })
  const session = await connect(server)
  await session.select('Gone')
  server.deleteMailbox('Gone')
  server.on('FETCH', rejects('NO [NONEXISTENT] Mailbox was deleted'))
  await expect(Array.fromAsync(session.fetchMessages([[1, 1]]))).rejects.toMatchObject({
    name: 'AppError',
  })
  await expect(session.select('Gone')).rejects.toMatchObject({ code: 'FolderNotFound' })
  server.renameMailbox('Old', 'New')
  await expect(session.status('Old')).rejects.toMatchObject({ code: 'FolderNotFound' })
  expect(await session.select('New')).toMatchObject({ messages: 0 })
})

test('createMailbox: all mailboxes below INBOX, lists, creates and selects them', async () => {
  const server = await start(0, { prefix: 'INBOX.', delimiter: '.', mailboxes: ['INBOX.Sent'] })
  const session = await connect(server)
  const { path } = await session.createMailbox('Rechnungen')
  expect(path).toBe('INBOX.Rechnungen')
  expect(await session.select(path)).toMatchObject({ messages: 0 })
  expect((await session.listMailboxes()).map((mailbox) => mailbox.path).toSorted()).toEqual([
    'INBOX',
    'INBOX.Rechnungen',
    'INBOX.Sent',
  ])
})

test('createMailbox: server without hierarchy, lists, creates and selects mailboxes', async () => {
  const server = await start(0, { delimiter: '', mailboxes: ['a/b.c'] })
  const session = await connect(server)
  expect(await session.listMailboxes()).toContainEqual(
    expect.objectContaining({ path: 'a/b.c', name: 'a/b.c', delimiter: null, parentPath: '' }),
  )
  expect(await session.select('a/b.c')).toMatchObject({ messages: 0 })
})

test('listMailboxes: two mailboxes for sent mail and two INBOX, returns both and one', async () => {
  const server = await start(0, {
    mailboxes: { 'Sent Items': { attributes: ['\\Sent'] }, Sent: { attributes: ['\\Sent'] } },
  })
  server.on('LIST', async (command) => {
    const lines = await command.defaultReply()
    return [...lines.slice(0, -1), '* LIST () "/" Inbox', ...lines.slice(-1)]
  })
  const listed = await (await connect(server)).listMailboxes()
  expect(listed.filter(({ path }) => path.startsWith('Sent'))).toHaveLength(2)
  expect(listed.filter(({ path }) => /^inbox$/i.test(path))).toHaveLength(1)
})

test('listMailboxes: empty list, is unreachable', async () => {
  const server = await start()
  const session = await connect(server)
  server.on('LIST', replies('{tag} OK done'))
  await expect(session.listMailboxes()).rejects.toMatchObject({ kind: 'unreachable' })
})

test('listMailboxes: 25,000 mailboxes, succeeds, a longer list fails', async () => {
  const server = await start()
  const session = await connect(server)
  const lines = Array.from({ length: 24_999 }, (_, n) => `* LIST () "/" "m${n}"`)
  server.on('LIST', replies('* LIST () "/" INBOX', ...lines, '{tag} OK done'))
  const listed = await inTime(session.listMailboxes())
  expect(listed).toHaveLength(25_000)
  expect(listed.map(({ path }) => path)).toContain('INBOX')
  server.on('LIST', replies('* LIST () "/" INBOX', '* LIST () "/" more', ...lines, '{tag} OK done'))
  await expect(inTime(session.listMailboxes())).rejects.toMatchObject({
    kind: 'unreachable',
  })
})

test('changeFlags: mailbox selected read-only by the server, is rejected', async () => {
  const server = await start(1)
  server.on('SELECT', replaces(/\[READ-WRITE\]/, '[READ-ONLY]'))
  server.on('STORE', rejects('NO [READ-ONLY] Mailbox is read-only'))
  const session = await inbox(server)
  await expect(session.changeFlags([[1, 1]], { add: ['\\Seen'] })).rejects.toMatchObject({
    kind: 'rejected',
  })
})

import { expect, test } from '@jest/globals'
import { imapFaults } from '@posthorn/testkit'
import { connect, inbox, letter, start, inTime } from './stage.ts'

const { omits, rejects: refuses, replaces, replies: says, times } = imapFaults

test.each([
  ['0', '[UIDVALIDITY 0]'],
  ['text', '[UIDVALIDITY x]'],
  ['negative', '[UIDVALIDITY -5]'],
  ['none at all', '[NOSUCHCODE]'],
])('a UIDVALIDITY that is %s opens nothing, and the next may be right', async (_, code) => {
  const server = await start(1)
  server.on('SELECT', times(1, replaces(/\[UIDVALIDITY \d+\]/, code)))
  const session = await connect(server)
  await expect(session.select('INBOX')).rejects.toMatchObject({
    kind: 'unreachable',
    code: 'NoUidValidity',
  })
  await expect(session.searchUids({ all: true })).rejects.toMatchObject({ name: 'AppError' })
  expect(await session.select('INBOX')).toMatchObject({ messages: 1 })
})

test('a UIDVALIDITY is told as it is: higher, lower, beyond 32 bits, or another each time', async () => {
  const server = await start(1)
  const session = await connect(server)
  for (const uidValidity of [7, 900, 3, 4_294_967_295, '99999999999', 3, 7]) {
    server.mailbox('INBOX').uidValidity = uidValidity
    expect(await session.select('INBOX')).toMatchObject({ uidValidity: BigInt(uidValidity) })
    expect(await session.status('INBOX')).toMatchObject({ uidValidity: BigInt(uidValidity) })
  }
})

test('what began before the mailbox was renumbered is not mixed with what it holds now', async () => {
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
  ['behind', replaces(/UIDNEXT \d+/, 'UIDNEXT 1')],
])('a UIDNEXT that is %s hides no message', async (_, hook) => {
  const server = await start(3)
  server.on('SELECT', hook)
  const session = await connect(server)
  expect((await session.select('INBOX')).uidNext).toBeLessThan(2)
  expect(await session.searchUids({ from: 2 })).toEqual([[2, 3]])
})

test('a mod-sequence may fall, be beyond 2^53, a float, or not be there', async () => {
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
  ['says BAD to it', refuses('BAD [CLIENTBUG] CHANGEDSINCE')],
  ['says NO to it', refuses('NO [SERVERBUG] Server error')],
])('a server that has mod-sequences and %s fails with its words', async (_, hook) => {
  const server = await start(2)
  const session = await inbox(server)
  server.on('FETCH', hook)
  await expect(Array.fromAsync(session.changesSince(1n))).rejects.toMatchObject({
    name: 'AppError',
    extras: { info: { response: expect.any(String) } },
  })
  await session.ping()
})

test('a phantom that is listed and cannot be opened is not found', async () => {
  const server = await start(0, { mailboxes: ['Phantom'] })
  const session = await connect(server)
  expect((await session.listMailboxes()).map(({ path }) => path)).toContain('Phantom')
  server.on('SELECT', refuses("NO [NONEXISTENT] Mailbox doesn't exist"))
  await expect(session.select('Phantom')).rejects.toMatchObject({
    kind: 'not-found',
    code: 'FolderNotFound',
  })
})

test('a mailbox that is deleted or renamed while it is open ends in an error, not in a hang', async () => {
  const server = await start(0, { mailboxes: ['Gone', 'Old'] })
  const session = await connect(server)
  await session.select('Gone')
  server.deleteMailbox('Gone')
  server.on('FETCH', refuses('NO [NONEXISTENT] Mailbox was deleted'))
  await expect(Array.fromAsync(session.fetchMessages([[1, 1]]))).rejects.toMatchObject({
    name: 'AppError',
  })
  await expect(session.select('Gone')).rejects.toMatchObject({ code: 'FolderNotFound' })
  server.renameMailbox('Old', 'New')
  await expect(session.status('Old')).rejects.toMatchObject({ code: 'FolderNotFound' })
  expect(await session.select('New')).toMatchObject({ messages: 0 })
})

test('a server whose mailboxes are all below INBOX lists, makes and opens them', async () => {
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

test('a server without levels lists, makes and opens mailboxes', async () => {
  const server = await start(0, { delimiter: '', mailboxes: ['a/b.c'] })
  const session = await connect(server)
  expect(await session.listMailboxes()).toContainEqual(
    expect.objectContaining({ path: 'a/b.c', name: 'a/b.c', delimiter: null, parentPath: '' }),
  )
  expect(await session.select('a/b.c')).toMatchObject({ messages: 0 })
})

test('of two mailboxes for sent mail each is listed, and one INBOX of two', async () => {
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

test('an empty list is no list', async () => {
  const server = await start()
  const session = await connect(server)
  server.on('LIST', says('{tag} OK done'))
  await expect(session.listMailboxes()).rejects.toMatchObject({ kind: 'unreachable' })
})

test('a list of 25,000 mailboxes is read whole, a longer one is refused', async () => {
  const server = await start()
  const session = await connect(server)
  const lines = Array.from({ length: 24_999 }, (_, n) => `* LIST () "/" "m${n}"`)
  server.on('LIST', says('* LIST () "/" INBOX', ...lines, '{tag} OK done'))
  const listed = await inTime(session.listMailboxes())
  expect(listed).toHaveLength(25_000)
  expect(listed.map(({ path }) => path)).toContain('INBOX')
  server.on('LIST', says('* LIST () "/" INBOX', '* LIST () "/" more', ...lines, '{tag} OK done'))
  await expect(inTime(session.listMailboxes())).rejects.toMatchObject({
    kind: 'unreachable',
  })
})

test('a mailbox that opens for reading only, unasked, says so when it is written to', async () => {
  const server = await start(1)
  server.on('SELECT', replaces(/\[READ-WRITE\]/, '[READ-ONLY]'))
  server.on('STORE', refuses('NO [READ-ONLY] Mailbox is read-only'))
  const session = await inbox(server)
  await expect(session.changeFlags([[1, 1]], { add: ['\\Seen'] })).rejects.toMatchObject({
    kind: 'rejected',
  })
})

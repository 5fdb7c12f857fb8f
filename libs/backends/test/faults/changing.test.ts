import { expect, test } from '@jest/globals'
import { imapFaults, usualCapabilities } from '@posthorn/testkit'
import { connect, distort, inbox, letter, start, inTime } from './fault-setup.ts'

const { truncatesAfter, rejects, replies, sendsRaw } = imapFaults
const rfc822 = Buffer.from(letter('new'))

test('appendMessage: no APPENDUID, stores the message and returns no UID', async () => {
  const server = await start()
  server.capabilities.delete('UIDPLUS')
  const session = await inbox(server)
  const stored = await session.appendMessage('INBOX', rfc822, { flags: ['\\Seen'] })
  expect(stored).toMatchObject({ path: 'INBOX' })
  expect(stored.uid).toBeUndefined()
  expect(server.mailbox('INBOX').message(1).flags).toEqual(new Set(['\\Seen']))
})

test('appendMessage: invalid APPENDUID, returns no UID', async () => {
  const server = await start()
  const distorted = distort(server, 'APPEND', [/\[APPENDUID[^\]]*\]/, '[APPENDUID x 0]'])
  const session = await inbox(server)
  expect((await session.appendMessage('INBOX', rfc822)).uid).toBeUndefined()
  expect(distorted.times).toBe(1)
})

test.each([
  ['NO [TRYCREATE] No such mailbox', { kind: 'not-found', code: 'FolderNotFound' }],
  ['NO [OVERQUOTA] Quota exceeded', { kind: 'rejected', code: 'OVERQUOTA' }],
  ['NO [TOOBIG] Message too large', { kind: 'rejected', code: 'TOOBIG' }],
  ['BAD Command Argument Error. 11', { kind: 'rejected' }],
])('appendMessage: response %j, is an error', async (text, error) => {
  const server = await start()
  const session = await inbox(server)
  server.on('APPEND', rejects(text))
  await expect(session.appendMessage('INBOX', rfc822)).rejects.toMatchObject(error)
  await session.ping()
})

test('appendMessage: full quota or message beyond the limit, has the code of the server', async () => {
  const server = await start(0, { quota: { usage: 0, limit: 2_000 }, appendLimit: 1_500 })
  const session = await connect(server)
  await session.appendMessage('INBOX', Buffer.from(letter('a', 'x'.repeat(1_000))))
  await expect(
    session.appendMessage('INBOX', Buffer.from(letter('b', 'x'.repeat(1_200)))),
  ).rejects.toMatchObject({ kind: 'rejected', code: 'OVERQUOTA' })
  await expect(
    session.appendMessage('INBOX', Buffer.from(letter('c', 'x'.repeat(1_500)))),
  ).rejects.toMatchObject({ kind: 'rejected', code: 'TOOBIG' })
  expect(server.mailbox('INBOX').messages).toHaveLength(1)
})

test.each([
  ['before the message is accepted', sendsRaw('', 'reset')],
  ['after the message was accepted', truncatesAfter(0)],
])('appendMessage: connection lost %s, is unreachable', async (_, hook) => {
  const server = await start()
  const session = await inbox(server)
  server.on('APPEND', hook)
  await expect(session.appendMessage('INBOX', rfc822)).rejects.toMatchObject({
    kind: 'unreachable',
  })
  expect(await session.closed).toMatchObject({ kind: 'unreachable' })
})

test('appendMessage: literal rejected before it is sent, is rejected', async () => {
  const server = await start(0, {
    capabilities: usualCapabilities.filter((name) => name !== 'LITERAL+'),
  })
  const session = await inbox(server)
  server.on('APPEND', rejects('NO [ALERT] not now'))
  await expect(session.appendMessage('INBOX', rfc822)).rejects.toMatchObject({ kind: 'rejected' })
  await session.ping()
})

const withoutMove = usualCapabilities.filter((name) => name !== 'MOVE')
const bare = withoutMove.filter((name) => name !== 'UIDPLUS')

test('moveMessages: without MOVE, keeps messages that other clients marked', async () => {
  const server = await start(4, { capabilities: withoutMove, mailboxes: ['Archive'] })
  const box = server.mailbox('INBOX')
  box.changeFlags(1, { add: ['\\Deleted'] })
  const session = await inbox(server)
  expect(await session.moveMessages([[2, 3]], 'Archive')).toMatchObject({
    path: 'Archive',
    uids: new Map([
      [2, 1],
      [3, 2],
    ]),
  })
  expect(box.messages.map(({ uid }) => uid)).toEqual([1, 4])
})

test('moveMessages: without MOVE and UIDPLUS, keeps messages that other clients marked', async () => {
  const server = await start(4, { capabilities: bare, mailboxes: ['Archive'] })
  const box = server.mailbox('INBOX')
  box.changeFlags(1, { add: ['\\Deleted'] })
  const session = await inbox(server)
  await session.moveMessages([[2, 2]], 'Archive')
  await session.expungeMessages([[3, 3]])
  expect(server.mailbox('Archive').messages).toHaveLength(1)
  expect(box.messages.map(({ uid }) => uid)).toContain(1)
  for (const uid of [2, 3])
    if (box.messages.some((message) => message.uid === uid))
      expect(box.message(uid).flags).toContain('\\Deleted')
})

test('moveMessages: COPY failed, deletes nothing', async () => {
  const server = await start(2, { capabilities: withoutMove, mailboxes: ['Archive'] })
  const session = await inbox(server)
  server.on('COPY', rejects('NO [OVERQUOTA] Quota exceeded'))
  await expect(session.moveMessages([[1, 2]], 'Archive')).rejects.toMatchObject({
    kind: 'rejected',
    code: 'OVERQUOTA',
  })
  expect(server.mailbox('INBOX').messages.map(({ flags }) => flags.has('\\Deleted'))).toEqual([
    false,
    false,
  ])
})

test.each([
  ['nothing', '{tag} OK [COPYUID ] done'],
  ['blanks', '{tag} OK [COPYUID  7  1:2  ] done'],
  ['text', '{tag} OK [COPYUID a b c] done'],
  ['more UIDs than requested', '{tag} OK [COPYUID 7 1:4294967295 1:4294967295] done'],
])('moveMessages: COPYUID of %s, returns no UIDs', async (_, line) => {
  const server = await start(2, { mailboxes: ['Archive'] })
  const session = await inbox(server)
  server.on('MOVE', replies(line))
  const { uids } = await inTime(session.moveMessages([[1, 2]], 'Archive'))
  expect([...(uids ?? [])].filter(([from]) => from > 2)).toEqual([])
})

test.each([
  ['flags', 'STORE', 'NO [CANNOT] no such keyword'],
  ['a deletion', 'EXPUNGE', 'NO [NOPERM] not yours'],
])('changeFlags: %s rejected by the server, has its code', async (_, name, text) => {
  const server = await start(2)
  const session = await inbox(server)
  server.on(name, rejects(text))
  const change =
    name === 'STORE'
      ? session.changeFlags([[1, 1]], { add: ['own'] })
      : session.expungeMessages([[1, 1]])
  await expect(change).rejects.toMatchObject({
    name: 'AppError',
    extras: { info: { response: expect.any(String) } },
  })
  await session.ping()
})

test('createMailbox, renameMailbox, deleteMailbox: rejected, have the code of the server', async () => {
  const server = await start(0, { mailboxes: ['There'] })
  const session = await connect(server)
  await expect(session.deleteMailbox('INBOX')).rejects.toMatchObject({ kind: 'rejected' })
  await expect(session.renameMailbox('Nowhere', 'Else')).rejects.toMatchObject({
    code: 'NONEXISTENT',
  })
  server.on('CREATE', rejects('NO [LIMIT] Too many mailboxes'))
  await expect(session.createMailbox('More')).rejects.toMatchObject({
    kind: 'rejected',
    code: 'LIMIT',
  })
  server.on('RENAME', rejects('NO [CANNOT] [Gmail] folders stay'))
  await expect(session.renameMailbox('There', 'Where')).rejects.toMatchObject({ code: 'CANNOT' })
})

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { syncAccount } from '@posthorn/contracts/commands/maintenance'
import {
  deleteMessage,
  deleteMessages,
  moveMessage,
  updateMessage,
} from '@posthorn/contracts/commands/message-changes'
import { getMessage, listMessages, searchMessages } from '@posthorn/contracts/commands/messages'
import { eventually, type ImapScript } from '@posthorn/testkit'
import { type GmailOptions, paths, place, startGmail, userOf } from './gmail-server.ts'
import { type StoredEvent, testWorld, type World } from './world.ts'

// Gmail over IMAP: mailboxes are labels, and everything is in All Mail.

let world: World
const servers: ImapScript[] = []
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker()
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})
afterAll(() => world.close())

const old = new Date('2020-01-01T00:00:00Z')
/** IMAP settings without a full sync pass during a test: only notifications reveal changes. */
const rarely = { resyncDelay: 3_600 }

async function start(options: GmailOptions = {}): Promise<ImapScript> {
  const server = await startGmail(options)
  servers.push(server)
  return server
}

async function connect(server: ImapScript): Promise<string> {
  const account = await world.register(userOf(server), { imap: rarely })
  await world.connected(account)
  await eventually(() => server.sessions.some(({ idling }) => idling))
  return account
}

const dataOf = (events: readonly StoredEvent[]) => events.map(({ data }) => data)

test('Gmail: watches All Mail, syncs Junk and Trash, nothing else', async () => {
  const server = await start({ labels: ['Work'] })
  place(server, 'Work', { date: old })
  const account = await connect(server)
  const result = await world.events(account, 'mailboxNew')
  expect(result.map(({ path, specialUse }) => `${path} ${specialUse}`).toSorted()).toEqual([
    `${paths.all} \\All`,
    `${paths.trash} \\Trash`,
    `${paths.spam} \\Junk`,
  ])
  expect(server.received.filter((line) => /^(SELECT|EXAMINE)/.test(line)).at(-1)).toContain('Alle')
  await eventually(() =>
    expect(server.sessions.find(({ idling }) => idling)?.mailbox?.path).toBe(paths.all),
  )
})

test('Gmail: messageNew has labels, ids and messageSpecialUse', async () => {
  const server = await start({ labels: ['Work'] })
  const account = await connect(server)
  place(server, paths.all, {
    labels: ['\\Inbox', 'Work', '\\Important'],
    emailId: '17',
    threadId: '16',
  })
  place(server, paths.all, { labels: ['\\Sent'] })
  place(server, paths.all, { labels: ['\\Draft'], flags: ['\\Draft'] })
  place(server, paths.all, { labels: ['Work'] })
  const notified = dataOf(await world.expectEvents(account, ['messageNew'], 4))
  expect(notified[0]).toMatchObject({
    path: paths.all,
    labels: ['Work', '\\Important', '\\Inbox'],
    emailId: '17',
    threadId: '16',
    messageSpecialUse: '\\Inbox',
    seemsLikeNew: true,
  })
  expect(notified[1]).toMatchObject({ messageSpecialUse: '\\Sent', seemsLikeNew: false })
  expect(notified[2]).toMatchObject({ messageSpecialUse: '\\Drafts', draft: true })
  expect(notified[3]).not.toHaveProperty('messageSpecialUse')
})

test('Gmail: label changes of another client are messageUpdated, not messageNew', async () => {
  const server = await start({ labels: ['Work', 'Home/Garden'] })
  const all = server.mailbox(paths.all)
  const uid = place(server, paths.all, {
    date: old,
    labels: ['\\Inbox', 'Work'],
    flags: ['\\Seen'],
  })
  const account = await connect(server)
  all.changeLabels(uid, { add: ['Home/Garden'], remove: ['\\Inbox'] })
  const [first] = dataOf(await world.expectEvents(account, ['messageUpdated'], 1))
  expect(first).toEqual({
    id: expect.any(String),
    uid,
    changes: {
      labels: { added: ['Home/Garden'], removed: ['\\Inbox'], value: ['Home/Garden', 'Work'] },
    },
  })
  all.changeFlags(uid, { add: ['\\Flagged'] })
  all.changeLabels(uid, { add: ['\\Starred'] })
  const flags = { added: ['\\Flagged'], removed: [], value: ['\\Flagged', '\\Seen'] }
  const labels = { added: ['\\Starred'], removed: [], value: ['Home/Garden', 'Work', '\\Starred'] }
  const [, second] = dataOf(await world.expectEvents(account, ['messageUpdated'], 2))
  expect(second?.['changes']).toEqual({ flags, labels })
  expect(await world.events(account, 'messageNew', 'messageDeleted')).toEqual([])
})

test('Gmail: the first sync needs one search per label for any number of messages', async () => {
  const server = await start({ labels: ['Work', 'Ärger'] })
  for (let at = 0; at < 300; at++)
    place(server, paths.all, { date: old, labels: at % 2 === 0 ? ['\\Inbox'] : ['Ärger'] })
  const account = await connect(server)
  const searches = server.received.filter((line) => line.includes('X-GM-LABELS'))
  expect(searches.filter((line) => !line.startsWith('UID SEARCH'))).toEqual([])
  // Expects searches for 5 system and 2 user labels, in All Mail only: other mailboxes are empty.
  expect(searches).toHaveLength(5 + 2)
  server.mailbox(paths.all).changeLabels(2, { remove: ['Ärger'] })
  const [changed] = dataOf(await world.expectEvents(account, ['messageUpdated'], 1))
  expect(changed?.['changes']).toEqual({ labels: { added: [], removed: ['Ärger'], value: [] } })
})

test('Gmail: label changes during downtime are announced later', async () => {
  const server = await start({ labels: ['Work'] })
  const all = server.mailbox(paths.all)
  const uid = place(server, paths.all, { date: old, labels: ['\\Inbox'] })
  const account = await connect(server)
  await server.close()
  all.changeLabels(uid, { add: ['Work'] })
  await server.open()
  const [changed] = dataOf(await world.expectEvents(account, ['messageUpdated'], 1))
  expect(changed).toMatchObject({ uid, changes: { labels: { added: ['Work'], removed: [] } } })
})

test('Gmail: a new label is announced, a hidden one only when it changes', async () => {
  const server = await start()
  const all = server.mailbox(paths.all)
  const uid = place(server, paths.all, { date: old, labels: ['Hidden'] })
  const other = place(server, paths.all, { date: old, labels: ['Hidden', '\\Inbox'] })
  const account = await connect(server)
  server.createMailbox('Made')
  all.changeLabels(uid, { add: ['Made'] })
  const [made] = dataOf(await world.expectEvents(account, ['messageUpdated'], 1))
  expect(made?.['changes']).toEqual({
    labels: { added: ['Made'], removed: [], value: ['Hidden', 'Made'] },
  })
  all.changeLabels(other, { remove: ['Hidden'] })
  const [, removed] = dataOf(await world.expectEvents(account, ['messageUpdated'], 2))
  expect(removed).toMatchObject({
    uid: other,
    changes: { labels: { added: [], removed: ['Hidden'], value: ['\\Inbox'] } },
  })
})

test('Gmail: a message restored from Trash does not seem new', async () => {
  const server = await start()
  const account = await connect(server)
  const placed = { messageId: '<back@test>', emailId: '99' }
  const uid = place(server, paths.all, { ...placed, labels: ['\\Inbox'] })
  await world.expectEvents(account, ['messageNew'], 1)
  server.mailbox(paths.all).expunge(uid)
  await world.expectEvents(account, ['messageDeleted'], 1)
  place(server, paths.all, { ...placed, labels: ['\\Inbox'] })
  const notified = dataOf(await world.expectEvents(account, ['messageNew'], 2))
  expect(notified.map(({ seemsLikeNew }) => seemsLikeNew)).toEqual([true, false])
})

test('Gmail: with All Mail hidden, syncs all labels and announces a message once', async () => {
  const server = await start({ labels: ['Work'], hidesAllMail: true })
  const account = await connect(server)
  // Without a Message-ID, only Gmail's message id shows that a moved message is the same message.
  const rfc822 = 'From: ann@example.com\r\nSubject: bare\r\n\r\ntext\r\n'
  server.mailbox('INBOX').append(rfc822, { emailId: '5', labels: ['Work'] })
  const [first] = await world.expectEvents(account, ['messageNew'], 1)
  expect(first).toMatchObject({
    path: 'INBOX',
    data: { labels: ['Work', '\\Inbox'], messageSpecialUse: '\\Inbox', seemsLikeNew: true },
  })
  server.mailbox('Work').append(rfc822, { emailId: '5', labels: ['\\Inbox'] })
  const notified = await world.expectEvents(account, ['messageNew'], 2)
  expect(notified[1]).toMatchObject({
    path: 'Work',
    data: { labels: ['Work', '\\Inbox'], emailId: '5', seemsLikeNew: false },
  })
  server.mailbox('INBOX').changeLabels(1, { remove: ['Work'] })
  const [changed] = await world.expectEvents(account, ['messageUpdated'], 1)
  expect(changed?.data['changes']).toEqual({
    labels: { added: [], removed: ['Work'], value: ['\\Inbox'] },
  })
})

test('Gmail: every label, and All Mail by its special use, can be listed and searched', async () => {
  const server = await start({ labels: ['Work'] })
  place(server, paths.all, { date: old, labels: ['\\Inbox', 'Work'], emailId: '7' })
  place(server, paths.all, { date: old, labels: ['\\Sent'] })
  for (const [path, labels] of [
    ['INBOX', ['Work']],
    ['Work', ['\\Inbox']],
  ] as const)
    place(server, path, { date: old, labels, emailId: '7' })
  const account = await connect(server)
  const all = await world.ask(listMessages, account, { path: '\\All', page: 0, pageSize: 20 })
  expect(all.messages.map(({ labels }) => labels)).toEqual([['\\Sent'], ['Work', '\\Inbox']])
  expect(all.messages[1]).toMatchObject({
    path: paths.all,
    emailId: '7',
    messageSpecialUse: '\\Inbox',
  })
  for (const path of ['INBOX', 'Work']) {
    const page = await world.ask(listMessages, account, { path, page: 0, pageSize: 20 })
    expect(page).toMatchObject({ total: 1, messages: [{ path, labels: ['Work', '\\Inbox'] }] })
    const [entry] = page.messages
    const message = await world.ask(getMessage, account, { message: entry?.id ?? '' })
    expect(message).toMatchObject({
      path,
      labels: ['Work', '\\Inbox'],
      messageSpecialUse: '\\Inbox',
    })
  }
  const search = { labels: { has: ['\\Inbox'], not: ['Home'] } }
  const result = await world.ask(searchMessages, account, {
    path: '\\All',
    search,
    page: 0,
    pageSize: 20,
  })
  expect(result).toMatchObject({ total: 1, messages: [{ uid: 1 }] })
  // A mailbox for which only message ids were assigned, without a sync, has no `mailboxNew`.
  expect(await world.events(account, 'mailboxNew')).toHaveLength(3)
})

test('Gmail: ids of a label last as long as its UIDVALIDITY; changes appear in All Mail', async () => {
  const server = await start({ labels: ['Work'] })
  const uid = place(server, paths.all, { date: old, labels: ['Work'] })
  place(server, 'Work', { date: old })
  const account = await connect(server)
  const list = async () =>
    (await world.ask(listMessages, account, { path: 'Work', page: 0, pageSize: 1 })).messages[0]
      ?.id ?? ''
  const id = await list()
  server.on('UID STORE', async (command) => {
    // At Gmail, the copies of a message in two mailboxes are one message with the same flags.
    server.mailbox(paths.all).changeFlags(uid, { add: ['\\Flagged'] })
    return command.defaultReply()
  })
  await world.ask(updateMessage, account, {
    message: id,
    update: { flags: { add: ['\\Flagged'] } },
  })
  const [changed] = await world.expectEvents(account, ['messageUpdated'], 1)
  expect(changed).toMatchObject({
    path: paths.all,
    data: { uid, changes: { flags: { added: ['\\Flagged'] } } },
  })
  server.mailbox('Work').renumber(77)
  server.drop()
  await eventually(async () => expect(await list()).not.toBe(id))
  // The account is disconnected for a moment after the loss of its connection.
  await eventually(() =>
    expect(world.ask(getMessage, account, { message: id })).rejects.toMatchObject({
      code: 'MessageNotFound',
    }),
  )
  expect(await world.events(account, 'mailboxReset')).toEqual([])
})

test('Gmail: labels keep their ids when All Mail becomes hidden', async () => {
  const server = await start({ labels: ['Work'] })
  place(server, paths.all, { date: old, labels: ['Work'] })
  place(server, 'Work', { date: old })
  const account = await connect(server)
  const page = await world.ask(listMessages, account, { path: 'Work', page: 0, pageSize: 1 })
  server.deleteMailbox(paths.all)
  server.drop()
  await eventually(async () => {
    await world.ask(syncAccount, account, {})
    const result = await world.events(account, 'mailboxNew')
    expect(result.filter(({ path }) => path === 'Work' || path === 'INBOX')).toHaveLength(2)
  })
  server.mailbox('Work').changeLabels(1, { add: ['\\Starred'] })
  const [changed] = await world.expectEvents(account, ['messageUpdated'], 1)
  expect(changed).toMatchObject({
    path: 'Work',
    data: {
      id: page.messages[0]?.id,
      changes: { labels: { added: ['\\Starred'], value: ['Work', '\\Starred'] } },
    },
  })
})

test('Gmail: delete to Trash, move to a label, delete permanently', async () => {
  const server = await start({ labels: ['Work'] })
  for (let at = 0; at < 3; at++) place(server, paths.all, { date: old, labels: ['\\Inbox'] })
  const account = await connect(server)
  const { messages } = await world.ask(listMessages, account, {
    path: '\\All',
    page: 0,
    pageSize: 9,
  })
  const [third = '', second = '', first = ''] = messages.map(({ id }) => id)
  const { moved } = await world.ask(deleteMessage, account, { message: first, force: false })
  expect(moved).toMatchObject({ destination: paths.trash, message: expect.any(String) })
  const [gone] = await world.expectEvents(account, ['messageDeleted'], 1)
  expect(gone).toMatchObject({ path: paths.all, data: { uid: 1 } })
  const put = await world.ask(moveMessage, account, { message: second, path: 'Work' })
  expect(put).toMatchObject({ path: 'Work', uid: 1, id: expect.any(String) })
  const there = await world.ask(getMessage, account, { message: put.id ?? '' })
  expect(there).toMatchObject({ path: 'Work', labels: ['Work', '\\Inbox'] })
  expect(await world.ask(deleteMessage, account, { message: third, force: true })).toEqual({
    deleted: true,
  })
  expect(server.mailbox(paths.trash).messages.map(({ uid }) => uid)).toEqual([1])
  const reported = server.received.filter((line) => /^UID (MOVE|EXPUNGE)/.test(line)).slice(-2)
  expect(reported.map((line) => line.split(' ')[1])).toEqual(['MOVE', 'EXPUNGE'])
  // A message in the trash is expunged even without force.
  const left = await world.ask(deleteMessage, account, {
    message: moved?.message ?? '',
    force: false,
  })
  expect(left).toEqual({ deleted: true })
  expect(server.mailbox(paths.trash).messages).toEqual([])
})

test('Gmail: a message that another client deletes during a permanent deletion, is not reported as deleted', async () => {
  const server = await start({ labels: [] })
  const all = server.mailbox(paths.all)
  for (let at = 0; at < 5; at++) place(server, paths.all, { date: old, subject: `s${at}` })
  const account = await connect(server)
  const page = await world.ask(listMessages, account, { path: '\\All', page: 0, pageSize: 9 })
  const [first, second, , , fifth] = page.messages.toReversed()
  const expungesBeforeMove = (uid: number) =>
    server.on('UID MOVE', async ({ defaultReply }) => {
      if (all.messages.some((each) => each.uid === uid)) all.expunge(uid)
      return defaultReply()
    })
  const end = expungesBeforeMove(2)
  const message = second?.id ?? ''
  const deletion = world.ask(deleteMessage, account, { message, force: true })
  await expect(deletion).rejects.toMatchObject({ code: 'MessageNotFound' })
  end()
  const bulk = expungesBeforeMove(3)
  const request = { path: '\\All', search: { subject: 's2' }, force: true }
  expect(await world.ask(deleteMessages, account, request)).toMatchObject({ deleted: false })
  bulk()
  const last = expungesBeforeMove(4)
  expect(await world.ask(deleteMessages, account, { ...request, search: {} })).toEqual({
    deleted: true,
    deletedMessages: { emailIds: [first?.emailId, fifth?.emailId] },
  })
  last()
  expect([...all.messages, ...server.mailbox(paths.trash).messages]).toEqual([])
})

test('Gmail: a change without an IDLE notification is found by the periodic sync', async () => {
  const server = await start({ labels: ['Work'] })
  const all = server.mailbox(paths.all)
  const uid = place(server, paths.all, { date: old })
  const account = await connect(server)
  await eventually(
    async () => {
      const notified = (await world.events(account, 'messageUpdated')).length
      const reported = server.received.length
      all.changeLabels(uid, notified % 2 === 0 ? { add: ['Work'] } : { remove: ['Work'] })
      for (const session of server.sessions) session.markNotified(all.message(uid))
      await world.expectEvents(account, ['messageUpdated'], notified + 1)
      // A full sync pass, which lists the mailboxes, would have found the change, too.
      expect(server.received.slice(reported).filter((line) => line.startsWith('LIST'))).toEqual([])
    },
    { timeoutMs: 90_000 },
  )
})

test('Gmail: changes labels and flags by name, also of a message of a label', async () => {
  const server = await start({ labels: ['Work'] })
  const uid = place(server, paths.all, { date: old, labels: ['\\Inbox'] })
  const account = await connect(server)
  const [entry] = (await world.ask(listMessages, account, { path: '\\All', page: 0, pageSize: 1 }))
    .messages
  const update = {
    labels: { add: ['Work', '\\Starred'], delete: ['\\Inbox'] },
    flags: { add: ['\\Seen'] },
  }
  const answer = await world.ask(updateMessage, account, { message: entry?.id ?? '', update })
  expect(answer).toEqual({
    labels: { add: true, delete: true, result: ['Work', '\\Starred'] },
    flags: { add: true, result: ['\\Seen'] },
  })
  expect([...server.mailbox(paths.all).message(uid).labels]).toEqual(['Work', '\\Starred'])
  await eventually(async () => {
    const notified = dataOf(await world.events(account, 'messageUpdated'))
    expect(notified.at(-1)).toMatchObject({ changes: { labels: { value: ['Work', '\\Starred'] } } })
  })
})

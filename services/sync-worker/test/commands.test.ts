import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { listMailboxes } from '@posthorn/contracts/commands/mailboxes'
import { getMessage, getMessageSource, listMessages } from '@posthorn/contracts/commands/messages'
import { shardOf } from '@posthorn/contracts/shards'
import { matches } from '@posthorn/contracts/validate'
import { encodeMessageId } from '@posthorn/message-id'
import { eventually, type TestUser } from '@posthorn/testkit'
import { altered } from './altered.ts'
import { ImapClient, mail } from './imap-client.ts'
import { Relay } from './relay.ts'
import { testWorld, type World } from './world.ts'

let world: World
let user: TestUser
let account: string
/** Promise for which fetches of message headers wait, so that a test can delay a sync. */
let mayFetch = Promise.resolve()
beforeAll(async () => {
  world = await testWorld()
  const backend = altered((session) => ({
    async *fetchMessages(uids, options) {
      if (options?.headers) await mayFetch
      yield* session.fetchMessages(uids, options)
    },
  }))
  await world.startWorker({}, { backend })
  user = world.dovecot.freshUser()
  await using client = await ImapClient.login(user)
  for (const subject of ['one', 'two', 'three', 'four', 'five'])
    await client.append('INBOX', mail({ subject }))
  account = await world.register(user)
  await world.connected(account)
})
afterAll(() => world.close())

const list = (over: object = {}) =>
  world.ask(listMessages, account, { path: 'INBOX', page: 0, pageSize: 2, ...over })
const newestId = async () => (await list()).messages[0]?.id ?? ''

test('listMailboxes: returns the stored list', async () => {
  const { mailboxes } = await world.ask(listMailboxes, account, { counters: false })
  expect(mailboxes.find(({ path }) => path === 'INBOX')).toMatchObject({
    path: 'INBOX',
    name: 'INBOX',
    delimiter: expect.any(String),
    listed: true,
    specialUse: '\\Inbox',
    messages: 5,
    uidNext: 6,
  })
  expect(
    mailboxes.every((entry) => matches(listMailboxes.response.properties.mailboxes.items, entry)),
  ).toBe(true)
  expect(mailboxes.some(({ specialUse }) => specialUse === '\\Sent')).toBe(true)
})

test('listMailboxes: requests counters from the server', async () => {
  const { mailboxes } = await world.ask(listMailboxes, account, { counters: true })
  expect(mailboxes.find(({ path }) => path === 'INBOX')?.status).toEqual({ messages: 5, unseen: 5 })
})

test('listMessages: newest first, in pages with cursors', async () => {
  const first = await list()
  expect(first).toMatchObject({ total: 5, page: 0, pages: 3, prevPageCursor: null })
  expect(first.messages.map(({ subject }) => subject)).toEqual(['five', 'four'])
  const second = await list({ cursor: first.nextPageCursor })
  expect(second.messages.map(({ subject }) => subject)).toEqual(['three', 'two'])
  const third = await list({ page: 2 })
  expect(third.messages.map(({ subject }) => subject)).toEqual(['one'])
  expect(third.nextPageCursor).toBeNull()
  expect((await list({ cursor: third.prevPageCursor })).messages).toEqual(second.messages)
})

test('listMessages: accepts a special use as path, a missing mailbox is not found', async () => {
  expect(await list({ path: '\\Sent' })).toMatchObject({ total: 0, pages: 1, messages: [] })
  expect((await list({ path: 'inbox' })).total).toBe(5)
  for (const path of ['Nowhere', '\\Nothing'])
    await expect(list({ path })).rejects.toMatchObject({
      kind: 'not-found',
      code: 'FolderNotFound',
    })
})

test('listMessages: rejects an invalid cursor', async () => {
  await expect(list({ cursor: 'gmail_x' })).rejects.toMatchObject({ code: 'InvalidCursorType' })
  await expect(list({ cursor: 'imap_x' })).rejects.toMatchObject({ code: 'InvalidCursorValue' })
})

test('getMessage: returns headers, and text if requested', async () => {
  const id = await newestId()
  const plain = await world.ask(getMessage, account, { message: id })
  expect(plain).toMatchObject({
    id,
    subject: 'five',
    specialUse: '\\Inbox',
    headers: { subject: ['five'] },
  })
  expect(plain.text).not.toHaveProperty('plain')
  const full = await world.ask(getMessage, account, { message: id, textType: '*' })
  expect(full.text).toMatchObject({ plain: 'text\n', hasMore: false })
  const cut = await world.ask(getMessage, account, { message: id, textType: 'plain', maxBytes: 2 })
  expect(cut.text).toMatchObject({ plain: 'te', hasMore: true })
  const safe = await world.ask(getMessage, account, { message: id, webSafeHtml: true })
  expect(safe.text).toMatchObject({ html: expect.stringContaining('text'), webSafe: true })
})

test('getMessage: webSafeHtml, sanitises HTML and embeds images', async () => {
  const body = [
    '--b',
    'Content-Type: text/html',
    '',
    '<p onclick="x()">hi<img src="cid:pic@x"><script>alert(1)</script></p>',
    '--b',
    'Content-Type: image/png',
    'Content-ID: <pic@x>',
    'Content-Transfer-Encoding: base64',
    '',
    'aGVsbG8=',
    '--b--',
  ].join('\r\n')
  const other = world.dovecot.freshUser()
  await using client = await ImapClient.login(other)
  await client.append(
    'INBOX',
    mail({ headers: ['MIME-Version: 1.0', 'Content-Type: multipart/related; boundary=b'], body }),
  )
  const owner = await world.register(other)
  await world.connected(owner)
  const { messages } = await world.ask(listMessages, owner, { path: 'INBOX', page: 0, pageSize: 1 })
  const { text, attachments } = await world.ask(getMessage, owner, {
    message: messages[0]?.id ?? '',
    webSafeHtml: true,
  })
  expect(attachments).toMatchObject([{ embedded: true, contentId: '<pic@x>' }])
  expect(text?.html).toContain('data:image/png;base64,aGVsbG8=')
  expect(text?.html).not.toMatch(/script|onclick/)
})

test('getMessage: markAsSeen, sets the flag and records messageUpdated', async () => {
  const id = await newestId()
  const message = await world.ask(getMessage, account, { message: id, markAsSeen: true })
  expect(message.flags).toEqual(['\\Seen'])
  expect(message).not.toHaveProperty('unseen')
  const [event] = await world.expectEvents(account, ['messageUpdated'], 1)
  expect(event?.data).toMatchObject({ id, changes: { flags: { added: ['\\Seen'] } } })
})

test('getMessage: distinguishes invalid ids from missing messages', async () => {
  const get = (message: string) => world.ask(getMessage, account, { message })
  // The second id names the mailbox 2^31, a number that Postgres cannot store.
  for (const invalid of ['not an id', 'gAAAAAAAAAE'])
    await expect(get(invalid)).rejects.toMatchObject({ kind: 'invalid', code: 'InvalidId' })
  const notFound = { kind: 'not-found', code: 'MessageNotFound' }
  await expect(get(encodeMessageId({ mailbox: 4_000, uid: 1 }))).rejects.toMatchObject(notFound)
  const { number } = await world.db
    .selectFrom('mailboxes')
    .select('number')
    .where('account', '=', account)
    .where('path', '=', 'INBOX')
    .executeTakeFirstOrThrow()
  await expect(get(encodeMessageId({ mailbox: number, uid: 99 }))).rejects.toMatchObject(notFound)
})

test('getMessageSource: streams the exact bytes, and an aborted stream does not block the next command', async () => {
  const large = mail({ subject: 'large', body: `${'x'.repeat(998)}\r\n`.repeat(4_000) })
  const other = world.dovecot.freshUser()
  await using client = await ImapClient.login(other)
  await client.append('INBOX', large)
  const owner = await world.register(other)
  await world.connected(owner)
  const { messages } = await world.ask(listMessages, owner, { path: 'INBOX', page: 0, pageSize: 1 })
  const source = () =>
    world.bus.requestStream(
      getMessageSource,
      { account: owner, message: messages[0]?.id ?? '' },
      { key: `shard.${shardOf(owner)}`, timeoutMs: 30_000 },
    )
  const { response, body } = await source()
  expect(response).toEqual({ size: large.length })
  const bytes = Buffer.concat(await Array.fromAsync(body))
  expect(bytes.toString() === large).toBe(true)
  for (let time = 0; time < 4; time++) for await (const _ of (await source()).body) break
  expect(
    (await world.ask(listMessages, owner, { path: 'INBOX', page: 0, pageSize: 1 })).total,
  ).toBe(1)
})

test('commands: are served during the initial sync', async () => {
  const other = world.dovecot.freshUser()
  await using client = await ImapClient.login(other)
  for (let count = 0; count < 30; count++) await client.append('INBOX', mail())
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  mayFetch = promise
  try {
    const owner = await world.register(other, { notifyFrom: new Date(0) })
    const answered = await eventually(() =>
      world.ask(listMessages, owner, { path: 'INBOX', page: 0, pageSize: 1 }),
    )
    await eventually(async () => expect((await world.state(owner))?.state).toBe('syncing'))
    expect(answered.total).toBe(30)
    goOn()
    await world.connected(owner)
    expect(await world.events(owner, 'messageNew')).toHaveLength(30)
  } finally {
    goOn()
  }
})

test('assertConnected: returns the reason of the account state', async () => {
  await using down = await Relay.to({ host: user.host, port: user.imapPort })
  await down.down()
  const refused = await world.register(world.dovecot.freshUser(), { pass: 'wrong' })
  const unreachable = await world.register(world.dovecot.freshUser(), { port: down.port })
  const off = await world.register(world.dovecot.freshUser(), { imap: null })
  const read = (owner: string) =>
    world.ask(listMessages, owner, { path: 'INBOX', page: 0, pageSize: 1 })
  const says = (owner: string, code: string, state: string) =>
    eventually(() =>
      expect(read(owner)).rejects.toMatchObject({ kind: 'unavailable', code, extras: { state } }),
    )
  await says(refused, 'AuthenticationFails', 'authenticationError')
  await says(unreachable, 'ConnectionError', 'connectError')
  await says(off, 'NotSyncing', 'unset')
  await expect(read('missing')).rejects.toMatchObject({
    kind: 'unavailable',
    code: 'WorkerNotAvailable',
  })
})

test('withMailSession: replaces a lost pooled connection', async () => {
  const other = world.dovecot.freshUser()
  await using relay = await Relay.to({ host: other.host, port: other.imapPort })
  const owner = await world.register(other, { port: relay.port })
  await world.connected(owner)
  const read = () => world.ask(listMessages, owner, { path: 'INBOX', page: 0, pageSize: 1 })
  await read()
  relay.cut()
  expect((await eventually(read)).total).toBe(0)
})

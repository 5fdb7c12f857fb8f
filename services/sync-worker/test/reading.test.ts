import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  getAttachment,
  getMessage,
  getMessageSource,
  getText,
  listMessages,
  searchMessages,
} from '@posthorn/contracts/commands/messages'
import type { MessageEntry } from '@posthorn/contracts/schemas/message'
import { shardOf } from '@posthorn/contracts/shards'
import { encodeApiAttachmentId, encodeAttachmentId, encodeTextId } from '@posthorn/message-id'
import { eventuallyKnown, ImapClient, mail } from './imap-client.ts'
import { testWorld, type World } from './world.ts'

let world: World
let account: string
let client: ImapClient
beforeAll(async () => {
  world = await testWorld()
  await world.startWorker()
  const user = world.dovecot.freshUser()
  client = await ImapClient.login(user)
  account = await world.register(user)
  await world.connected(account)
})
afterAll(async () => {
  await client[Symbol.asyncDispose]()
  await world.close()
})

/**
 * Creates a mailbox with some messages. Returns the entries of the messages in the message list.
 */
async function folder(path: string, messages: string[]): Promise<MessageEntry[]> {
  await client.createMailbox(path)
  for (const message of messages) await client.append(path, message)
  return (await untilListed(path, messages.length)).messages
}

function untilListed(path: string, count: number) {
  return eventuallyKnown(client, async () => {
    const page = await list({ path })
    expect(page.total).toBe(count)
    return page
  })
}

const list = (over: object = {}) =>
  world.ask(listMessages, account, { path: 'INBOX', page: 0, pageSize: 100, ...over })
const find = (path: string, search: object, over: object = {}) =>
  world.ask(searchMessages, account, { path, page: 0, pageSize: 20, search, ...over })
const read = (message: string, over: object = {}) =>
  world.ask(getMessage, account, { message, ...over })
const download = async (attachment: string) => {
  const { response, body } = await world.bus.requestStream(
    getAttachment,
    { account, attachment },
    { key: `shard.${shardOf(account)}`, timeoutMs: 30_000 },
  )
  return { ...response, content: Buffer.concat(await Array.fromAsync(body)) }
}
const subjects = ({ messages }: { messages: MessageEntry[] }) =>
  messages.map(({ subject }) => subject)

const multipart = (kind: string, ...parts: string[][]) =>
  mail({
    headers: ['MIME-Version: 1.0', `Content-Type: multipart/${kind}; boundary=b`],
    body: [...parts.flatMap((part) => ['--b', ...part]), '--b--'].join('\r\n'),
  })

test('listMessages: shows new and expunged messages immediately, on a reused connection', async () => {
  await folder(
    'Moving',
    ['one', 'two', 'three'].map((subject) => mail({ subject })),
  )
  await client.append('Moving', mail({ subject: 'four' }))
  expect(subjects(await list({ path: 'Moving' }))).toEqual(['four', 'three', 'two', 'one'])
  await client.run('SELECT Moving')
  await client.run('STORE 2 +FLAGS (\\Deleted)')
  await client.run('EXPUNGE')
  expect(subjects(await list({ path: 'Moving' }))).toEqual(['four', 'three', 'one'])
  expect(await list({ path: 'Moving', page: 1, pageSize: 2 })).toMatchObject({
    total: 3,
    pages: 2,
    nextPageCursor: null,
    messages: [{ subject: 'one' }],
  })
})

test('listMessages: page beyond the end, returns an empty page with a previous cursor', async () => {
  await folder('Short', [mail(), mail(), mail()])
  const beyond = await list({ path: 'Short', page: 7, pageSize: 2 })
  expect(beyond).toMatchObject({ total: 3, page: 7, pages: 2, nextPageCursor: null, messages: [] })
  const back = await list({ path: 'Short', pageSize: 2, cursor: beyond.prevPageCursor })
  expect([back.page, back.messages.length]).toEqual([1, 1])
})

test('getMessage: an id of a deleted and recreated mailbox is not found', async () => {
  const [old] = await folder('Phoenix', [mail({ subject: 'old' })])
  await client.run('UNSELECT')
  await client.deleteMailbox('Phoenix')
  await client.run('CREATE Phoenix')
  await client.append('Phoenix', mail({ subject: 'new' }))
  // Dovecot may have ended the session, so that the account must reconnect first.
  const error = await eventuallyKnown(client, async () => {
    const result = await read(old?.id ?? '').then(String, (reason: unknown) => reason)
    expect(result).not.toMatchObject({ kind: 'unavailable' })
    return result
  })
  expect(error).toMatchObject({ kind: 'not-found', code: 'MessageNotFound' })
  expect(subjects(await untilListed('Phoenix', 1))).toEqual(['new'])
})

test('getMessage, getText: an expunged message is not found', async () => {
  const [newest] = await folder('Brief', [mail(), mail()])
  const id = newest?.id ?? ''
  expect((await read(id)).id).toBe(id)
  await client.run('SELECT Brief')
  await client.run('STORE 2 +FLAGS (\\Deleted)')
  await client.run('EXPUNGE')
  const notFound = { message: 'The message does not exist', code: 'MessageNotFound' }
  await expect(read(id)).rejects.toMatchObject(notFound)
  await expect(
    world.ask(getText, account, { text: newest?.text?.id ?? '', textType: '*' }),
  ).rejects.toMatchObject(notFound)
})

test('searchMessages: combines all terms, newest first, in pages', async () => {
  const messages = ['apple', 'pear', 'apple pie', 'Äpfel', 'apple juice'].map((subject) =>
    mail({ subject: /^[\x20-\x7e]*$/.test(subject) ? subject : `=?utf-8?q?=C3=84pfel?=` }),
  )
  await folder('Fruit', messages)
  expect(subjects(await find('Fruit', { subject: 'apple' }))).toEqual([
    'apple juice',
    'apple pie',
    'apple',
  ])
  expect(subjects(await find('Fruit', { subject: 'äpfel' }))).toEqual(['Äpfel'])
  expect(subjects(await find('Fruit', { subject: 'apple', seq: '1:3' }))).toEqual([
    'apple pie',
    'apple',
  ])
  const first = await find('Fruit', { subject: 'apple' }, { pageSize: 2 })
  expect(first).toMatchObject({ total: 3, page: 0, pages: 2, prevPageCursor: null })
  const second = await find(
    'Fruit',
    { subject: 'apple' },
    { pageSize: 2, page: 9, cursor: first.nextPageCursor },
  )
  expect(second).toMatchObject({ total: 3, page: 1, pages: 2, nextPageCursor: null })
  expect(subjects(second)).toEqual(['apple'])
  expect(await find('Fruit', { subject: 'plum' })).toMatchObject({
    total: 0,
    pages: 1,
    nextPageCursor: null,
    messages: [],
  })
  expect((await find('Fruit', {})).total).toBe(5)
})

test('searchMessages: sees recent changes and rejects unsupported terms', async () => {
  await folder('Seen', [mail({ subject: 'a' }), mail({ subject: 'b' })])
  expect((await find('Seen', { unseen: true })).total).toBe(2)
  await client.run('SELECT Seen')
  await client.run('STORE 1 +FLAGS (\\Seen)')
  expect(subjects(await find('Seen', { unseen: true }))).toEqual(['b'])
  for (const search of [{ gmailRaw: 'x' }, { labels: { has: ['x'] } }, { emailIds: ['x'] }])
    await expect(find('Seen', search)).rejects.toMatchObject({
      kind: 'unprocessable',
      code: 'MissingServerExtension',
    })
  await expect(find('Nowhere', {})).rejects.toMatchObject({ code: 'FolderNotFound' })
  await expect(find('Seen', {}, { cursor: 'outlook_x' })).rejects.toMatchObject({
    code: 'InvalidCursorType',
  })
})

test('getText: decodes charset and transfer encoding and joins parts of a kind', async () => {
  const [message] = await folder('Texts', [
    multipart(
      'mixed',
      [
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'Gr=FC=DFe',
      ],
      [
        'Content-Type: text/plain; charset=windows-1251',
        'Content-Transfer-Encoding: base64',
        '',
        Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]).toString('base64'),
      ],
      ['Content-Type: text/html; charset=utf-8', '', '<b>hi</b>'],
      ['Content-Type: text/calendar; method=REQUEST', '', 'BEGIN:VCALENDAR'],
    ),
  ])
  const { text, attachments } = await read(message?.id ?? '', { textType: '*' })
  expect(text).toMatchObject({ plain: 'Grüße\nПривет', html: '<b>hi</b>', hasMore: false })
  expect(attachments).toMatchObject([{ contentType: 'text/calendar', method: 'REQUEST' }])
  const ask = (over: object) =>
    world.ask(getText, account, { text: message?.text?.id ?? '', textType: '*', ...over })
  expect(await ask({})).toEqual({
    plain: 'Grüße\nПривет',
    html: '<b>hi</b>',
    hasMore: false,
  })
  expect(await ask({ textType: 'html' })).toEqual({ html: '<b>hi</b>', hasMore: false })
  expect(await ask({ webSafeHtml: true })).toEqual({ html: '<b>hi</b>', webSafe: true })
})

test('getText: cuts each kind at maxBytes and sets hasMore', async () => {
  const [message] = await folder('Cut', [
    multipart(
      'alternative',
      ['Content-Type: text/plain; charset=utf-8', '', 'äöü'],
      ['Content-Type: text/html; charset=utf-8', '', '<p>0123456789</p>'],
    ),
  ])
  const cut = async (maxBytes: number) =>
    (await read(message?.id ?? '', { textType: '*', maxBytes })).text
  expect(await cut(5)).toMatchObject({ plain: 'äö', html: '<p>01', hasMore: true })
  expect(await cut(6)).toMatchObject({ plain: 'äöü', html: '<p>012', hasMore: true })
  expect(await cut(17)).toMatchObject({ plain: 'äöü', html: '<p>0123456789</p>', hasMore: false })
  expect(await cut(0)).toMatchObject({ plain: '', html: '', hasMore: true })
})

test('getAttachment: returns the decoded bytes with name and type of the part', async () => {
  const content = Buffer.alloc(300_000, 'posthorn')
  const [message] = await folder('Files', [
    multipart(
      'mixed',
      ['Content-Type: text/plain', '', 'see below'],
      [
        'Content-Type: application/pdf; name="=?utf-8?q?=C3=9Cbersicht?=.pdf"',
        'Content-Disposition: attachment',
        'Content-Transfer-Encoding: base64',
        '',
        content.toString('base64').replace(/.{76}/g, '$&\r\n'),
      ],
      [
        'Content-Type: message/rfc822',
        'Content-Disposition: attachment; filename=forwarded.eml',
        '',
        mail({ subject: 'inner' }),
      ],
    ),
  ])
  const [pdf, inner] = message?.attachments ?? []
  expect(await download(pdf?.id ?? '')).toMatchObject({
    contentType: 'application/pdf',
    filename: 'Übersicht.pdf',
  })
  expect((await download(pdf?.id ?? '')).content.equals(content)).toBe(true)
  const forwarded = await download(inner?.id ?? '')
  expect(forwarded).toMatchObject({ contentType: 'message/rfc822', filename: 'forwarded.eml' })
  expect(forwarded.content.toString()).toContain('Subject: inner')
})

test('getAttachment: an abandoned download releases its connection', async () => {
  const [message] = await folder('Large', [mail({ body: `${'x'.repeat(76)}\r\n`.repeat(40_000) })])
  for (let time = 0; time < 4; time++) {
    const { body } = await world.bus.requestStream(
      getMessageSource,
      { account, message: message?.id ?? '' },
      { key: `shard.${shardOf(account)}`, timeoutMs: 30_000 },
    )
    for await (const _ of body) break
  }
  expect((await list({ path: 'Large' })).total).toBe(1)
})

test('getMessage, getText, getAttachment: rejects ids of missing messages and parts', async () => {
  const [message] = await folder('Ids', [mail()])
  const uid = message?.uid ?? 0
  const { number: mailbox } = await world.db
    .selectFrom('mailboxes')
    .select('number')
    .where('account', '=', account)
    .where('path', '=', 'Ids')
    .executeTakeFirstOrThrow()
  const notFound = { kind: 'not-found', code: 'MessageNotFound' }
  for (const position of [
    { mailbox, uid: uid + 1 },
    { mailbox: 9_999, uid },
    { mailbox: 0x7fff_ffff, uid },
  ]) {
    await expect(download(encodeAttachmentId({ ...position, part: '1' }))).rejects.toMatchObject(
      notFound,
    )
    const text = encodeTextId({ ...position, plain: ['1'], html: [] })
    await expect(world.ask(getText, account, { text, textType: '*' })).rejects.toMatchObject(
      notFound,
    )
  }
  await expect(download(encodeAttachmentId({ mailbox, uid, part: '7.1' }))).rejects.toMatchObject(
    notFound,
  )
  // The text id names a MIME part that is no text of the message. Such a part is ignored.
  const foreign = encodeTextId({ mailbox, uid, plain: ['2'], html: ['1'] })
  expect(await world.ask(getText, account, { text: foreign, textType: '*' })).toEqual({
    hasMore: false,
  })
  const invalid = { kind: 'invalid', code: 'InvalidId' }
  const foreignId = encodeApiAttachmentId({ id: '!!!!!!', partId: '1' })
  for (const id of ['', 'x', 'ééé', 'AAAAAQAAAAE', 'A'.repeat(500), '../..', foreignId]) {
    await expect(download(id)).rejects.toMatchObject(invalid)
    await expect(world.ask(getText, account, { text: id, textType: '*' })).rejects.toMatchObject(
      invalid,
    )
  }
})

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ListMessagesInput, MessagePage, Search, UploadMessageInput } from '@posthorn/client'
import { eventually, type TestUser } from '@posthorn/testkit'
import { uniqueAccount, useSharedWorld } from '../shared-world.ts'
import { peakMemory } from '../peak-memory.ts'
import { freshMessageId } from '../world.ts'
import { logIn } from './imap-client.ts'

const janeId = uniqueAccount('jane')
const world = await useSharedWorld()
afterAll(() => world[Symbol.asyncDispose]())
let user: TestUser
beforeAll(async () => {
  user = await world.connectAccount(janeId)
})

const { posthorn } = world
const account = janeId
const upload = (body: UploadMessageInput['body']) => posthorn.uploadMessage({ account, body })
type Position = Pick<ListMessagesInput, 'cursor' | 'page' | 'pageSize'>
const list = (path: string, position: Position = {}) =>
  posthorn.listMessages({ account, path, ...position })
const search = (path: string, terms: Search, position: Position = {}) =>
  posthorn.searchMessages({ account, path, ...position, body: { search: terms } })

test('an uploaded message is announced, listed, found and read, with text and attachments', async () => {
  const content = randomBytes(300_000)
  const messageId = freshMessageId()
  const stored = await upload({
    path: '\\Drafts',
    flags: ['\\Seen', '\\Draft'],
    internalDate: '2024-02-29T12:00:00Z',
    to: [{ name: 'Jörg', address: 'joerg@example.test' }],
    bcc: [{ address: 'blind@example.test' }],
    subject: 'Übersicht',
    text: 'Grüße',
    html: '<p onclick="x()">Grüße <img src="cid:pic"></p>',
    messageId,
    attachments: [
      {
        filename: 'Daten 😀.bin',
        contentType: 'application/x-data',
        content,
      },
      {
        filename: 'p.png',
        contentType: 'image/png',
        contentDisposition: 'inline',
        cid: 'pic',
        content: 'iVBORw==',
      },
    ],
  })
  expect(stored).toEqual({
    id: expect.any(String),
    path: 'Drafts',
    uid: 1,
    uidValidity: expect.any(String),
    seq: 1,
    messageId,
  })
  const { id = '' } = stored
  const webhook = await world.webhook(
    ({ event, data }) => event === 'messageNew' && data.messageId === messageId,
  )
  expect(webhook.data).toMatchObject({
    id,
    path: 'Drafts',
    subject: 'Übersicht',
    seemsLikeNew: false,
  })

  const results = await search('Drafts', { subject: 'übersicht', draft: true })
  expect(results).toMatchObject({
    total: 1,
    messages: [
      { id, flags: ['\\Draft', '\\Seen'], draft: true, bcc: [{ address: 'blind@example.test' }] },
    ],
  })
  const read = await posthorn.getMessage({ account, message: id, webSafeHtml: true })
  expect(read).toMatchObject({
    subject: 'Übersicht',
    messageSpecialUse: '\\Drafts',
    text: { plain: expect.stringContaining('Grüße'), webSafe: true, hasMore: false },
  })
  expect(read.text?.html).toContain('data:image/png;base64,iVBORw==')
  expect(read.text?.html).not.toContain('onclick')
  const text = await posthorn.getText({
    account,
    text: read.text?.id ?? '',
    textType: 'plain',
    maxBytes: 3,
  })
  expect(text).toEqual({ plain: 'Gr', hasMore: true })
  const { id: attachment = '' } =
    read.attachments?.find(({ contentType }) => contentType === 'application/x-data') ?? {}
  const response = await posthorn.getAttachment({ account, attachment })
  expect(response.headers.get('content-type')).toBe('application/x-data')
  expect(response.headers.get('content-disposition')).toBe(
    `attachment; filename="Daten _.bin"; filename*=UTF-8''Daten%20%F0%9F%98%80.bin`,
  )
  expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true)
})

test('a reply draft belongs to the thread and includes a stored attachment', async () => {
  const messageId = freshMessageId()
  await world.mail.deliver(
    user.user,
    [
      'From: Shop <shop@example.test>',
      `To: ${user.address}`,
      'Subject: Your order',
      `Message-ID: ${messageId}`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'It is on its way.',
      '--b',
      'Content-Type: application/pdf; name=bill.pdf',
      'Content-Disposition: attachment; filename=bill.pdf',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.from('the bill').toString('base64'),
      '--b--',
      '',
    ].join('\r\n'),
  )
  const { data } = await world.webhook(
    ({ event, data }) => event === 'messageNew' && data.messageId === messageId,
  )
  const read = await posthorn.getMessage({ account, message: data.id })
  const { id: message = '' } = await upload({
    path: '\\Drafts',
    reference: { message: data.id, action: 'reply', inline: true },
    text: 'Thank you',
    attachments: [{ reference: read.attachments?.[0]?.id ?? '' }],
  })
  const draft = await posthorn.getMessage({ account, message, textType: 'plain' })
  expect(draft).toMatchObject({
    subject: 'Re: Your order',
    inReplyTo: messageId,
    to: [{ name: 'Shop', address: 'shop@example.test' }],
    headers: { references: [messageId] },
    text: {
      plain: expect.stringMatching(/^Thank you\n\n.*shop@example\.test>:\n> It is on its way\./),
    },
    attachments: [{ filename: 'bill.pdf', contentType: 'application/pdf' }],
  })
  const attachment = draft.attachments?.[0]?.id ?? ''
  const bill = await posthorn.getAttachment({ account, attachment })
  expect(await bill.text()).toBe('the bill')
})

test('paging covers a mailbox and a search completely, and cursors survive new messages', async () => {
  const client = await logIn(user)
  await using _ = { [Symbol.asyncDispose]: () => client.logout() }
  await client.mailboxCreate('Many')
  const message = (n: number) =>
    `Subject: number ${n}\r\nMessage-ID: ${freshMessageId()}\r\n\r\nx\r\n`
  for (let n = 0; n < 25; n++) await client.append('Many', message(n), n % 2 ? ['\\Seen'] : [])
  await eventually(async () => expect((await list('Many')).total).toBe(25))
  /** Reads all pages of a message list. A cursor takes precedence over the number of a page. */
  const walk = async (page: (position: Position) => Promise<MessagePage>) => {
    const seen: (string | undefined)[] = []
    for (let position: Position | undefined = { pageSize: 7 }; position;) {
      const { messages, nextPageCursor: cursor } = await page(position)
      seen.push(...messages.map(({ subject }) => subject))
      position = cursor === null ? undefined : { pageSize: 7, cursor, page: 9 }
    }
    return seen
  }
  const numbers = (step: number) =>
    Array.from({ length: Math.ceil(25 / step) }, (_, n) => `number ${24 - n * step}`)
  expect(await walk((position) => list('Many', position))).toEqual(numbers(1))
  expect(await walk((position) => search('Many', { unseen: true }, position))).toEqual(numbers(2))
  const first = await list('Many', { pageSize: 10 })
  await client.append('Many', message(25))
  const second = await list('Many', { pageSize: 10, cursor: first.nextPageCursor ?? '' })
  expect(second).toMatchObject({ total: 26, page: 1, pages: 3 })
  expect(second.messages[0]?.subject).toBe('number 15')
})

test('a message of the maximum size is uploaded while the worker uses at most 600 MB', async () => {
  const line = `${'x'.repeat(76)}\r\n`
  const raw = `Subject: big\r\n\r\n${line.repeat(Math.floor((36 * 2 ** 20) / line.length))}`
  const { path, id: message = '' } = await posthorn.uploadMessage({
    account,
    body: { path: 'Archive', raw: Buffer.from(raw) },
    timeout: 60_000,
  })
  expect(path).toBe('Archive')
  const response = await posthorn.getMessageSource({ account, message })
  expect((await response.text()) === raw).toBe(true)
  // The message is in the memory of sync-worker once, plus garbage that was not collected yet.
  const worker = (await peakMemory(world.pids['sync-worker'] ?? 0)) / 1024 ** 2
  expect(worker > 0 && worker < 600 ? 'fine' : `the worker used ${worker} MB`).toBe('fine')
})

test('requests that cannot be stored, found or parsed have distinct error codes', async () => {
  await expect(upload({ path: 'Nowhere', text: 'x' })).rejects.toMatchObject({
    status: 404,
    code: 'FolderNotFound',
  })
  const badFlag = upload({ path: 'Archive', text: 'x', flags: ['k'.repeat(120)] })
  await expect(badFlag).rejects.toMatchObject({
    status: 502,
    code: 'UploadFail',
    problem: { info: { serverResponseCode: 'CANNOT' } },
  })
  const noPath = posthorn.searchMessages({ account, body: { search: {} } })
  await expect(noPath).rejects.toMatchObject({ status: 400, fields: [{ path: 'path' }] })
  await expect(search('INBOX', { gmailRaw: 'x' })).rejects.toMatchObject({
    status: 422,
    code: 'MissingServerExtension',
  })
  for (const [cursor, code] of [
    ['outlook_abc', 'InvalidCursorType'],
    ['imap_abc', 'InvalidCursorValue'],
  ] as const)
    await expect(list('INBOX', { cursor })).rejects.toMatchObject({ status: 400, code })
  for (const read of [
    () => posthorn.getAttachment({ account, attachment: 'x' }),
    () => posthorn.getText({ account, text: 'x' }),
    () => posthorn.getMessage({ account, message: 'x' }),
    () => posthorn.getMessageSource({ account, message: 'x' }),
    // Ids with the mailbox number 2^31, above the numbers of mailboxes.
    () => posthorn.getMessage({ account, message: 'gAAAAAAAAAE' }),
    () => posthorn.getAttachment({ account, attachment: 'gAAAAAAAAAEx' }),
  ])
    await expect(read()).rejects.toMatchObject({ status: 400, code: 'InvalidId' })
})

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { operations } from '@posthorn/contracts/operations'
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

const account = { account: janeId }
const upload = (body: object) =>
  world.client.call(operations.uploadMessage, { params: account, body })
const list = (query: Record<string, string | number>) =>
  world.client.call(operations.listMessages, { params: account, query })
const search = (query: Record<string, string | number>, terms: object) =>
  world.client.call(operations.searchMessages, {
    params: account,
    query,
    body: { search: terms },
  })
const download = (path: string) =>
  fetch(new URL(`/v1/account/${janeId}/${path}`, world.url), {
    headers: { authorization: `Bearer ${world.token}` },
  })

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
        content: content.toString('base64'),
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
  expect([stored.status, stored.body]).toEqual([
    200,
    {
      id: expect.any(String),
      path: 'Drafts',
      uid: 1,
      uidValidity: expect.any(String),
      seq: 1,
      messageId,
    },
  ])
  const { id } = stored.body
  const webhook = await world.webhook(
    ({ event, data }) => event === 'messageNew' && data.messageId === messageId,
  )
  expect(webhook.data).toMatchObject({
    id,
    path: 'Drafts',
    subject: 'Übersicht',
    seemsLikeNew: false,
  })

  const results = await search({ path: 'Drafts' }, { subject: 'übersicht', draft: true })
  expect(results.body).toMatchObject({
    total: 1,
    messages: [
      { id, flags: ['\\Draft', '\\Seen'], draft: true, bcc: [{ address: 'blind@example.test' }] },
    ],
  })
  const read = await world.client.call(operations.getMessage, {
    params: { ...account, message: id },
    query: { webSafeHtml: true },
  })
  expect(read.body).toMatchObject({
    subject: 'Übersicht',
    messageSpecialUse: '\\Drafts',
    text: { plain: expect.stringContaining('Grüße'), webSafe: true, hasMore: false },
  })
  expect(read.body.text.html).toContain('data:image/png;base64,iVBORw==')
  expect(read.body.text.html).not.toContain('onclick')
  const text = await world.client.call(operations.getText, {
    params: { ...account, text: read.body.text.id },
    query: { textType: 'plain', maxBytes: 3 },
  })
  expect(text.body).toEqual({ plain: 'Gr', hasMore: true })
  const attachment = read.body.attachments.find(
    ({ contentType }: { contentType: string }) => contentType === 'application/x-data',
  )
  const response = await download(`attachment/${attachment.id}`)
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
  const read = await world.client.call(operations.getMessage, {
    params: { ...account, message: data.id },
  })
  const { body: answer } = await upload({
    path: '\\Drafts',
    reference: { message: data.id, action: 'reply', inline: true },
    text: 'Thank you',
    attachments: [{ reference: read.body.attachments[0].id }],
  })
  const draft = await world.client.call(operations.getMessage, {
    params: { ...account, message: answer.id },
    query: { textType: 'plain' },
  })
  expect(draft.body).toMatchObject({
    subject: 'Re: Your order',
    inReplyTo: messageId,
    to: [{ name: 'Shop', address: 'shop@example.test' }],
    headers: { references: [messageId] },
    text: {
      plain: expect.stringMatching(/^Thank you\n\n.*shop@example\.test>:\n> It is on its way\./),
    },
    attachments: [{ filename: 'bill.pdf', contentType: 'application/pdf' }],
  })
  const bill = await download(`attachment/${draft.body.attachments[0].id}`)
  expect(await bill.text()).toBe('the bill')
})

test('paging covers a mailbox and a search completely, and cursors survive new messages', async () => {
  const client = await logIn(user)
  await using _ = { [Symbol.asyncDispose]: () => client.logout() }
  await client.mailboxCreate('Many')
  const message = (n: number) =>
    `Subject: number ${n}\r\nMessage-ID: ${freshMessageId()}\r\n\r\nx\r\n`
  for (let n = 0; n < 25; n++) await client.append('Many', message(n), n % 2 ? ['\\Seen'] : [])
  await eventually(async () => expect((await list({ path: 'Many' })).body.total).toBe(25))
  const walk = async (page: (query: Record<string, string | number>) => Promise<string[]>) => {
    const seen: string[] = []
    for (let query: Record<string, string | number> | undefined = { pageSize: 7 }; query;) {
      seen.push(...(await page(query)))
      query = cursor === null ? undefined : { pageSize: 7, cursor, page: 9 }
    }
    return seen
  }
  let cursor: string | null = null
  const take = ({
    body,
  }: {
    body: { nextPageCursor: string | null; messages: { subject: string }[] }
  }) => {
    cursor = body.nextPageCursor
    return body.messages.map(({ subject }) => subject)
  }
  const numbers = (step: number) =>
    Array.from({ length: Math.ceil(25 / step) }, (_, n) => `number ${24 - n * step}`)
  expect(await walk(async (query) => take(await list({ path: 'Many', ...query })))).toEqual(
    numbers(1),
  )
  expect(
    await walk(async (query) => take(await search({ path: 'Many', ...query }, { unseen: true }))),
  ).toEqual(numbers(2))
  const [first] = [await list({ path: 'Many', pageSize: 10 })]
  await client.append('Many', message(25))
  const second = await list({ path: 'Many', pageSize: 10, cursor: first?.body.nextPageCursor })
  expect(second.body).toMatchObject({ total: 26, page: 1, pages: 3 })
  expect(second.body.messages[0].subject).toBe('number 15')
})

test('a message of the maximum size is uploaded while the worker uses at most 600 MB', async () => {
  const line = `${'x'.repeat(76)}\r\n`
  const raw = `Subject: big\r\n\r\n${line.repeat(Math.floor((36 * 2 ** 20) / line.length))}`
  const stored = await world.client.call(operations.uploadMessage, {
    params: account,
    body: { path: 'Archive', raw: Buffer.from(raw).toString('base64') },
    headers: { 'x-svc-timeout': '60000' },
  })
  expect([stored.status, stored.body.path]).toEqual([200, 'Archive'])
  const response = await download(`message/${stored.body.id}/source`)
  expect((await response.text()) === raw).toBe(true)
  // The message is in memory once, plus garbage that was not collected yet.
  const worker = (await peakMemory(world.pids['sync-worker'] ?? 0)) / 1024 ** 2
  expect(worker > 0 && worker < 600 ? 'fine' : `the worker used ${worker} MB`).toBe('fine')
})

test('requests that cannot be stored, found or parsed have distinct error codes', async () => {
  expect(await upload({ path: 'Nowhere', text: 'x' })).toMatchObject({
    status: 404,
    body: { code: 'FolderNotFound' },
  })
  expect(await upload({ path: 'Archive', text: 'x', flags: ['k'.repeat(120)] })).toMatchObject({
    status: 502,
    body: { code: 'UploadFail', info: { serverResponseCode: 'CANNOT' } },
  })
  expect(await search({}, {})).toMatchObject({ status: 400, body: { fields: [{ path: 'path' }] } })
  expect(await search({ path: 'INBOX' }, { gmailRaw: 'x' })).toMatchObject({
    status: 422,
    body: { code: 'MissingServerExtension' },
  })
  for (const [path, query] of [
    ['cursor', { path: 'INBOX', cursor: 'outlook_abc' }],
    ['cursor', { path: 'INBOX', cursor: 'imap_abc' }],
  ] as const) {
    const { status, body } = await list(query)
    expect([path, status, body.code]).toEqual([
      path,
      400,
      query.cursor.startsWith('imap') ? 'InvalidCursorValue' : 'InvalidCursorType',
    ])
  }
  for (const path of ['attachment/x', 'text/x', 'message/x', 'message/x/source']) {
    const response = await download(path)
    expect([path, response.status, await response.json()]).toMatchObject([
      path,
      400,
      { code: 'InvalidId' },
    ])
  }
})

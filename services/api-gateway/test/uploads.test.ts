import { afterAll, afterEach, expect, test } from '@jest/globals'
import { on } from '@posthorn/bus'
import { getAttachment, getMessage, uploadMessage } from '@posthorn/contracts/commands/messages'
import type { CommandRequest } from '@posthorn/contracts/define'
import type { MessageDetail } from '@posthorn/contracts/schemas/message'
import { shardOf } from '@posthorn/contracts/shards'
import { AppError } from '@posthorn/errors'
import { eventually } from '@posthorn/testkit'
import { admin, registration, testServers } from './gateway.ts'

const servers = await testServers()
const { db } = servers
const { call, url } = await servers.start({ SVC_MAX_BODY_SIZE: '3MB' })
const account = { ...registration('held'), email: 'me@mail.example' }
await call('POST', '/v1/account', { body: account })
await call('POST', '/v1/account', { body: registration('unheld') })

const uploads: CommandRequest<typeof uploadMessage>[] = []
const stored: string[] = []
let refusal: AppError | undefined
const original: MessageDetail = {
  id: 'AAAAAQAAAAE',
  flags: [],
  subject: 'Plans',
  messageId: '<2@elsewhere.example>',
  from: { name: 'Ann', address: 'ann@elsewhere.example' },
  to: [{ address: 'me@mail.example' }, { address: 'bob@elsewhere.example' }],
  cc: [{ name: 'Cy', address: 'cy@elsewhere.example' }],
  date: '2024-05-06T07:08:00.000Z',
  headers: { references: ['<1@elsewhere.example>'] },
  text: { id: 'x', encodedSize: {}, plain: 'first\nsecond', html: '<p>first</p>' },
  attachments: [
    {
      id: 'a1',
      contentType: 'image/png',
      encodedSize: 9,
      contentId: '<pic@x>',
      inline: true,
      filename: 'pic.png',
    },
  ],
}

const bus = await servers.connectBus()
await bus.serve({
  queue: 'private',
  keys: [`shard.${shardOf('held')}`],
  handlers: [
    on(uploadMessage, async (request) => {
      uploads.push(request)
      if (refusal) throw refusal
      const { mime } = await db
        .deleteFrom('uploads')
        .where('id', '=', request.upload)
        .returning('mime')
        .executeTakeFirstOrThrow()
      stored.push(mime.toString())
      return { id: 'AAAAAQAAAAI', path: request.path, uid: 2, uidValidity: '7', seq: 2 }
    }),
    on(getMessage, async ({ message }) => {
      if (message === 'gone')
        throw new AppError('not-found', 'The message does not exist', { code: 'MessageNotFound' })
      return original
    }),
    on(getAttachment, async ({ attachment }) => {
      if (attachment === 'gone')
        throw new AppError('not-found', 'The message does not exist', { code: 'MessageNotFound' })
      const bytes = attachment === 'huge' ? 4 * 2 ** 20 : 9
      return {
        response: { contentType: 'text/html', charset: 'utf-8', filename: 'Übersicht\r\n.html' },
        body: once(Buffer.alloc(bytes, attachment)),
      }
    }),
  ],
})
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})
afterEach(() => {
  refusal = undefined
  uploads.length = 0
  stored.length = 0
})

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const upload = (body: object, owner = 'held') =>
  call('POST', `/v1/account/${owner}/message`, { body: { path: 'Drafts', ...body } })
const waiting = async () => (await db.selectFrom('uploads').select('id').execute()).length
/** Unfolded header of the uploaded message that the worker stored. */
const header = (name: string) =>
  new RegExp(`^${name}: (.*)$`, 'mi').exec((stored[0] ?? '').replaceAll(/\r\n[ \t]/g, ' '))?.[1]

test('uploadMessage: composes a message from fields and sends it to the worker', async () => {
  await eventually(async () => {
    const answer = await upload({
      flags: ['\\Seen', '\\Draft', 'custom'],
      internalDate: '2020-01-02T03:04:05Z',
      to: { name: 'Jörg', address: 'to@mail.example' },
      bcc: [{ address: 'blind@mail.example' }],
      subject: 'Entwurf',
      text: 'hallo',
      headers: { 'X-Custom': 'yes' },
      attachments: [{ filename: 'a.txt', content: Buffer.from('content').toString('base64') }],
    })
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        id: 'AAAAAQAAAAI',
        path: 'Drafts',
        uid: 2,
        uidValidity: '7',
        seq: 2,
        messageId: expect.stringMatching(/^<.+@mail\.example>$/),
      },
    ])
  })
  expect(uploads.at(-1)).toMatchObject({
    account: 'held',
    path: 'Drafts',
    flags: ['\\Seen', '\\Draft', 'custom'],
    internalDate: '2020-01-02T03:04:05Z',
    size: stored.at(-1)?.length,
  })
  expect(header('From')).toBe('Name of held <me@mail.example>')
  expect(header('Bcc')).toBe('blind@mail.example')
  expect(header('X-Custom')).toBe('yes')
  expect(stored.at(-1)).toContain('hallo')
  // The gateway deletes the uploaded bytes of a refused first attempt in the background.
  await eventually(async () => expect(await waiting()).toBe(0))
})

test('uploadMessage: a raw message is stored with normalized line ends', async () => {
  const raw = 'Message-ID: <raw@x.example>\nSubject: raw\n\nbody\n'
  const { status, body } = await upload({ raw: Buffer.from(raw).toString('base64') })
  expect([status, body['messageId']]).toEqual([200, '<raw@x.example>'])
  expect(stored).toEqual([raw.replaceAll('\n', '\r\n')])
  const bare = await upload({ raw: Buffer.from('Subject: no id\r\n\r\n').toString('base64') })
  expect(bare.body).not.toHaveProperty('messageId')
})

test('uploadMessage: a reply has the recipient and thread of the original', async () => {
  const reference = { message: original.id, inline: true }
  const { body } = await upload({ reference, text: 'yes', tz: 'Europe/Tallinn', locale: 'de' })
  expect(body['reference']).toEqual({ message: original.id, success: true })
  expect(header('To')).toBe('Ann <ann@elsewhere.example>')
  expect(header('Cc')).toBeUndefined()
  expect(header('Subject')).toBe('Re: Plans')
  expect(header('In-Reply-To')).toBe('<2@elsewhere.example>')
  expect(header('References')).toBe('<1@elsewhere.example> <2@elsewhere.example>')
  expect(stored[0]).toContain(
    'yes\r\n\r\n06.05.2024, 10:08, Ann <ann@elsewhere.example>:\r\n> first\r\n> second',
  )
})

test('uploadMessage: the quotation uses locale and timezone of the settings by default', async () => {
  await call('POST', '/v1/settings', { body: { locale: 'de', timezone: 'Europe/Tallinn' } })
  await upload({ reference: { message: original.id, inline: true }, text: 'yes' })
  expect(stored[0]).toContain('06.05.2024, 10:08, Ann <ann@elsewhere.example>:')
  await upload({ reference: { message: original.id, inline: true }, text: 'yes', tz: 'UTC' })
  expect(stored[1]).toContain('06.05.2024, 07:08, Ann <ann@elsewhere.example>:')
  await call('POST', '/v1/settings', { body: { locale: null, timezone: null } })
})

test('uploadMessage: a reply to all excludes the owner; fields of the request win', async () => {
  await upload({
    reference: { message: original.id, action: 'reply-all' },
    subject: 'Mine',
    text: '',
  })
  expect(header('To')).toBe('Ann <ann@elsewhere.example>, bob@elsewhere.example')
  expect(header('Cc')).toBe('Cy <cy@elsewhere.example>')
  expect(header('Subject')).toBe('Mine')
})

test('uploadMessage: forwardAttachments adds the attachments of the original', async () => {
  await upload({
    to: { address: 'new@mail.example' },
    reference: { message: original.id, action: 'forward', forwardAttachments: true, inline: true },
  })
  expect(header('To')).toBe('new@mail.example')
  expect(header('Subject')).toBe('Fwd: Plans')
  expect(stored[0]).toContain('---------- Forwarded message ----------')
  expect(header('Content-ID')).toBe('<pic@x>')
  expect(stored[0]).toContain(Buffer.alloc(9, 'a1').toString('base64'))
})

test('uploadMessage: a missing reference responds 404, or is reported with ignoreMissing', async () => {
  const reference = { message: 'gone' }
  expect(await upload({ reference, text: 'x' })).toMatchObject({
    status: 404,
    body: { code: 'MessageNotFound' },
  })
  const other = { message: original.id, messageId: '<other@x>' }
  expect((await upload({ reference: other, text: 'x' })).status).toBe(404)
  expect(stored).toEqual([])
  const ignored = await upload({ reference: { ...reference, ignoreMissing: true }, text: 'x' })
  expect(ignored).toMatchObject({
    status: 200,
    body: { reference: { message: 'gone', success: false, error: expect.any(String) } },
  })
})

test('uploadMessage: an attachment can reference a stored one', async () => {
  const attachments = [
    { reference: 'stored' },
    { reference: 'stored', filename: 'other.bin', contentType: 'image/gif' },
  ]
  expect((await upload({ text: 'x', attachments })).status).toBe(200)
  expect(stored[0]).toMatch(/Content-Type: text\/html/)
  expect(stored[0]).toMatch(/Content-Type: image\/gif; name=other\.bin/)
  expect(stored[0]).not.toMatch(/^\.html/m)
  expect(await upload({ text: 'x', attachments: [{ reference: 'gone' }] })).toMatchObject({
    status: 404,
    body: { code: 'MessageNotFound' },
  })
  expect((await upload({ text: 'x', attachments: [{ reference: 'huge' }] })).status).toBe(413)
})

test('uploadMessage: contradicting fields are rejected and nothing is stored', async () => {
  const content = 'aGk='
  const raw = Buffer.from('A: b\r\n\r\n').toString('base64')
  const wrong: [object, string][] = [
    [{ path: undefined }, 'path'],
    [{ path: 'a\nb' }, 'path'],
    [{ raw, text: 'x' }, 'text'],
    [{ raw: '' }, 'raw'],
    [{ raw: 'no base64!' }, 'raw'],
    [{ flags: ['\\Recent'] }, 'flags.0'],
    [{ flags: ['a b'] }, 'flags.0'],
    [{ flags: ['a\r\nb'] }, 'flags.0'],
    [{ flags: ['x'.repeat(129)] }, 'flags.0'],
    [{ internalDate: 'yesterday' }, 'internalDate'],
    [{ attachments: [{ filename: 'x' }] }, 'attachments.0.content'],
    [{ attachments: [{ content, reference: 'x' }] }, 'attachments.0.reference'],
    [{ reference: {} }, 'reference.message'],
    [{ reference: { message: 'x', action: 'answer' } }, 'reference.action'],
    [{ reference: { message: 'x', forwardAttachments: true } }, 'reference.forwardAttachments'],
    [{ subject: 'a\r\nBcc: b' }, 'subject'],
    [{ headers: { Bcc: 'x' } }, 'headers.Bcc'],
    [{ unknown: 1 }, 'unknown'],
  ]
  for (const [body, path] of wrong) {
    const answer = await upload(body)
    expect([body, answer.status, answer.body.fields?.[0]?.path]).toEqual([body, 400, path])
  }
  expect(await upload({ reference: { threadId: 'x' }, text: '' })).toMatchObject({
    status: 400,
    body: { code: 'UnsupportedOperation' },
  })
  expect(uploads).toEqual([])
  expect(await waiting()).toBe(0)
})

test('uploadMessage: a rejection by the worker is returned and the bytes are deleted', async () => {
  refusal = new AppError('rejected', 'The mail server refused to store the message', {
    code: 'UploadFail',
    extras: { info: { response: 'Quota exceeded', serverResponseCode: 'OVERQUOTA' } },
  })
  expect(await upload({ text: 'x' })).toMatchObject({
    status: 502,
    body: { code: 'UploadFail', error: 'Bad Gateway', info: { response: 'Quota exceeded' } },
  })
  expect((await upload({ text: 'x' }, 'unheld')).body).toMatchObject({
    statusCode: 503,
    code: 'NotYetConnected',
  })
  await eventually(async () => expect(await waiting()).toBe(0))
  expect((await upload({ text: 'x' }, 'missing')).status).toBe(404)
})

test('uploadMessage: accepts a body of the maximum size, rejects a larger one', async () => {
  const raw = Buffer.alloc(2_000_000, 'Subject: x\r\n').toString('base64')
  expect((await upload({ raw })).status).toBe(200)
  expect((await upload({ raw: raw + raw })).status).toBe(413)
})

test('getAttachment: sends type and name, as a download', async () => {
  const get = (id: string) =>
    fetch(`${url}/v1/account/held/attachment/${id}`, {
      headers: { authorization: `Bearer ${admin}` },
    })
  const attachment = await get('stored')
  expect(attachment.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(attachment.headers.get('content-disposition')).toBe(
    `attachment; filename="_bersicht.html"; filename*=UTF-8''%C3%9Cbersicht.html`,
  )
  expect(attachment.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await attachment.text()).toBe('storedsto')
  const gone = await get('gone')
  expect([gone.status, await gone.json()]).toMatchObject([404, { code: 'MessageNotFound' }])
  expect(gone.headers.get('content-disposition')).toBeNull()
})

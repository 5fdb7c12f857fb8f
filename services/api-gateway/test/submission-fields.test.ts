import { afterAll, afterEach, expect, test } from '@jest/globals'
import { createUnsealer, keyPairFromSecret, unsealLogin } from '@posthorn/secrets'
import { mint } from './gateway.ts'
import { sendingWorld } from './sending-world.ts'

const world = await sendingWorld()
const { call, db, mailbox, queued, rows, submit } = world
const unsealer = createUnsealer([keyPairFromSecret(world.servers.env.SVC_SECRET).privateKey])
afterAll(world.stop)
afterEach(async () => {
  await db.deleteFrom('outbox').execute()
  await call('POST', '/v1/settings', {
    body: { serviceUrl: null, trackOpens: null, trackClicks: null },
  })
})

const to = [{ name: 'Ada', address: 'ada@elsewhere.example' }]
const base64 = (text: string) => Buffer.from(text).toString('base64')
const paths = ({ body }: { body: { fields?: { path: string }[] } }) =>
  body.fields?.map(({ path }) => path)

test('submitMessage: stores the send options with the message', async () => {
  await db
    .insertInto('gateways')
    .values({ gateway: 'relay', name: 'Relay', host: 'relay.example', port: 25 })
    .execute()
  const how = {
    gateway: 'relay',
    proxy: 'socks5://u:p@proxy.example:1080',
    localAddress: '192.0.2.7',
    dsn: {
      id: 'x',
      return: 'headers',
      notify: ['success', 'failure'],
      recipient: 'r@mail.example',
    },
  }
  const answer = await call(
    'POST',
    '/v1/account/me/submit?useStructuredFormat=false&documentStore=true',
    {
      body: { to, text: 'x', ...how, copy: false, sentMailPath: 'Elsewhere' },
    },
  )
  expect(answer.status).toBe(200)
  const { proxy, ...row } = await queued()
  expect(proxy).not.toContain('u:p@')
  expect(await unsealLogin(proxy ?? '', unsealer)).toBe(how.proxy)
  const { proxy: _proxy, ...stored } = how
  expect(row).toMatchObject({
    ...stored,
    useStructuredFormat: false,
    filing: { copy: false, sentMailPath: 'Elsewhere' },
  })
  await submit({ to, text: 'x', copy: true, sentMailPath: 'Elsewhere' })
  expect(await queued()).toMatchObject({
    gateway: null,
    filing: { copy: true, sentMailPath: 'Elsewhere' },
  })
  await submit({ to, text: 'x', copy: null })
  expect((await queued()).filing).toBeNull()
})

test('submitMessage: useStructuredFormat true, rejected and nothing is queued', async () => {
  const answer = await call('POST', '/v1/account/me/submit?useStructuredFormat=true', {
    body: { to, text: 'x' },
  })
  expect([answer.status, paths(answer)]).toEqual([400, ['useStructuredFormat']])
  expect(await rows()).toEqual([])
})

test('submitMessage: a gateway sends for accounts without a server; a missing one responds 404', async () => {
  await world.register('bare', { smtp: false, imap: false, email: 'bare@mail.example' })
  const send = (body: object) => call('POST', '/v1/account/bare/submit', { body })
  expect((await send({ to, text: 'x', gateway: 'relay' })).status).toBe(200)
  expect(await queued()).toMatchObject({ gateway: 'relay', filing: null })
  expect((await send({ to, text: 'x' })).body).toMatchObject({ code: 'SMTPUnavailable' })
  expect((await send({ to, text: 'x', gateway: 'no"ne' })).body).toEqual({
    statusCode: 404,
    error: 'Not Found',
    message: 'Gateway "no"ne" was not found',
  })
})

test.each([
  ['with restricted permissions', { permissions: { actions: ['send'] } }],
  ['that are bound to an account', { account: 'me' }],
])('submitMessage: a proxy is rejected for tokens %s', async (_which, limits) => {
  const token = await mint(call, limits)
  const body = { to, text: 'x', proxy: 'http://proxy.example' }
  expect((await call('POST', '/v1/account/me/submit', { token, body })).status).toBe(403)
  const draft = { token, body: { proxy: body.proxy } }
  expect((await call('POST', '/v1/account/me/message/draft/submit', draft)).status).toBe(403)
  expect(await rows()).toEqual([])
  const { proxy: _proxy, ...rest } = body
  expect((await call('POST', '/v1/account/me/submit', { token, body: rest })).status).toBe(200)
})

test('submitMessage: a dry run returns the message and queues nothing', async () => {
  await call('POST', '/v1/settings', {
    body: { serviceUrl: 'https://post.example', trackOpens: true },
  })
  const { body } = await submit(
    { to, html: '<b>x</b>', dryRun: true },
    { 'idempotency-key': 'dry' },
  )
  expect(body).toEqual({
    response: 'Dry run',
    messageId: expect.any(String),
    preview: expect.any(String),
  })
  const shown = Buffer.from(String(body['preview']), 'base64').toString()
  expect(shown).toContain(`Message-ID: ${String(body['messageId'])}`)
  expect(shown).not.toContain('open.gif')
  expect(await rows()).toEqual([])
})

test('submitMessage: a raw message is stored unchanged with the recipients of its headers', async () => {
  const raw =
    'From: x@mail.example\nTo: a@x.example\nBcc: b@x.example\nX-SVC-Account: me\nSubject: s\n\nhi\n'
  const { body } = await submit({ raw: base64(raw) })
  const row = await queued()
  expect(row).toMatchObject({
    messageId: body['messageId'],
    subject: 's',
    envelope: { from: 'x@mail.example', to: ['a@x.example', 'b@x.example'] },
  })
  expect(row.text).not.toMatch(/b@x|X-SVC/)
  await submit({
    raw: base64(raw),
    envelope: { to: ['z@x.example'] },
    subject: 'other',
    reference: { message: 'letter' },
  })
  const changed = await queued()
  expect(changed).toMatchObject({ subject: 'other', envelope: { to: ['z@x.example'] } })
  expect(changed.text).toMatch(/^In-Reply-To: <2@elsewhere\.example>/m)
})

test.each([
  ['missing', { text: 'x' }, ['to']],
  ['no recipient in a raw message', { raw: base64('Subject: x\n\nx') }, ['raw']],
  ['raw that is no message', { raw: base64('hello') }, ['raw']],
  ['raw beside its parts', { raw: base64('To: a@x.example\n\n'), text: 'x' }, ['text']],
  [
    'a merge beside recipients',
    { mailMerge: [{ to: to[0] }], to, render: false },
    ['to', 'render'],
  ],
  ['an empty merge', { mailMerge: [] }, ['mailMerge']],
  ['an empty attachment', { to, attachments: [{ content: '' }] }, ['attachments.0.content']],
  ['an attachment of spaces', { to, attachments: [{ content: ' =' }] }, ['attachments.0.content']],
  [
    'content and reference',
    { to, attachments: [{ content: 'QQ==', reference: 'a1' }] },
    ['attachments.0.reference'],
  ],
  [
    'forwarded attachments in a reply',
    { reference: { message: 'letter', forwardAttachments: true } },
    ['reference.forwardAttachments'],
  ],
  ['a list id with spaces', { to, listId: 'my list' }, ['listId']],
  ['a list id with a line break', { to, listId: 'a\r\nBcc: x@y.example' }, ['listId']],
  [
    'a list for several',
    { to: [...to, { address: 'b@x.example' }], listId: 'news', baseUrl: 'https://p.example' },
    ['listId'],
  ],
  [
    'a line break in a header',
    { to, headers: { 'X-A': 'a\r\nBcc: x@y.example' } },
    ['headers.X-A'],
  ],
  ['a line break in a name', { to: [{ name: 'a\nb', address: 'a@x.example' }] }, ['to.0.name']],
  ['a line break in an id', { to, messageId: 'a@b\r\nBcc:x' }, ['messageId']],
  ['never and more', { to, dsn: { return: 'full', notify: ['never', 'success'] } }, ['dsn.notify']],
  ['no address', { to, localAddress: 'mail.example' }, ['localAddress']],
  ['no proxy', { to, proxy: 'ftp://x.example' }, ['proxy']],
  [
    'too many together',
    { to: Array.from({ length: 600 }, () => to[0]), cc: Array.from({ length: 600 }, () => to[0]) },
    ['cc'],
  ],
  ['too many', { to: Array.from({ length: 10_000 }, () => to[0]) }, ['to']],
  ['links that lead nowhere', { to, html: '<a>', trackClicks: true }, ['baseUrl']],
])('submitMessage: %s, rejected and nothing is queued', async (_what, body, expected) => {
  const answer = await submit({ text: undefined, ...body })
  expect([answer.status, paths(answer)]).toEqual([400, expected])
  expect(await rows()).toEqual([])
})

test('submitMessage: tracking of the settings without serviceUrl is a 500 MissingServiceURLSetup', async () => {
  await call('POST', '/v1/settings', { body: { trackOpens: true } })
  expect((await submit({ to, html: '<p>x</p>' })).body).toMatchObject({
    statusCode: 500,
    code: 'MissingServiceURLSetup',
  })
  expect((await submit({ to, text: 'plain' })).status).toBe(200)
  await queued()
  expect((await submit({ to, html: '<p>x</p>', trackOpens: false })).status).toBe(200)
  expect((await queued()).text).not.toContain('open.gif')
  await submit({
    to,
    html: '<a href="https://a.example/">x</a>',
    trackClicks: true,
    baseUrl: 'https://mail.example',
  })
  const { text } = await queued()
  expect(text.replaceAll('=\r\n', '')).toMatch(/https:\/\/mail\.example\/open\.gif\?data=3D/)
  expect(text.replaceAll('=\r\n', '')).toMatch(/https:\/\/mail\.example\/redirect\?data=3D/)
})

test('reference: a reply has the recipients and quotation of the original, filing marks it', async () => {
  const answer = await submit({ text: 'yes', reference: { message: 'letter', inline: true } })
  expect(answer.body).toMatchObject({ reference: { message: 'letter', success: true } })
  const row = await queued()
  expect(row).toMatchObject({
    subject: 'Re: Plans {{params.name}}',
    envelope: { to: ['answers@elsewhere.example'] },
    filing: { reference: { message: 'letter', action: 'reply' } },
  })
  expect(row.text).toMatch(/^References: <1@elsewhere\.example> <2@elsewhere\.example>/m)
  expect(row.text).toContain('> first')
})

test('reference: a reply to all excludes the sender; the quotation is not rendered', async () => {
  await submit({
    text: 'for {{params.name}}',
    render: { params: { name: 'you' } },
    reference: { message: 'letter', action: 'reply-all', inline: true },
  })
  const row = await queued()
  expect(row.envelope.to).toEqual([
    'answers@elsewhere.example',
    'bob@elsewhere.example',
    'cy@elsewhere.example',
  ])
  expect(row.text).toContain('for you')
  expect(row.text).toContain('> first {{params.name}}')
})

test('reference: forwardAttachments adds the attachments of the original', async () => {
  await submit({
    to,
    text: 'see',
    attachments: [{ reference: 'a1', filename: 'mine.csv' }],
    reference: { message: 'letter', action: 'forward', forwardAttachments: true },
  })
  const row = await queued()
  expect(row.subject).toMatch(/^Fwd: /)
  expect(row.text.match(/filename=\S+/g)).toEqual(['filename=mine.csv', 'filename=plans.csv'])
  expect(row.filing).toMatchObject({ reference: { action: 'forward' } })
})

test('reference: a missing message responds 404, or is reported with ignoreMissing', async () => {
  const reference = { message: 'gone' }
  expect((await submit({ to, text: 'x', reference })).body).toMatchObject({
    statusCode: 404,
    code: 'ReferenceNotFound',
  })
  expect(await rows()).toEqual([])
  const { body } = await submit({ to, text: 'x', reference: { ...reference, ignoreMissing: true } })
  expect(body['reference']).toEqual({ message: 'gone', success: false, error: expect.any(String) })
  expect((await queued()).filing).toBeNull()
  const other = { message: 'letter', messageId: '<another@x.example>' }
  expect((await submit({ to, reference: other })).body['code']).toBe('ReferenceNotFound')
  await world.register('noimap', { imap: false, email: 'noimap@mail.example' })
  const sendOnly = await call('POST', '/v1/account/noimap/submit', { body: { to, reference } })
  expect(sendOnly.body).toMatchObject({ statusCode: 400, code: 'ReferenceNotSupported' })
})

test('reference: a message that is not described responds 503, or is reported with ignoreMissing', async () => {
  const { original } = mailbox
  const { attachments: _unknown, text: _unread, ...described } = original
  mailbox.original = { ...described, incomplete: true }
  try {
    const reference = { message: 'letter', action: 'forward', inline: true }
    expect((await submit({ to, text: 'x', reference })).body).toMatchObject({
      statusCode: 503,
      code: 'IMAPUnavailable',
    })
    expect(await rows()).toEqual([])
    const lenient = { ...reference, ignoreMissing: true }
    const { body } = await submit({ to, text: 'x', reference: lenient })
    expect(body['reference']).toMatchObject({ message: 'letter', success: false })
  } finally {
    mailbox.original = original
  }
})

test.each<[string, NonNullable<typeof mailbox.original.incompleteIn>, number]>([
  ['reply', ['envelope', 'structure'], 200],
  ['reply', ['flags'], 200],
  ['reply-all', ['structure'], 200],
  ['reply-all', ['envelope'], 400],
  ['forward', ['envelope'], 200],
  ['forward', ['structure'], 400],
])(
  'reference: %s to a message with the beginning of %j, responds %i',
  async (action, incompleteIn, status) => {
    const { original } = mailbox
    mailbox.original = { ...original, incomplete: true, incompleteIn }
    try {
      const reference = { message: 'letter', action, inline: true }
      const recipients = action === 'forward' ? { to } : {}
      const { body, ...answer } = await submit({ ...recipients, text: 'x', reference })
      expect(answer.status).toBe(status)
      if (status === 200) {
        expect((await queued()).text).toMatch(/^In-Reply-To: <2@elsewhere\.example>/m)
        return
      }
      expect(body).toMatchObject({ code: 'UnsupportedOperation', message: expect.any(String) })
      expect(await rows()).toEqual([])
      const lenient = { ...reference, ignoreMissing: true }
      const ignored = await submit({ to, text: 'x', reference: lenient })
      expect(ignored.body['reference']).toMatchObject({ message: 'letter', success: false })
    } finally {
      mailbox.original = original
    }
  },
)

test('reference: retries while no worker is available', async () => {
  mailbox.isAway = 2
  expect((await submit({ text: 'x', reference: { message: 'letter' } })).status).toBe(200)
})

import { afterAll, afterEach, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { sendingWorld } from './sending-world.ts'

const world = await sendingWorld()
const { call, db, queued, rows, submit } = world
afterAll(world.stop)
afterEach(async () => {
  await db.deleteFrom('outbox').execute()
})

await world.register('other', { email: 'other@mail.example' })
const welcome = {
  subject: 'Welcome {{params.name}}',
  html: '<p>Hi {{params.name}}, I am {{account.email}}</p>',
  previewText: 'For {{params.name}}',
}
const loop = `${'{{#each @root.params.a}}'.repeat(12)}x${'{{/each}}'.repeat(12)}`
const html = { format: 'html', account: 'me' } as const
const templates = [
  { ...html, id: 'welcome', content: welcome },
  { format: 'markdown', account: null, id: 'public', content: { html: '# {{params.title}}' } },
  { ...html, id: 'loops', content: { text: loop } },
  { ...html, account: 'other', id: 'foreign', content: { text: 'x' } },
] as const
await db
  .insertInto('templates')
  .values(
    templates.map(({ content, ...template }) => ({
      ...template,
      name: template.id,
      content: JSON.stringify(content),
    })),
  )
  .execute()
await db
  .insertInto('accountListBlocks')
  .values([
    {
      account: 'me',
      listId: 'news',
      recipient: 'gone@x.example',
      source: 'form',
      reason: 'unsubscribe',
    },
    {
      account: 'other',
      listId: 'news',
      recipient: 'ada@x.example',
      source: 'api',
      reason: 'known to another account only',
    },
  ])
  .execute()

const to = [{ name: 'Ada', address: 'ada@x.example' }]
const baseUrl = 'https://post.example'
const looping = { a: Array.from({ length: 60 }, () => ({})) }

test('submitMessage: renders the template; fields that it lacks come from the request', async () => {
  const render = { params: { name: '<Ada>' } }
  await submit({ to, subject: 'not this', text: 'mine', template: 'welcome', render })
  const row = await queued()
  expect(row.subject).toBe('Welcome <Ada>')
  expect(row.text).toContain('mine')
  expect(row.text).toContain('Hi &lt;Ada&gt;, I am me@mail.example')
  expect(row.text).toContain('For &lt;Ada&gt;')
  await submit({ to, template: 'public', render: { params: { title: 'News' } } })
  expect((await queued()).text).toContain('<h1>News</h1>')
})

test('submitMessage: with render=false, placeholders stay', async () => {
  await submit({ to, template: 'welcome', render: false })
  expect((await queued()).subject).toBe('Welcome {{params.name}}')
  await submit({ to, text: '{{params.name}}' })
  expect((await queued()).text).toContain('{{params.name}}')
})

test('submitMessage: a template is found by id, then by name in the account, then shared', async () => {
  const named = (id: string, account: string | null, name: string) => ({
    id,
    account,
    name,
    format: 'html' as const,
    content: JSON.stringify({ subject: id }),
  })
  await db
    .insertInto('templates')
    .values([
      named('shared-1', null, 'Weekly news'),
      named('shared-2', null, 'Imprint'),
      named('mine-1', 'me', 'Weekly news'),
      named('mine-2', 'me', 'mine-1'),
      named('theirs-1', 'other', 'Weekly news'),
      named('theirs-2', 'other', 'Confidential'),
      named('mine-3', 'me', 'theirs-2'),
    ])
    .execute()
  const subjectOf = async (template: string) => {
    await submit({ to, text: 'x', template })
    return (await queued()).subject
  }
  expect(await subjectOf('Weekly news')).toBe('mine-1')
  expect(await subjectOf('mine-1')).toBe('mine-1')
  expect(await subjectOf('Imprint')).toBe('shared-2')
  expect(await subjectOf('theirs-2')).toBe('mine-3')
  expect((await submit({ to, text: 'x', template: 'Confidential' })).body).toMatchObject({
    statusCode: 404,
    code: 'TemplateNotFound',
  })
})

test.each(['foreign', 'nowhere'])(
  'submitMessage: the template %s responds 404 TemplateNotFound',
  async (template) => {
    expect((await submit({ to, template })).body).toMatchObject({
      statusCode: 404,
      code: 'TemplateNotFound',
    })
    expect(await rows()).toEqual([])
  },
)

test.each([
  ['that loops', { template: 'loops', render: { params: looping } }],
  ['that is broken', { text: '{{#if', render: { params: {} } }],
  [
    'that loops for everybody',
    {
      to: undefined,
      template: 'loops',
      mailMerge: [
        { to: to[0], params: looping },
        { to: to[0], params: looping },
        { to: to[0], params: looping },
      ],
    },
  ],
])('submitMessage: a template %s responds 422 and queues nothing', async (_what, body) => {
  expect((await submit({ to, ...body })).status).toBe(422)
  expect(await rows()).toEqual([])
})

test('submitMessage: line breaks in a value cannot add a header', async () => {
  const answer = await submit({
    to,
    subject: '{{params.x}}',
    text: 'x',
    render: { params: { x: 'a\r\nBcc: evil@x.example' } },
  })
  expect(answer.status).toBe(200)
  const row = await queued()
  expect(row.envelope.to).toEqual(['ada@x.example'])
  expect(row.mime?.toString()).not.toMatch(/^Bcc:/im)
  expect((await submit({ to, subject: 'a\r\nb {{x}}', render: {} })).status).toBe(400)
})

test('mailMerge: each recipient gets a separate message', async () => {
  const { body } = await submit({
    subject: 'For {{rcpt.name}}',
    text: '{{params.code}} {{rcpt.unsubscribeUrl}}',
    baseUrl,
    listId: 'News',
    sendAt: '2090-01-01T00:00:00Z',
    mailMerge: [
      {
        to: { name: 'Ada', address: 'ada@x.example' },
        params: { code: 1 },
        messageId: '<1@x.example>',
      },
      { to: { address: 'gone@X.example' } },
      {
        to: { name: 'Bo', address: 'bo@x.example' },
        params: { code: 2 },
        sendAt: '2080-01-01T00:00:00Z',
      },
    ],
  })
  expect(body).toEqual({
    response: 'Queued for delivery',
    sendAt: '2090-01-01T00:00:00.000Z',
    mailMerge: [
      {
        success: true,
        to: { name: 'Ada', address: 'ada@x.example' },
        messageId: '<1@x.example>',
        queueId: expect.any(String),
        sendAt: '2090-01-01T00:00:00.000Z',
      },
      {
        success: true,
        to: { address: 'gone@X.example' },
        skipped: { reason: 'unsubscribe', listId: 'News' },
      },
      expect.objectContaining({ success: true, sendAt: '2080-01-01T00:00:00.000Z' }),
    ],
  })
  const stored = await rows()
  expect(stored.map(({ subject, envelope }) => [subject, envelope.to])).toEqual(
    expect.arrayContaining([
      ['For Ada', ['ada@x.example']],
      ['For Bo', ['bo@x.example']],
    ]),
  )
  expect(stored[0]).toMatchObject({ listId: 'news', listRecipient: stored[0]?.envelope.to[0] })
  const text = stored.find(({ subject }) => subject === 'For Ada')?.mime?.toString() ?? ''
  expect(text).toMatch(/^List-ID: <news\.post\.example>/m)
  expect(text).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click/m)
  expect(text).toMatch(/^1 https:\/\/post\.example\/unsubscribe/m)
  expect(text).not.toContain('bo@x.example')
})

test('mailMerge: an error of one recipient does not affect others', async () => {
  const { body } = await submit({
    subject: 's',
    text: '{{#each params.a}}{{#each ../params.a}}x{{/each}}{{/each}}{{params.b}}',
    mailMerge: [
      { to: to[0], messageId: 'ö@x.example' },
      { to: to[0], params: { b: 'ok' } },
    ],
  })
  expect(body['mailMerge']).toEqual([
    { success: false, to: to[0], statusCode: 400, error: expect.stringContaining('messageId') },
    expect.objectContaining({ success: true }),
  ])
  expect((await queued()).text).toContain('ok')
})

test('mailMerge: a dry run returns the first message', async () => {
  const { body } = await submit({
    text: '{{params.n}}',
    dryRun: true,
    mailMerge: [
      { to: to[0], params: { n: 'one' } },
      { to: to[0], params: { n: 'two' } },
    ],
  })
  expect(body['mailMerge']).toEqual([
    { success: true, to: to[0], messageId: expect.any(String) },
    { success: true, to: to[0], messageId: expect.any(String) },
  ])
  expect(Buffer.from(String(body['preview']), 'base64').toString()).toContain('one')
  expect(await rows()).toEqual([])
})

test('mailMerge: stores 1,000 messages with an attachment', async () => {
  const content = Buffer.alloc(20_000, 'x').toString('base64')
  const mailMerge = Array.from({ length: 1000 }, (_, n) => ({
    to: { address: `r${n}@x.example` },
    params: { n },
  }))
  const request = { text: '{{params.n}}', attachments: [{ content }], mailMerge }
  // A mail merge that gets a 503 has stored nothing. A busy Postgres may exceed the statement
  // timeout of 4 s.
  const body = await eventually(async () => {
    const answer = await submit(request)
    expect(answer).toMatchObject({ status: 200 })
    return answer.body
  })
  expect(body['mailMerge']).toHaveLength(1000)
  const { count } = await db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  expect(Number(count)).toBe(1000)
  const tooMany = await submit({ text: 'x', mailMerge: [...mailMerge, mailMerge[0]] })
  expect(tooMany.body.fields?.map(({ path }) => path)).toEqual(['mailMerge'])
})

test('listId: a message contains unsubscribe headers; a blocked recipient is skipped', async () => {
  await call('POST', '/v1/settings', { body: { serviceUrl: baseUrl } })
  const list = { listId: 'news', html: '<p>x</p>', headers: { 'list-id': 'mine' } }
  await submit({ to, ...list })
  const { text } = await queued()
  expect(text.match(/^List-ID:.*$/gim)).toEqual(['List-ID: <news.post.example>'])
  const { status, body } = await submit({ to: [{ address: 'Gone@x.example' }], ...list })
  expect([status, body]).toEqual([
    200,
    {
      response: 'Not queued: the recipient has left the list',
      messageId: expect.any(String),
      sendAt: expect.any(String),
      skipped: { reason: 'unsubscribe', listId: 'news' },
    },
  ])
  const raw = Buffer.from('To: gone@x.example\r\n\r\nx').toString('base64')
  expect((await submit({ raw, listId: 'news' })).body).toHaveProperty('skipped')
  expect(await rows()).toEqual([])
  await submit({ raw, listId: 'other' })
  expect((await queued()).text).toMatch(/^List-Unsubscribe: <https:\/\/post\.example/m)
})

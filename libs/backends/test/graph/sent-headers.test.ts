import { expect, test } from '@jest/globals'
import { faultResponse, type GraphFake } from '@posthorn/testkit/graph-fake'
import { providerFaults } from '@posthorn/testkit/providers'
import type { MailApi } from '../../src/mail-api/index.ts'
import { mail, signal } from '../mail-api/environment.ts'
import { startGraph } from './environment.ts'

const fields = [
  'List-Unsubscribe: <https://a.example/u?id=1>,\r\n <mailto:u@a.example>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  'List-Help: <https://a.example/help>',
  'List-Subscribe: <mailto:s@a.example>',
  'List-ID: News <news.a.example>',
  'Auto-Submitted: auto-generated',
  'Precedence: bulk',
  ...[1, 2, 3, 4, 5, 6, 7].map((number) => `X-Own-${number}: ${number}`),
]
const unfolded = fields.map((field) => field.replace('\r\n', ''))
const message = (header: string) => Buffer.from(mail('s', header))

async function sentBy(fake: GraphFake, api: MailApi, content: Buffer) {
  const draft = await api.depositDraft(content, { structured: true }, signal)
  await api.releaseDraft(draft.id, signal)
  const [head = ''] = fake.mailbox.sent.at(-1)?.toString().split('\r\n\r\n') ?? []
  return { draft, lines: head.split('\r\n') }
}

test('depositDraft: structured, the sent message has all header fields', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  const { draft, lines } = await sentBy(fake, api, message(`${fields.join('\r\n')}\r\n`))
  expect(lines).toEqual(expect.arrayContaining(unfolded))
  expect(draft).not.toHaveProperty('omittedHeaders')
  const [posted] = fake.server.requests('POST /messages')
  expect(posted?.body).toMatchObject({
    internetMessageHeaders: [1, 2, 3, 4, 5].map((number) => ({
      name: `X-Own-${number}`,
      value: String(number),
    })),
    singleValueExtendedProperties: expect.arrayContaining([
      { id: 'String 0x1045', value: '<https://a.example/u?id=1>, <mailto:u@a.example>' },
      {
        id: 'String {00020386-0000-0000-C000-000000000046} Name List-ID',
        value: 'News <news.a.example>',
      },
    ]),
  })
})

test('sendMessage: structured, the sent message has all header fields', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  const content = message(`${fields.join('\r\n')}\r\n`)
  expect(await api.sendMessage(content, { structured: true }, signal)).toEqual({})
  const [head = ''] = fake.mailbox.sent[0]?.toString().split('\r\n\r\n') ?? []
  expect(head.split('\r\n')).toEqual(expect.arrayContaining(unfolded))
})

test('depositDraft: structured, names header fields that Graph replaces or keeps once', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  const lost = ['Received: by a.example', 'DKIM-Signature: v=1', 'X-Empty:', 'X-Two: 2']
  const many = Array.from({ length: 56 }, (_, index) => `X-Many-${index}: ${index}`)
  const content = message(['X-Two: 1', ...lost, ...many, ''].join('\r\n'))
  const { draft, lines } = await sentBy(fake, api, content)
  const omitted = ['X-Two', 'Received', 'DKIM-Signature', 'X-Empty', 'X-Many-54', 'X-Many-55']
  expect(draft.omittedHeaders).toEqual(omitted)
  expect(lines).toEqual(expect.arrayContaining(['X-Two: 1', 'X-Many-53: 53']))
  expect(await api.omittedHeaders?.(content, { structured: true })).toEqual(omitted)
  expect(await api.omittedHeaders?.(content, {})).toEqual([])
})

test.each(['depositDraft', 'sendMessage'] as const)(
  '%s: mailbox without room for names, keeps header fields with properties of their own',
  async (method) => {
    await using setup = await startGraph()
    const { fake, api } = setup
    fake.faults.namesUsedUp = true
    const content = message(
      'List-Unsubscribe: <mailto:u@a.example>\r\nList-ID: <n>\r\nX-Own: 1\r\n',
    )
    const sent = await api[method](content, { structured: true }, signal)
    expect(sent.omittedHeaders).toEqual(['List-ID', 'X-Own'])
    const operation = method === 'sendMessage' ? 'POST /sendMail' : 'POST /messages'
    expect(fake.server.requests(operation)).toHaveLength(2)
    expect(JSON.stringify(fake.server.requests(operation)[1]?.body)).toContain('String 0x1045')
    fake.faults.full = true
    if (method === 'depositDraft')
      await expect(api[method](message(''), { structured: true }, signal)).rejects.toMatchObject({
        failure: 'mailbox-full',
      })
  },
)

test.each([
  [
    'six custom header fields',
    { internetMessageHeaders: Array(6).fill({ name: 'x-a', value: '1' }) },
  ],
  ['a name without x-', { internetMessageHeaders: [{ name: 'List-ID', value: '1' }] }],
  ['an invalid property', { singleValueExtendedProperties: [{ id: 'List-ID', value: '1' }] }],
])('Graph fake: message with %s, is refused', async (_name, members) => {
  await using setup = await startGraph()
  const { fake } = setup
  const body = JSON.stringify({ subject: 'a', ...members })
  const headers = { authorization: 'Bearer token', 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body }
  const response = await fetch(`${fake.server.origin}/v1.0/me/messages`, init)
  expect(response.status).toBe(400)
})

test('depositDraft: an encoded line break in a header field, starts no further field', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  const header =
    'X-Own: =?utf-8?Q?a=0D=0ABcc:_v@evil.example?=\r\nList-ID: =?utf-8?Q?b=0D=0AX-In:_1?=\r\n'
  const { lines } = await sentBy(fake, api, message(header))
  expect(lines).toEqual(
    expect.arrayContaining(['X-Own: a Bcc: v@evil.example', 'List-ID: b X-In: 1']),
  )
  expect(lines.filter((line) => /^(?:bcc|x-in):/i.test(line))).toEqual([])
})

test('depositDraft: a header section with 20,000 fields of one name, names the field once', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  const { draft } = await sentBy(fake, api, message('a:\r\n'.repeat(20_000)))
  expect(draft.omittedHeaders).toEqual(['a'])
})

test('depositDraft: many names of header fields, reports 100 of those that are not kept', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  const header = Array.from({ length: 500 }, (_, at) => `X-Many-${at}: 1\r\n`).join('')
  const { draft } = await sentBy(fake, api, message(header))
  expect(draft.omittedHeaders).toHaveLength(100)
})

test('depositDraft: a name that Exchange refuses, is omitted', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  const refusal = faultResponse(400, 'ErrorInvalidProperty')
  fake.server.on('POST /messages', providerFaults.times(1, providerFaults.replies(refusal)))
  const { draft, lines } = await sentBy(
    fake,
    api,
    message('Precedence: bulk\r\nList-Help: <mailto:a@x>\r\n'),
  )
  expect(draft.omittedHeaders).toEqual(['Precedence'])
  expect(lines).toContain('List-Help: <mailto:a@x>')
})

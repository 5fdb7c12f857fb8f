import { describe, expect, test } from '@jest/globals'
import { providerFaults } from '@posthorn/testkit/providers'
import type { MailApi } from '../../src/mail-api/index.ts'
import { mail, signal } from '../mail-api/environment.ts'
import { type GraphSetup, startGraph } from './environment.ts'

// Responses that the API description of Microsoft Graph does not permit, and broken connections.

const feed = { id: 'F=', folderId: 'F=' }
const cursor = JSON.stringify({ kind: 'delta', query: '$deltatoken=x' })

const calls: [name: string, call: (api: MailApi) => Promise<unknown>][] = [
  ['a list', (api) => api.listMessages({}, { limit: 5 }, signal)],
  ['a list of ids', (api) => api.listIds({ folderId: 'F=' }, { limit: 5 }, signal)],
  ['a search', (api) => api.listIds({ search: { subject: 'x' } }, { limit: 5 }, signal)],
  ['a message', (api) => api.getMessage('A=', { attachments: true }, signal)],
  ['messages', (api) => api.getMessages(['A=', 'B='], {}, signal)],
  ['changes', (api) => api.changes(feed, { cursor, limit: 10 }, signal)],
  ['a first round', (api) => api.changes(feed, { limit: 10 }, signal)],
  ['folders', (api) => api.folders(signal)],
  ['counts', (api) => api.folderCounts('F=', signal)],
  ['a new folder', (api) => api.createFolder({ name: 'x' }, signal)],
  ['drafts', (api) => api.findDrafts({ messageIdHeader: '<a@x>' }, signal)],
  ['a sent message', (api) => api.findSent({ id: 'D=', messageId: 'D=' }, signal)],
  ['watches', (api) => api.listWatches(signal)],
]
const bodies: [name: string, body: object | string][] = [
  ['nothing', ''],
  ['null', 'null'],
  ['[]', '[]'],
  ['a text', '"x"'],
  ['a list that is null', { value: null }],
  ['a list that is an object', { value: {} }],
  ['a list with a null', { value: [null] }],
  ['an entry without an id', { value: [{}] }],
  ['an error', { error: { code: 'UnknownError', message: '' }, value: [] }],
]

async function replyAlways(body: object | string): Promise<GraphSetup> {
  const setup = await startGraph()
  const headers = { 'content-type': 'application/json' }
  setup.fake.server.on('*', providerFaults.deviates({ status: 200, headers, body }))
  return setup
}

describe.each(bodies)('graph: a response 200 with %s', (_body, body) => {
  test.each(calls)('%s fails temporarily', async (_name, call) => {
    await using setup = await replyAlways(body)
    await expect(call(setup.api)).rejects.toMatchObject({
      name: 'MailApiError',
      failure: 'unavailable',
    })
  })
})

const lists = ['toRecipients', 'ccRecipients', 'internetMessageHeaders', 'categories']

test.each(lists)('graph: a message whose %s is no list fails temporarily', async (name) => {
  await using setup = await startGraph()
  const { fake, api } = setup
  const { id } = fake.mailbox.deliver({ raw: Buffer.from(mail('a')) })
  await api.getMessage(id, {}, signal)
  const body = { id, subject: 'a', from: null, toRecipients: [], [name]: 'x' }
  fake.server.on('GET /messages/{message-id}', providerFaults.deviates({ body }))
  await expect(api.getMessage(id, { headers: true }, signal)).rejects.toMatchObject({
    failure: 'unavailable',
  })
})

test('graph: a message with a header field that is no text fails temporarily', async () => {
  const internetMessageHeaders = [{ name: 'Received', value: 5 }]
  await using setup = await replyAlways({
    id: 'A=',
    subject: 'a',
    from: null,
    toRecipients: [],
    internetMessageHeaders,
  })
  await expect(setup.api.getMessage('A=', { headers: true }, signal)).rejects.toMatchObject({
    failure: 'unavailable',
  })
})

test('graph: a message whose sender has an address that is no text fails temporarily', async () => {
  const from = { emailAddress: { name: 'Ann', address: 5 } }
  await using setup = await replyAlways({ id: 'A=', subject: 'a', from, toRecipients: [] })
  const failure = { failure: 'unavailable' }
  await expect(setup.api.getMessage('A=', {}, signal)).rejects.toMatchObject(failure)
})

test.each([
  ['the link to the next page is a number', { value: [], '@odata.nextLink': 5 }],
  ['the link to later changes is null', { value: [], '@odata.deltaLink': null }],
  [
    'a removal is null',
    { value: [{ id: 'A=', '@removed': null }], '@odata.deltaLink': 'https://x/?y' },
  ],
  [
    'the state of a message is a text',
    { value: [{ id: 'A=', isRead: 'no' }], '@odata.deltaLink': 'https://x/?y' },
  ],
])('graph: changes in which %s fail temporarily', async (_name, body) => {
  await using setup = await replyAlways(body)
  await expect(setup.api.changes(feed, { cursor, limit: 10 }, signal)).rejects.toMatchObject({
    failure: 'unavailable',
  })
})

test('graph: a part of a batch whose headers are null has the failure of its status', async () => {
  await using setup = await startGraph()
  const responses = [0, 1].map((index) => ({ id: String(index), status: 403, headers: null }))
  setup.fake.server.on('POST /$batch', providerFaults.deviates({ body: { responses } }))
  await expect(setup.api.getMessages(['A=', 'B='], {}, signal)).rejects.toMatchObject({
    failure: 'access-denied',
  })
})

test('graph: a part of a batch whose id is true is requested again, and is no other part', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  const ids = ['a', 'b'].map(
    (subject) => fake.mailbox.deliver({ raw: Buffer.from(mail(subject)) }).id,
  )
  const alter = providerFaults.alters(({ bytes, ...response }) => {
    const { responses } = JSON.parse(bytes.toString()) as { responses: { id: unknown }[] }
    const altered = responses.map((part) => (part.id === '0' ? { ...part, id: true } : part))
    return { ...response, bytes: Buffer.from(JSON.stringify({ responses: altered })) }
  })
  fake.server.on('POST /$batch', providerFaults.times(1, alter))
  expect((await api.getMessages(ids, {}, signal)).map(({ id }) => id)).toEqual(ids)
})

test('graph: a malformed response to a read is requested again', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  fake.mailbox.deliver({ raw: Buffer.from(mail('a')) })
  const body = { value: null }
  fake.server.on('*', providerFaults.times(2, providerFaults.deviates({ status: 200, body })))
  expect((await api.listIds({}, { limit: 5 }, signal)).entries).toHaveLength(1)
})

describe('graph: a batch whose connection breaks', () => {
  test('is sent again if it reads', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const ids = ['a', 'b'].map(
      (subject) => fake.mailbox.deliver({ raw: Buffer.from(mail(subject)) }).id,
    )
    fake.server.on('POST /$batch', providerFaults.times(2, providerFaults.resets()))
    expect((await api.getMessages(ids, {}, signal)).map(({ id }) => id)).toEqual(ids)
  })

  test('is not sent again if it changes messages', async () => {
    await using setup = await startGraph()
    const { fake, api } = setup
    const ids = ['a', 'b'].map(
      (subject) => fake.mailbox.deliver({ raw: Buffer.from(mail(subject)) }).id,
    )
    fake.server.on('POST /$batch', providerFaults.times(1, providerFaults.resets('after')))
    const to = fake.mailbox.folder('junkemail').id
    await expect(api.moveMessages(ids, { to }, signal)).rejects.toMatchObject({
      failure: 'unavailable',
    })
    expect(fake.server.requests('POST /$batch')).toHaveLength(1)
  })
})

test('graph: the address of a meeting room, which is an object, is no malformed response', async () => {
  await using setup = await startGraph()
  const { fake, api } = setup
  const { id } = fake.mailbox.deliver({ raw: Buffer.from(mail('a')) })
  const location = { displayName: 'Room', address: { street: 'Main', city: '' } }
  fake.server.on(
    'PATCH /messages/{message-id}',
    providerFaults.alters(({ bytes, ...response }) => {
      const message = JSON.parse(bytes.toString()) as object
      return { ...response, bytes: Buffer.from(JSON.stringify({ ...message, location })) }
    }),
  )
  expect(await api.updateMessages([id], { flagged: true }, signal)).toMatchObject({ missing: [] })
})

import { describe, expect, test } from '@jest/globals'
import { providerFaults } from '@posthorn/testkit/providers'
import type { MailApi } from '../../src/mail-api/index.ts'
import { mail, signal } from '../mail-api/environment.ts'
import { type GmailSetup, startGmail } from './gmail-setup.ts'

const feed = { id: 'mailbox' }
const cursor = Buffer.from(JSON.stringify({ since: '1000' })).toString('base64url')
const id = '18c0ffee00000001'

const calls: [name: string, list: string, call: (api: MailApi) => Promise<unknown>][] = [
  ['a list', 'messages', (api) => api.listIds({}, { limit: 5 }, signal)],
  ['a first round', 'labels', (api) => api.changes(feed, { limit: 10 }, signal)],
  ['labels', 'labels', (api) => api.folders(signal)],
  ['a message', 'labelIds', (api) => api.getMessage(id, {}, signal)],
  [
    'a thread',
    'messages',
    (api) => api.listIds({ search: { threadId: id } }, { limit: 5 }, signal),
  ],
  ['drafts', 'drafts', (api) => api.findDrafts({ messageIdHeader: '<a@x>' }, signal)],
  ['signatures', 'sendAs', async (api) => api.signatures?.(signal)],
]
const bodies: [name: string, body: (list: string) => object | string][] = [
  ['nothing', () => ''],
  ['null', () => 'null'],
  ['[]', () => '[]'],
  ['a text', () => '"x"'],
  ['a list that is null', (list) => ({ [list]: null })],
  ['a list that is an object', (list) => ({ [list]: {} })],
  ['a list with a null', (list) => ({ [list]: [null] })],
  ['an error', () => ({ error: { code: 500, message: 'Backend Error' } })],
  ['an object of other members', () => ({ html: {} })],
]

/** Calls of the Gmail client, and a response in which one member has another form. */
const members: [name: string, call: (api: MailApi) => Promise<unknown>, body: object][] = [
  [
    'the token of the next page is a number',
    (api) => api.listIds({}, { limit: 5 }, signal),
    { messages: [{ id }], nextPageToken: 5 },
  ],
  [
    'the token of the next page is too long',
    (api) => api.listIds({}, { limit: 5 }, signal),
    { messages: [{ id }], nextPageToken: 'x'.repeat(10_000) },
  ],
  [
    'a message of a list has null as id',
    (api) => api.listIds({}, { limit: 5 }, signal),
    { messages: [{ id: null }] },
  ],
  [
    'a label has no id',
    (api) => api.folders(signal),
    { labels: [{ id: 'INBOX', name: 'INBOX' }, { name: 'x' }] },
  ],
  [
    'a label has a number as name',
    (api) => api.folders(signal),
    { labels: [{ id: 'INBOX', name: 5 }] },
  ],
  [
    'a draft of a list has no id',
    (api) => api.findDrafts({ messageIdHeader: '<a@x>' }, signal),
    { drafts: [{ message: { id } }] },
  ],
]

/**
 * Damaged Gmail histories, after which a full round (listing of all messages) finds the changes.
 */
const histories: [name: string, body: object][] = [
  ['the token of the next page is an object', { historyId: '2000', nextPageToken: {} }],
  ['the list of records is null', { history: null, historyId: '2000' }],
  [
    'an added message has no id',
    { history: [{ id: '1001', messagesAdded: [{ message: {} }] }], historyId: '2000' },
  ],
  [
    'a label change has no message',
    { history: [{ id: '1001', labelsAdded: [{ labelIds: ['A'] }] }], historyId: '2000' },
  ],
  [
    'a deleted message has a number as id',
    { history: [{ id: '1001', messagesDeleted: [{ message: { id: 5 } }] }], historyId: '2000' },
  ],
]

async function replyAlways(body: object | string): Promise<GmailSetup> {
  const setup = await startGmail()
  const headers = { 'content-type': 'application/json' }
  setup.gmail.on('*', providerFaults.deviates({ status: 200, headers, body }))
  return setup
}

describe.each(bodies)('gmail: a response 200 with %s', (_body, bodyOf) => {
  test.each(calls)('%s fails temporarily', async (_name, list, call) => {
    await using setup = await replyAlways(bodyOf(list))
    await expect(call(setup.api)).rejects.toMatchObject({
      name: 'MailApiError',
      failure: 'unavailable',
    })
  })
})

test.each(members)('gmail: %s, fails temporarily', async (_name, call, body) => {
  await using setup = await replyAlways(body)
  await expect(call(setup.api)).rejects.toMatchObject({ failure: 'unavailable' })
})

test.each(histories)('gmail: a history in which %s, four times, is stale', async (_name, body) => {
  await using setup = await replyAlways(body)
  const changes = setup.api.changes(feed, { cursor, limit: 10 }, signal)
  await expect(changes).rejects.toMatchObject({ failure: 'stale-cursor', incomplete: true })
  expect(setup.gmail.requests('history.list')).toHaveLength(4)
})

test.each([{}, 'null', '[]', '', { error: { code: 500, message: 'Backend Error' } }])(
  'gmail: %j instead of a history fails temporarily',
  async (body) => {
    await using setup = await replyAlways(body)
    const changes = setup.api.changes(feed, { cursor, limit: 10 }, signal)
    await expect(changes).rejects.toMatchObject({ failure: 'unavailable' })
  },
)

test('gmail: a list of no messages has an estimate of its size', async () => {
  await using setup = await replyAlways({ resultSizeEstimate: 0 })
  expect(await setup.api.listIds({}, { limit: 5 }, signal)).toEqual({ entries: [] })
})

test.each([400, 404, 405, 409, 410])(
  'gmail: a status %i without the JSON of Gmail tells nothing about the message',
  async (status) => {
    await using setup = await startGmail()
    const message = setup.mailbox.deliver(mail('a'))
    const body = '<!DOCTYPE html><title>Error</title>'
    setup.gmail.on('messages.get', providerFaults.deviates({ status, body }))
    await expect(setup.api.getMessages([message.id], {}, signal)).rejects.toMatchObject({
      failure: 'unavailable',
    })
  },
)

test('gmail: a list of labels without labels is no empty mailbox', async () => {
  await using setup = await replyAlways({})
  await expect(setup.api.folders(signal)).rejects.toMatchObject({ failure: 'unavailable' })
})

test('gmail: a malformed response to a read is requested again', async () => {
  await using setup = await startGmail()
  const message = setup.mailbox.deliver(mail('a'))
  const body = { messages: null }
  setup.gmail.on('*', providerFaults.times(2, providerFaults.deviates({ status: 200, body })))
  const { entries } = await setup.api.listIds({}, { limit: 5 }, signal)
  expect(entries.map((each) => each.id)).toEqual([message.id])
})

import { afterAll, afterEach, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { faultResponse, startGraphFake } from '@posthorn/testkit/graph-fake'
import { providerFaults } from '@posthorn/testkit/providers'
import { apiFixture, idOf } from './api-fixture.ts'
import type { NewSubmission } from './fixture.ts'

// Tests of the sender with the client of Graph, and the fake of Graph.

const [member, team] = ['ann@mail.example', 'team@mail.example']
const graph = await startGraphFake({ mailboxes: [member, team] })
const fixture = await apiFixture()
const { db } = fixture
const origins = Object.entries(graph.origins).map((pair) => pair.join('='))
const sender = await fixture.startSender({ SVC_PROVIDER_ORIGINS: origins.join(',') })
const faults = { ...graph.faults }
afterEach(async () => {
  await endCleanups()
  Object.assign(graph.faults, faults)
  graph.server.log.length = 0
  for (const mailbox of graph.mailboxes) mailbox.sent.length = 0
})
afterAll(async () => {
  await sender[Symbol.asyncDispose]()
  await fixture[Symbol.asyncDispose]()
  await graph[Symbol.asyncDispose]()
})

/** Ends the draft cleanups, whose later checks would be among the requests of another test. */
const endCleanups = () =>
  eventually(async () => {
    // A draft cleanup that is in progress has a lease.
    await db.deleteFrom('draftCleanups').where('leaseUntil', 'is', null).execute()
    expect(await db.selectFrom('draftCleanups').select('queueId').execute()).toEqual([])
  })

async function accountOf(address: string): Promise<string> {
  const { account } = await fixture.addAccount({ backend: 'graph' })
  fixture.users.set(account, address)
  return account
}

/** MIME source of a message with a file of `size` bytes. */
function withFile(size: number): Buffer {
  const head = `From: Team <${team}>\r\nTo: you@example.net\r\nSubject: file\r\nMIME-Version: 1.0`
  const type = 'Content-Type: application/octet-stream\r\nContent-Disposition: attachment'
  const file = `${type}; filename=f\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.alloc(size).toString('base64')}`
  return Buffer.from(
    `${head}\r\nMessage-ID: <file-${size}@example.com>\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\n${file}\r\n--b--\r\n`,
  )
}

async function send(submission: NewSubmission & { structured?: boolean; columns?: object }) {
  const { structured = false, columns = {}, ...row } = submission
  const queueId = await fixture.waiting(row.account, row)
  await db
    .updateTable('outbox')
    .set({ useStructuredFormat: structured, nextAttemptAt: new Date(0) })
    .set({ ...columns, ...(row.mime && { mime: row.mime }) })
    .where('queueId', '=', queueId)
    .execute()
  return fixture.finished(queueId)
}

const drafts = () => graph.mailboxes.flatMap((mailbox) => mailbox.list(mailbox.folder('drafts').id))

test.each(['with', 'without'])(
  'shared mailbox %s delegated permission: sent from it, its address and not that of the member',
  async (kind) => {
    graph.faults.delegatedShared = kind === 'with'
    graph.faults.appOnly = kind === 'without'
    const account = await accountOf(team)
    expect(await send({ account })).toMatchObject({ state: 'sent', attempts: 1 })
    expect(graph.mailboxes.map(({ sent }) => sent.length)).toEqual([0, 1])
  },
)

test('shared mailbox with delegated permission, file above 3 MB: MessageTooLarge after one attempt, no draft is left', async () => {
  graph.faults.delegatedShared = true
  const sent = await send({ account: await accountOf(team), mime: withFile(3_200_000) })
  expect(sent).toMatchObject({
    state: 'failed',
    attempts: 1,
    lastError: { code: 'MessageTooLarge' },
  })
  await eventually(() => expect(drafts()).toEqual([]))
})

test('another sender, structured: on behalf of it, or SendAsDenied after one attempt', async () => {
  const account = await accountOf(member)
  const behalf = await send({ account, structured: true, mime: withFile(10) })
  expect(behalf).toMatchObject({ state: 'sent' })
  const [posted] = graph.server.requests('POST /messages')
  expect(posted?.body).toMatchObject({ from: { emailAddress: { name: 'Team', address: team } } })
  expect(graph.mailbox.sent[0]?.toString()).toContain(`From: Team <${team}>`)
  graph.faults.deniedSenders = [team]
  const denied = await send({ account, structured: true, mime: withFile(11) })
  const lastError = { code: 'SendAsDenied' }
  expect(denied).toMatchObject({ state: 'failed', attempts: 1, lastError })
  await eventually(() => expect(drafts()).toEqual([]))
})

test('sender blocked by the provider: each attempt is an event, the last one ends the submission', async () => {
  const account = await accountOf(member)
  const blocked = providerFaults.replies(faultResponse(403, 'ErrorMessageSubmissionBlocked'))
  const unblock = graph.server.on('POST /messages/{message-id}/send', blocked)
  const failed = await send({ account, maxAttempts: 2 })
  unblock()
  const lastError = { code: 'MessageSubmissionBlocked' }
  expect(failed).toMatchObject({ state: 'failed', attempts: 2, lastError })
  expect((await fixture.eventsOf(account)).map(({ event }) => event)).toEqual([
    'messageDeliveryError',
    'messageDeliveryError',
    'messageFailed',
  ])
  await eventually(() => expect(drafts()).toEqual([]))
})

test('signed message above the limit of MIME: MessageTooLarge after one attempt, nothing is requested', async () => {
  const head = `From: ${member}\r\nTo: you@example.net\r\nMIME-Version: 1.0\r\nContent-Type: multipart/signed; boundary=b`
  const mime = Buffer.from(`${head}\r\n\r\n--b\r\n\r\n${'x'.repeat(2_300_000)}\r\n--b--\r\n`)
  const sent = await send({ account: await accountOf(member), mime })
  const lastError = { code: 'MessageTooLarge' }
  expect(sent).toMatchObject({ state: 'failed', attempts: 1, lastError })
  expect(graph.server.log).toEqual([])
})

test.each([
  ['the draft gets another id', { draftIdChanges: true }],
  ['the sent copy gets another Message-ID', { replacesMessageId: true }],
  ['the sent copy is 30 s late', { sentDelayMs: 30_000 }],
])('%s: sent once, the event has the Message-ID of the copy', async (_name, change) => {
  Object.assign(graph.faults, change)
  const account = await accountOf(member)
  const sending = send({ account })
  // The delay until the Graph fake shows the sent copy has begun.
  await eventually(() => expect(graph.mailbox.sent).toHaveLength(1))
  graph.clock.advance(30_000)
  const { queueId, state } = await sending
  expect(state).toBe('sent')
  expect(graph.mailbox.sent).toHaveLength(1)
  const [sent] = graph.mailbox.list(graph.mailbox.folder('sentitems').id)
  const messageId = sent?.content.internetMessageId
  expect((await fixture.eventsOf(account))[0]?.data).toMatchObject({ messageId, queueId })
  expect(messageId === idOf(queueId)).toBe(!('replacesMessageId' in change))
})

/** Stores a draft in the Graph fake as the owner of the mailbox. */
async function storedDraft(text: string) {
  const { mailbox } = graph
  const raw = Buffer.from(
    `From: ${member}\r\nTo: you@example.net\r\nMessage-ID: <stored@example.com>\r\n\r\n${text}\r\n`,
  )
  const folderId = mailbox.folder('drafts').id
  const draft = mailbox.deliver({ raw, folderId, isDraft: true })
  const stored = {
    messageId: draft.id,
    messageIdHeader: '<stored@example.com>',
    version: `CQAAABYAAAD${draft.version}`,
  }
  return { draft, columns: { storedDraft: JSON.stringify(stored) } }
}

test('stored draft: released as it is with two requests, its sent copy stays', async () => {
  const account = await accountOf(member)
  const { draft, columns } = await storedDraft('stored')
  const sent = await send({ account, columns })
  expect(sent).toMatchObject({ state: 'sent', messageId: '<stored@example.com>' })
  expect(sent.originalMessageId).toBe(idOf(sent.queueId))
  expect(graph.mailbox.sent.map(String)).toEqual([expect.stringContaining('stored')])
  expect(graph.server.log.slice(0, 2).map(({ operation }) => operation)).toEqual([
    'GET /messages/{message-id}',
    'POST /messages/{message-id}/send',
  ])
  const copies = graph.mailbox.list(graph.mailbox.folder('sentitems').id)
  expect(copies.map(({ id }) => id)).toContain(draft.id)
})

test('stored draft that was changed: its copy is sent, and the changed one stays', async () => {
  const account = await accountOf(member)
  const { draft, columns } = await storedDraft('changed later')
  graph.mailbox.touch(draft, ['subject'])
  const sent = await send({ account, columns })
  expect(sent).toMatchObject({ state: 'sent', messageId: idOf(sent.queueId) })
  expect(graph.mailbox.sent.map(String)).toEqual([expect.not.stringContaining('changed later')])
  expect(drafts().map(({ id }) => id)).toEqual([draft.id])
  graph.mailbox.remove(draft)
})

test.each([500, 504, 200])(
  'release is answered with %i: the draft is looked at, and released again only if it exists',
  async (status) => {
    const body = status === 500 ? { error: { code: 'ErrorInternalServerTransientError' } } : ''
    const fault = providerFaults.deviates({ status, body })
    graph.server.on('POST /messages/{message-id}/send', providerFaults.times(1, fault))
    expect(await send({ account: await accountOf(member) })).toMatchObject({ state: 'sent' })
    expect(graph.mailbox.sent).toHaveLength(1)
  },
)

import { afterAll, expect, test } from '@jest/globals'
import { SubmissionHint } from '@posthorn/contracts/hints'
import type { AccountState } from '@posthorn/contracts/schemas/account-state'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { registration, testServers } from './gateway.ts'

const servers = await testServers()
const { db } = servers
const { call } = await servers.start()
const bus = await servers.connectBus()
const hints: string[] = []
await bus.consume({
  queue: 'sender.submissions',
  schema: SubmissionHint,
  prefetch: 10,
  handle: async ({ payload }) => void hints.push(payload.queueId),
})
afterAll(async () => {
  await bus[Symbol.asyncDispose]()
  await servers.stop()
})

const register = async (account: string, state: AccountState | undefined, initialized: boolean) => {
  await call('POST', '/v1/account', { body: registration(account) })
  if (state)
    await db
      .insertInto('accountStates')
      .values({ account, state, initializedAt: initialized ? new Date() : null })
      .execute()
}
await register('ready', 'connected', true)

const submission = {
  to: [{ name: 'Ada', address: 'ada@example.com' }],
  subject: 'Hello',
  text: 'Hi',
  html: '<p>Hi</p>',
}
const submit = (account: string, body: object) =>
  call('POST', `/v1/account/${account}/submit`, { body })
const rows = (account: string) =>
  db.selectFrom('outbox').selectAll().where('account', '=', account).execute()
const row = (queueId: unknown) =>
  db
    .selectFrom('outbox')
    .selectAll()
    .where('queueId', '=', String(queueId))
    .executeTakeFirstOrThrow()

test('submitMessage: stores the message before the response and publishes a hint', async () => {
  const { status, body } = await submit('ready', submission)
  expect([status, body]).toEqual([
    200,
    {
      response: 'Queued for delivery',
      messageId: expect.stringMatching(/^<.+@mail\.example>$/),
      sendAt: expect.stringMatching(/^\d{4}-.+Z$/),
      queueId: expect.stringMatching(/^[0-9a-f]{19}$/),
    },
  ])
  const stored = await row(body['queueId'])
  expect(stored).toMatchObject({
    account: 'ready',
    source: 'api',
    state: 'queued',
    attempts: 0,
    maxAttempts: 10,
    subject: 'Hello',
    messageId: body['messageId'],
    envelope: { from: 'ready@mail.example', to: ['ada@example.com'] },
  })
  expect(stored.nextAttemptAt).toEqual(stored.sendAt)
  expect(stored.mime?.toString()).toContain('From: Name of ready <ready@mail.example>')
  await eventually(() => expect(hints).toContain(body['queueId']))
})

test('newQueueId: ids sort by time', async () => {
  const ids: unknown[] = []
  for (let n = 0; n < 5; n += 1) {
    ids.push((await submit('ready', submission)).body['queueId'])
    await eventually(() => Date.now() > Number.parseInt(String(ids.at(-1)).slice(0, 11), 16))
  }
  expect(ids.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual(ids)
})

test('sendAt: a future time is stored without a hint; a past time means now', async () => {
  const later = (await submit('ready', { ...submission, sendAt: '2090-01-01T00:00:00+01:00' })).body
  expect(later['sendAt']).toBe('2089-12-31T23:00:00.000Z')
  expect((await row(later['queueId'])).nextAttemptAt).toEqual(new Date('2089-12-31T23:00:00Z'))
  const past = (await submit('ready', { ...submission, sendAt: '2020-01-01' })).body
  expect(Date.parse(String(past['sendAt']))).toBeGreaterThan(Date.now() - 60_000)
  await eventually(() => expect(hints).toContain(past['queueId']))
  expect(hints).not.toContain(later['queueId'])
})

test('deliveryAttempts: of the request, else of the settings', async () => {
  await call('POST', '/v1/settings', { body: { deliveryAttempts: 3 } })
  expect((await row((await submit('ready', submission)).body['queueId'])).maxAttempts).toBe(3)
  expect(
    (await row((await submit('ready', { ...submission, deliveryAttempts: 7 })).body['queueId']))
      .maxAttempts,
  ).toBe(7)
  await call('POST', '/v1/settings', { body: { deliveryAttempts: null } })
})

test('submitMessage: from, recipients and Message-ID of the request are used', async () => {
  const { body } = await submit('ready', {
    from: { name: 'Other', address: 'other@mail.example' },
    cc: { address: 'cc@example.com' },
    bcc: [{ address: 'bcc@example.com' }],
    envelope: { from: 'bounces@mail.example' },
    messageId: '<mine@mail.example>',
    text: 'x',
  })
  const stored = await row(body['queueId'])
  expect(stored).toMatchObject({
    messageId: '<mine@mail.example>',
    envelope: { from: 'bounces@mail.example', to: ['cc@example.com', 'bcc@example.com'] },
  })
  expect(stored.mime?.toString()).not.toContain('bcc@example.com')
})

test.each<[string, object, string[]]>([
  ['no recipients', { subject: 'x', text: 'x' }, ['to']],
  ['empty lists of recipients', { to: [], cc: [], bcc: [] }, ['to']],
  ['a bad recipient', { to: [{ address: 'a@b.example' }, { address: 'nope' }] }, ['to.1.address']],
  ['a recipient that is a text', { to: ['a@b.example'] }, ['to.0']],
  ['an unknown field', { ...submission, nope: 1 }, ['nope']],
  ['a line break in the subject', { ...submission, subject: 'a\r\nBcc: x@y.example' }, ['subject']],
  [
    'content that is no base64',
    { ...submission, attachments: [{ content: 'ä' }] },
    ['attachments.0.content'],
  ],
])(
  'submitMessage: %s, responds 400 with the field and queues nothing',
  async (...[, body, paths]) => {
    const before = await rows('ready')
    const answer = await submit('ready', body)
    expect([answer.status, answer.body.fields?.map(({ path }) => path)]).toEqual([400, paths])
    expect(answer.body).not.toHaveProperty('code')
    expect(await rows('ready')).toHaveLength(before.length)
  },
)

test('submitMessage: a missing account and an account that cannot send respond 404 with different codes', async () => {
  expect((await submit('missing', submission)).body).toEqual({
    statusCode: 404,
    error: 'Not Found',
    message: 'Account record was not found for requested ID',
  })
  await call('POST', '/v1/account', { body: { ...registration('receiver'), smtp: false } })
  expect((await submit('receiver', submission)).body).toMatchObject({
    statusCode: 404,
    code: 'SMTPUnavailable',
  })
})

test.each(['AppNotFound', 'InvalidBaseScopes'])(
  'submitMessage: never connected because of its OAuth2 application, 500 %s',
  async (code) => {
    const account = `of-${code}`
    await register(account, 'connectError', false)
    const lastError = JSON.stringify({ response: 'not usable', serverResponseCode: code })
    await db
      .updateTable('accountStates')
      .set({ lastError })
      .where('account', '=', account)
      .execute()
    expect((await submit(account, submission)).body).toMatchObject({ statusCode: 500, code })
    expect(await rows(account)).toEqual([])
  },
)

test.each([
  ['fresh', undefined, 'NotYetConnected', 'init'],
  ['syncing', 'syncing', 'NotYetConnected', 'init'],
  ['refused', 'authenticationError', 'AuthenticationFails', 'authenticationError'],
  ['unreachable', 'connectError', 'ConnectionError', 'connectError'],
  ['off', 'unset', 'NotSyncing', 'unset'],
  ['paused', 'paused', 'NoAvailable', 'other'],
] as const)(
  'submitMessage: an account that was never connected cannot send: %s',
  async (...[account, state, code, expectedState]) => {
    await register(account, state, false)
    expect((await submit(account, submission)).body).toMatchObject({
      statusCode: 503,
      error: 'Service Unavailable',
      code,
      state: expectedState,
    })
    expect(await rows(account)).toEqual([])
  },
)

test('submitMessage: an account connected before sends in any state, one without IMAP immediately', async () => {
  for (const [account, state] of [
    ['broken', 'authenticationError'],
    ['resting', 'paused'],
  ] as const) {
    await register(account, state, true)
    expect((await submit(account, submission)).status).toBe(200)
  }
  await call('POST', '/v1/account', {
    body: { ...registration('sendonly'), imap: false, email: 'sendonly@mail.example' },
  })
  expect((await submit('sendonly', submission)).status).toBe(200)
})

test('submitMessage: an account without an address needs from', async () => {
  await call('POST', '/v1/account', { body: { ...registration('noaddress'), imap: false } })
  expect((await submit('noaddress', submission)).body.fields?.map(({ path }) => path)).toEqual([
    'from',
  ])
})

test('submitMessage: stores a message of 20 MB', async () => {
  const content = Buffer.alloc(15_000_000, 'x').toString('base64')
  const large = { ...submission, attachments: [{ filename: 'big.bin', content }] }
  // A request that gets a 503 has stored no message. A busy Postgres may exceed the statement
  // timeout of 4 s.
  const body = await eventually(async () => {
    const answer = await submit('ready', large)
    expect(answer).toMatchObject({ status: 200 })
    return answer.body
  })
  const { bytes } = await db
    .selectFrom('outbox')
    .select(sql<number>`octet_length(mime)`.as('bytes'))
    .where('queueId', '=', String(body['queueId']))
    .executeTakeFirstOrThrow()
  expect(bytes).toBeGreaterThan(20_000_000)
})

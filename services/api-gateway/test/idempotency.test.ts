import { afterAll, afterEach, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { sql } from 'kysely'
import { deleteExpired } from '../src/store/delete-expired.ts'
import { draftSource, sendingWorld } from './sending-world.ts'

const world = await sendingWorld()
const { call, db, mailbox, queued, rows, submit } = world
const replica = await world.servers.start()
afterAll(world.stop)
afterEach(async () => {
  await db.deleteFrom('outbox').execute()
  await db.deleteFrom('idempotencyKeys').execute()
  mailbox.source = draftSource
  mailbox.draft = { id: 'draft', flags: ['\\Draft'], draft: true }
})

const message = { to: [{ address: 'ada@x.example' }], text: 'once' }
const once = (key: string, body: object = message) => submit(body, { 'idempotency-key': key })
const statusOf = ({ body }: { body: Record<string, unknown> }) => body['idempotency']

test('Idempotency-Key: a repeat returns the first response and queues nothing', async () => {
  const first = await once('k1')
  expect(statusOf(first)).toEqual({ key: 'k1', status: 'MISS' })
  const { text, ...others } = message
  const again = await once('k1', { text, ...others })
  expect(again.body).toEqual({ ...first.body, idempotency: { key: 'k1', status: 'HIT' } })
  const row = await queued()
  expect(row).toMatchObject({ idempotencyKey: 'k1', queueId: first.body['queueId'] })
})

test('Idempotency-Key: with another request responds 400; keys are per account', async () => {
  await once('k2')
  const other = await once('k2', { ...message, text: 'twice' })
  expect([other.status, other.body.fields?.map(({ path }) => path)]).toEqual([
    400,
    ['idempotency-key'],
  ])
  await world.register('other', { email: 'other@mail.example' })
  const headers = { 'idempotency-key': 'k2' }
  const theirs = await call('POST', '/v1/account/other/submit', { body: message, headers })
  expect(statusOf(theirs)).toMatchObject({ status: 'MISS' })
  expect((await once('x'.repeat(1025))).status).toBe(400)
  expect(await rows()).toHaveLength(2)
})

test('Idempotency-Key: 50 concurrent requests at two replicas queue one message', async () => {
  const headers = { 'idempotency-key': 'k3' }
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      (n % 2 ? call : replica.call)('POST', '/v1/account/me/submit', { body: message, headers }),
    ),
  )
  const row = await queued()
  expect(
    new Set(answers.map(({ status, body }) => `${status} ${String(body['queueId'])}`)),
  ).toEqual(new Set([`200 ${row.queueId}`]))
  const statuses = answers.map((answer) => (statusOf(answer) as { status: string }).status)
  expect(statuses.filter((status) => status === 'MISS')).toHaveLength(1)
})

test('runIdempotent: after a failed request, the next waiting one runs', async () => {
  const { promise: failing, reject } = Promise.withResolvers<never>()
  const isInserted = Promise.withResolvers<void>()
  const first = db.transaction().execute(async (tx) => {
    await tx
      .insertInto('idempotencyKeys')
      .values({ account: 'me', key: 'k4', requestHash: Buffer.alloc(32), response: '{}' })
      .execute()
    isInserted.resolve()
    return failing
  })
  await Promise.race([isInserted.promise, first])
  const second = once('k4')
  await waitForLock()
  reject(new Error('the process died'))
  await expect(first).rejects.toThrow('died')
  expect(statusOf(await second)).toEqual({ key: 'k4', status: 'MISS' })
  await queued()
})

/**
 * Waits until an SQL statement waits for a lock in the database of this test. Other tests hold
 * locks in their own databases.
 */
async function waitForLock(): Promise<void> {
  await eventually(async () => {
    const { rows: waiting } = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
      db,
    )
    return waiting.length > 0
  })
}

test('Idempotency-Key: a rejected request is not stored', async () => {
  expect((await once('k5', { ...message, to: [] })).status).toBe(400)
  expect(statusOf(await once('k5'))).toMatchObject({ status: 'MISS' })
})

test('Idempotency-Key: expires after 24 h', async () => {
  await once('k6')
  await once('young')
  const aDayAgo = sql<Date>`now() - interval '25 hours'`
  await db
    .updateTable('idempotencyKeys')
    .set({ createdAt: aDayAgo })
    .where('key', '=', 'k6')
    .execute()
  expect(statusOf(await once('k6', { ...message, text: 'new day' }))).toMatchObject({
    status: 'MISS',
  })
  await db
    .updateTable('idempotencyKeys')
    .set({ createdAt: aDayAgo })
    .where('key', '=', 'k6')
    .execute()
  await deleteExpired(db)
  const left = await db.selectFrom('idempotencyKeys').select('key').execute()
  expect(left).toEqual([{ key: 'young' }])
})

test('Idempotency-Key: a mail merge returns its complete first response', async () => {
  const merge = {
    text: 'x',
    mailMerge: [{ to: message.to[0] }, { to: { address: 'b@x.example' } }],
  }
  const first = await once('k7', merge)
  expect((await once('k7', merge)).body['mailMerge']).toEqual(first.body['mailMerge'])
  expect(await rows()).toHaveLength(2)
})

const submitDraft = (body?: object, id = 'draft', headers: Record<string, string> = {}) =>
  call('POST', `/v1/account/me/message/${id}/submit`, { ...(body ? { body } : {}), headers })

test('submitDraft: queues the stored bytes and plans the removal of the draft', async () => {
  const { status, body } = await submitDraft()
  expect([status, body]).toEqual([
    200,
    {
      response: 'Queued for delivery',
      messageId: '<draft@mail.example>',
      sendAt: expect.any(String),
      queueId: expect.any(String),
    },
  ])
  const row = await queued()
  expect(row).toMatchObject({
    subject: 'Unsent',
    envelope: { from: 'me@mail.example', to: ['to@elsewhere.example', 'blind@elsewhere.example'] },
    filing: { draft: 'draft' },
  })
  expect(row.mime?.toString()).toBe(draftSource.replace(/^Bcc:.*\r\n/m, ''))
})

test('submitDraft: applies envelope and options of the request', async () => {
  const how = { envelope: { to: ['else@x.example'] }, copy: true, sendAt: '2090-01-01T00:00:00Z' }
  const headers = { 'idempotency-key': 'k8' }
  const first = await submitDraft(how, 'draft', headers)
  expect((await submitDraft(how, 'draft', headers)).body).toEqual({
    ...first.body,
    idempotency: { key: 'k8', status: 'HIT' },
  })
  expect(await queued()).toMatchObject({
    envelope: { from: 'me@mail.example', to: ['else@x.example'] },
    filing: { draft: 'draft', copy: true },
  })
})

test('submitDraft: a message without \\Draft, without recipients or missing is rejected', async () => {
  expect((await submitDraft({}, 'letter')).body).toMatchObject({
    statusCode: 400,
    code: 'MessageNotDraft',
  })
  expect((await submitDraft({}, 'gone')).body).toMatchObject({
    statusCode: 404,
    code: 'MessageNotFound',
  })
  mailbox.source = 'Subject: x\r\n\r\nx'
  expect((await submitDraft()).body).toMatchObject({
    statusCode: 400,
    code: 'DraftHasNoRecipients',
  })
  expect((await submitDraft({ to: [] })).body.fields?.map(({ path }) => path)).toEqual(['to'])
  expect(
    (await submitDraft({ envelope: { to: [] } })).body.fields?.map(({ path }) => path),
  ).toEqual(['envelope.to'])
  expect(await rows()).toEqual([])
  mailbox.draft = { id: 'draft', flags: [], messageSpecialUse: '\\Drafts' }
  mailbox.source = draftSource
  expect((await submitDraft()).status).toBe(200)
})

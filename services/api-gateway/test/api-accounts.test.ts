import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { shardOf } from '@posthorn/contracts/shards'
import { sendingWorld } from './sending-world.ts'

// Accounts of the Gmail API cannot be registered yet, so their rows are inserted. The shard is that
// of the account `me`, whose worker serves their commands.

const world = await sendingWorld()
const { call, db, mailbox, queued } = world
afterAll(world.stop)

const shard = shardOf('me')
const to = [{ address: 'ada@elsewhere.example' }]
const viaGateway = { to, text: 'x', gateway: 'relay' }
const clientId = { clientId: 'id', clientSecret: 'hush', redirectUrl: 'https://x.example/oauth' }
const createApp = async () =>
  String(
    (await call('POST', '/v1/oauth2', { body: { name: 'G', provider: 'gmail', ...clientId } }))
      .body['id'],
  )
/** Id of an account in the shard of the test's worker. */
const account = Array.from({ length: 10_000 }, (_, at) => `api-${at}`).find(
  (id) => shardOf(id) === shard,
) as string
let imapApp: string

beforeAll(async () => {
  const app = await createApp()
  imapApp = await createApp()
  const config = JSON.stringify({ ...clientId, baseScopes: 'api' })
  await db.updateTable('oauth2Apps').set({ config }).where('id', '=', app).execute()
  const oauth2 = JSON.stringify({ provider: app, auth: { user: 'jane@gmail.example' } })
  await db
    .insertInto('accounts')
    .values({ account, shard, name: 'Api', email: 'jane@gmail.example', backend: 'gmail', oauth2 })
    .execute()
  await db
    .insertInto('gateways')
    .values({ gateway: 'relay', name: 'Relay', host: 'relay.example', port: 25 })
    .execute()
})

const submit = (body: object) => call('POST', `/v1/account/${account}/submit`, { body })
const submitDraft = (body: object = {}) =>
  call('POST', `/v1/account/${account}/message/draft/submit`, { body })

test('getAccount: type of the application, with connections and not sendOnly', async () => {
  const { body } = await call('GET', `/v1/account/${account}`)
  expect(body).toMatchObject({ type: 'gmail', baseScopes: 'api', connections: 0 })
  expect(body['sendOnly']).toBeUndefined()
  const listed = await call('GET', `/v1/accounts?query=${account}`)
  expect(listed.body['accounts']).toMatchObject([{ account, type: 'gmail' }])
})

test('getAccount: without its application, type oauth2 and not sending', async () => {
  await db
    .insertInto('accounts')
    .values({ account: 'orphan', shard, name: 'Orphan', backend: 'gmail' })
    .execute()
  expect((await call('GET', '/v1/account/orphan')).body).toMatchObject({ type: 'oauth2' })
})

test('updateAccount: an application of mail servers, rejected and no servers are added', async () => {
  const oauth2 = { provider: imapApp, auth: { user: 'jane@gmail.example' } }
  expect(await call('PUT', `/v1/account/${account}`, { body: { oauth2 } })).toMatchObject({
    status: 400,
    body: { code: 'UnsupportedOperation' },
  })
  const { body } = await call('GET', `/v1/account/${account}`)
  expect([body['imap'], body['smtp'], body['type']]).toEqual([undefined, undefined, 'gmail'])
})

test('submitMessage: before the first sync, NotYetConnected', async () => {
  for (const body of [viaGateway, { to, text: 'x' }])
    expect(await submit(body)).toMatchObject({ status: 503, body: { code: 'NotYetConnected' } })
})

test('submitMessage: with a reference and filing, as an account with a mailbox', async () => {
  const initializedAt = new Date()
  await db
    .insertInto('accountStates')
    .values({ account, state: 'connected', initializedAt })
    .execute()
  const reference = { message: 'letter' }
  const answer = await submit({ ...viaGateway, reference, copy: true })
  expect(answer).toMatchObject({ status: 200, body: { reference: { success: true } } })
  expect((await queued()).filing).toEqual({
    copy: true,
    reference: { message: 'letter', action: 'reply' },
  })
})

test('submitMessage: reply, stores the thread of the original; forward, none', async () => {
  mailbox.original = { ...mailbox.original, threadId: 'thread-1' }
  const reference = { message: 'letter' }
  await submit({ text: 'x', reference })
  expect(await queued()).toMatchObject({ gateway: null, providerThread: 'thread-1' })
  await submit({ to, text: 'x', reference: { ...reference, action: 'forward' } })
  expect((await queued()).providerThread).toBeNull()
  await submit({ ...viaGateway, reference })
  expect((await queued()).providerThread).toBeNull()
})

test('submitMessage: useStructuredFormat, is stored; with a gateway, rejected', async () => {
  const path = `/v1/account/${account}/submit?useStructuredFormat=true`
  expect((await call('POST', path, { body: { to, text: 'x' } })).status).toBe(200)
  expect((await queued()).useStructuredFormat).toBe(true)
  expect((await call('POST', path, { body: viaGateway })).status).toBe(400)
})

const raw = Buffer.from('From: jane@gmail.example\r\nTo: a@x.example, b@x.example\r\n\r\nHi\r\n')
const twoInHeader = { raw: raw.toString('base64') }

test.each([
  ['another sender', { to, text: 'x', envelope: { from: 'bounces@gmail.example' } }],
  ['a recipient of the header left out', { ...twoInHeader, envelope: { to: ['a@x.example'] } }],
])('submitMessage: envelope with %s, UnsupportedOperation without a gateway', async (...row) => {
  const [, body] = row
  const expected = { status: 400, body: { code: 'UnsupportedOperation' } }
  expect(await submit(body)).toMatchObject(expected)
  expect(await world.rows()).toEqual([])
  expect((await submit({ ...body, gateway: 'relay' })).status).toBe(200)
  await queued()
})

test('submitMessage: envelope with a further recipient, is stored', async () => {
  const envelope = { to: ['a@x.example', 'b@x.example', 'hidden@x.example'] }
  expect((await submit({ ...twoInHeader, envelope })).status).toBe(200)
  expect((await queued()).envelope.to).toEqual(envelope.to)
})

test('submitDraft: with a gateway, keeps the Message-ID and deletes the draft later', async () => {
  mailbox.isAway = 0
  expect((await submitDraft({ gateway: 'relay' })).status).toBe(200)
  expect(await queued()).toMatchObject({
    messageId: '<draft@mail.example>',
    filing: { draft: 'draft' },
    storedDraft: null,
    providerThread: null,
  })
})

test('submitDraft: the stored draft is released itself; its copy has a new Message-ID', async () => {
  mailbox.draft = { ...mailbox.draft, messageId: '<draft@mail.example>', threadId: 'thread-1' }
  const { status, body } = await submitDraft()
  const row = await queued()
  expect(status).toBe(200)
  expect(row).toMatchObject({
    messageId: body['messageId'],
    filing: null,
    storedDraft: {
      messageId: 'draft',
      messageIdHeader: '<draft@mail.example>',
      version: 'version-1',
    },
    providerThread: 'thread-1',
  })
  expect(row.text).toContain(`Message-ID: ${row.messageId}\r\n`)
  expect(row.text).not.toContain('<draft@mail.example>')
  expect(row.envelope.to).toEqual(['to@elsewhere.example', 'blind@elsewhere.example'])
})

test('submitDraft: with an envelope, is a new message in the thread; the draft is deleted later', async () => {
  const to = ['to@elsewhere.example', 'blind@elsewhere.example', 'more@elsewhere.example']
  expect((await submitDraft({ envelope: { to } })).status).toBe(200)
  const row = await queued()
  expect(row).toMatchObject({
    filing: { draft: 'draft' },
    storedDraft: null,
    providerThread: 'thread-1',
    envelope: { to },
  })
  expect(row.messageId).not.toBe('<draft@mail.example>')
})

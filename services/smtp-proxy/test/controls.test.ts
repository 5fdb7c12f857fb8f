import { afterAll, expect, test } from '@jest/globals'
import { eventually } from '@posthorn/testkit'
import { type Mail, queueIdOf, testProxy } from './proxy.ts'

const proxy = await testProxy()
afterAll(() => proxy[Symbol.asyncDispose]())
const { db, send, outbox, count, addAccount, addToken, start } = proxy

const withHeaders = (headers: Record<string, string>, mail: Mail = {}): Mail => ({
  headers,
  text: 'x',
  ...mail,
})

test('control headers: valid, set submission fields and are removed from the message', async () => {
  await db
    .insertInto('gateways')
    .values({ gateway: 'relay', name: 'Relay', host: 'h', port: 25 })
    .execute()
  const sendAt = new Date(Date.now() + 3_600_000)
  const headers = {
    'X-SVC-Send-At': sendAt.toISOString(),
    'X-SVC-Delivery-Attempts': '3',
    'X-SVC-Gateway': 'relay',
    'X-SVC-Local-Address': '127.0.0.9',
    'X-SVC-Copy': 'true',
    'X-SVC-Track-Opens': 'false',
    'X-SVC-Sent-Mail-Path': 'Archive',
    'X-SVC-Account': 'acc',
  }
  await db
    .updateTable('accounts')
    .set({ imap: JSON.stringify({ host: 'h', port: 993 }) })
    .where('account', '=', 'acc')
    .execute()
  await db
    .insertInto('accountStates')
    .values({ account: 'acc', state: 'connected', initializedAt: new Date() })
    .execute()
  const { mime, ...row } = await outbox(queueIdOf(await send(withHeaders(headers))))
  expect(row).toMatchObject({
    sendAt,
    nextAttemptAt: sendAt,
    maxAttempts: 3,
    gateway: 'relay',
    localAddress: '127.0.0.9',
    filing: { copy: true, sentMailPath: 'Archive' },
  })
  expect(mime?.toString()).not.toMatch(/x-svc/i)
})

test('X-SVC-Copy: false, stored as false; an account without a mailbox stores no filing', async () => {
  const filing = async (headers: Record<string, string>, user: string) => {
    const pass = await addToken({ account: user })
    return (await outbox(queueIdOf(await send(withHeaders(headers), { user, pass })))).filing
  }
  await addAccount('with-mailbox', { imap: JSON.stringify({ host: 'h', port: 993 }) })
  await db
    .insertInto('accountStates')
    .values({ account: 'with-mailbox', state: 'connected', initializedAt: new Date() })
    .execute()
  expect(await filing({}, 'with-mailbox')).toEqual({})
  expect(await filing({ 'X-SVC-Copy': 'false' }, 'with-mailbox')).toEqual({ copy: false })
  await addAccount('at-gmail', { backend: 'gmail', smtp: null })
  await db
    .insertInto('accountStates')
    .values({ account: 'at-gmail', state: 'connected', initializedAt: new Date() })
    .execute()
  expect(await filing({ 'X-SVC-Gateway': 'relay', 'X-SVC-Copy': 'true' }, 'at-gmail')).toEqual({
    copy: true,
  })
  await addAccount('without-mailbox')
  expect(await filing({ 'X-SVC-Copy': 'true' }, 'without-mailbox')).toBeNull()
})

test('control headers: invalid, rejected with 554 or 550 and nothing is stored', async () => {
  const before = await count()
  const cases: [Record<string, string>, RegExp][] = [
    [{ 'X-SVC-Send-At': 'soon' }, /^554 5\.6\.0 The header x-svc-send-at /],
    [{ 'X-SVC-Gateway': 'nowhere' }, /^550 5\.7\.1 The gateway /],
    [{ 'X-SVC-Account': 'other' }, /^550 5\.7\.1 /],
    [{ 'X-SVC-Track-Clicks': 'true' }, /^554 5\.6\.0 The header x-svc-track-clicks /],
    [{ 'X-SVC-Whatever': 'x' }, /^554 5\.6\.0 The header x-svc-whatever is not supported/],
  ]
  for (const [headers, response] of cases)
    await expect(send(withHeaders(headers))).rejects.toMatchObject({
      response: expect.stringMatching(response),
    })
  expect(await count()).toBe(before)
})

test('X-SVC-Gateway: an account without SMTP server, sends through the gateway', async () => {
  await addAccount('by-gateway', { smtp: null })
  const via = { user: 'by-gateway', pass: await addToken({ account: 'by-gateway' }) }
  await expect(send({}, via)).rejects.toMatchObject({ responseCode: 550 })
  const sent = await send(withHeaders({ 'X-SVC-Gateway': 'relay' }), via)
  expect(await outbox(queueIdOf(sent))).toMatchObject({ account: 'by-gateway', gateway: 'relay' })
})

test('X-SVC-Idempotency-Key: repeated on another replica, same queue id and one row', async () => {
  await using _second = await start()
  const mail = () => withHeaders({ 'X-SVC-Idempotency-Key': 'k1' })
  const before = await count()
  const replies = await Promise.all(Array.from({ length: 8 }, () => send(mail())))
  const ids = new Set(replies.map(queueIdOf))
  expect(ids.size).toBe(1)
  expect(await count()).toBe(before + 1)
  const [queueId = ''] = ids
  expect(await outbox(queueId)).toMatchObject({ idempotencyKey: 'k1' })
  const { response } = await db
    .selectFrom('idempotencyKeys')
    .select('response')
    .where('key', '=', 'k1')
    .executeTakeFirstOrThrow()
  expect(response).toMatchObject({ queueId, response: 'Queued for delivery' })

  await expect(send({ ...mail(), to: 'third-party@example.com' })).rejects.toMatchObject({
    responseCode: 554,
  })
  await addAccount('acc-2')
  const elsewhere = await send(mail(), { user: 'acc-2', pass: await addToken({}) })
  expect(queueIdOf(elsewhere)).not.toBe(queueId)
  await db
    .updateTable('idempotencyKeys')
    .set({ createdAt: new Date(Date.now() - 25 * 3_600_000) })
    .where('account', '=', 'acc')
    .execute()
  expect(queueIdOf(await send(mail()))).not.toBe(queueId)
})

test('DSN parameters: are stored with the submission', async () => {
  const dsn = {
    id: 'my id',
    return: 'full',
    notify: ['success', 'failure'],
    recipient: 'a@example.com',
  }
  const sent = await send({
    text: 'x',
    dsn: { ...dsn, recipient: 'rfc822;a@example.com' },
  } as Mail)
  expect(await outbox(queueIdOf(sent))).toMatchObject({ dsn })
})

test('SMTPUTF8: international addresses, are stored unchanged', async () => {
  const sent = await send({ to: 'jörg@bücher.example', text: 'x' })
  await eventually(async () =>
    expect(await outbox(queueIdOf(sent))).toMatchObject({
      envelope: { to: [expect.stringMatching(/^jörg@/)] },
    }),
  )
})

import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { connectBus } from '@posthorn/bus'
import { type Settings, shardOf, SubmissionHint, type TokenRequest } from '@posthorn/contracts'
import { hashToken, newToken } from '@posthorn/secrets'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, testBus, testDatabase } from '@posthorn/testkit'
import { createTransport } from 'nodemailer'
import { startApp } from '../src/app.ts'
import type { Config } from '../src/config.ts'

const [database, broker] = await Promise.all([testDatabase(), testBus()])
const { db } = database
const log = createLogger('test', 'silent')
const bus = await connectBus({ url: broker.url, name: 'test', log, metrics: createMetrics('test') })
const hints: string[] = []
await bus.consume({
  queue: 'sender.submissions',
  schema: SubmissionHint,
  prefetch: 10,
  handle: async ({ payload }) => void hints.push(payload.queueId),
})
const port = await freePort()
const config: Config = {
  databaseUrl: database.roleUrl('posthorn_smtp_proxy'),
  databasePoolSize: 5,
  amqpUrl: broker.url,
  host: '127.0.0.1',
  port: 0,
  logLevel: 'silent',
  tlsCert: undefined,
  tlsKey: undefined,
  maxMessageBytes: 200_000,
  maxConnections: 20,
}
const app = await startApp(config, new AbortController().signal)
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await bus[Symbol.asyncDispose]()
  await Promise.all([database.drop(), broker.drop()])
})

let token: string
beforeAll(async () => {
  await set({ smtpServerEnabled: true, smtpServerPort: port, deliveryAttempts: 7 })
  await addAccount('acc')
  token = await addToken({ account: 'acc' })
})

test('what was accepted is in the outbox, and a hint of it is on its way', async () => {
  const { response, messageId } = await send({
    from: 'me@example.com',
    to: ['a@example.com', 'b@example.com'],
    bcc: 'hidden@example.com',
    subject: 'héllo',
    text: '.leading dot\r\n..two\r\n',
  })
  const [, queueId = '', date = ''] =
    /^250 Message queued for delivery as ([0-9a-f]{19}) \((.*)\)$/.exec(response) ?? []
  expect(new Date(date).toISOString()).toBe(date)
  const { mime, ...row } = await outbox(queueId)
  expect(row).toMatchObject({
    account: 'acc',
    shard: shardOf('acc'),
    source: 'smtp',
    state: 'queued',
    messageId,
    subject: 'héllo',
    maxAttempts: 7,
    envelope: {
      from: 'me@example.com',
      to: ['a@example.com', 'b@example.com', 'hidden@example.com'],
    },
  })
  const text = mime?.toString() ?? ''
  expect(text).toContain(`Message-ID: ${messageId}\r\n`)
  expect(text).toContain('\r\n\r\n.leading dot\r\n..two\r\n')
  expect(text).not.toMatch(/hidden/)
  await eventually(() => expect(hints).toContain(queueId))
})

test('Bcc in the message itself does not go out', async () => {
  const raw =
    'From: me@example.com\r\nBcc: hidden@example.com,\r\n more@example.com\r\nSubject: s\r\n\r\nbody\r\n'
  const { response } = await send({
    envelope: { from: 'me@example.com', to: ['hidden@example.com'] },
    raw,
  })
  const { mime, messageId } = await outbox(/as (\w+)/.exec(response)?.[1] ?? '')
  expect(mime?.toString()).not.toMatch(/hidden|more@/)
  expect(mime?.toString()).toContain(`Message-ID: ${messageId}\r\n`)
})

test('who may not send is told the same, whatever the reason', async () => {
  const cases: [string, string][] = [
    ['acc', newToken()],
    ['nobody', await addToken({})],
    ['acc', await addToken({ scopes: ['imap-proxy', 'api'] })],
    ['acc', await addToken({ permissions: { actions: ['read'] } })],
  ]
  for (const [user, pass] of cases)
    await expect(send({}, { user, pass })).rejects.toMatchObject({
      responseCode: 535,
      response: '535 Invalid credentials',
    })
  const elsewhere = await addToken({ account: 'acc', restrictions: { addresses: ['192.0.2.1'] } })
  await expect(send({}, { user: 'acc', pass: elsewhere })).rejects.toMatchObject({
    response: '535 Access denied, traffic not accepted from this IP',
  })
})

test('accounts that cannot send, and such that cannot yet', async () => {
  await addAccount('no-smtp', { smtp: null })
  await addAccount('syncing', { imap: JSON.stringify({ host: 'h', port: 993 }) })
  const pass = await addToken({})
  await expect(send({}, { user: 'no-smtp', pass })).rejects.toMatchObject({ responseCode: 550 })
  await expect(send({}, { user: 'syncing', pass })).rejects.toMatchObject({ responseCode: 451 })
  await db
    .insertInto('accountStates')
    .values({ account: 'syncing', state: 'connected', initializedAt: new Date() })
    .execute()
  expect((await send({}, { user: 'syncing', pass })).response).toMatch(/^250 /)
})

test('a token that is revoked in the middle of a session sends no more', async () => {
  const pass = await addToken({ account: 'acc' })
  const pooled = createTransport({
    host: '127.0.0.1',
    port,
    pool: true,
    maxConnections: 1,
    auth: { user: 'acc', pass },
    ignoreTLS: true,
  })
  expect(
    (await pooled.sendMail({ from: 'me@example.com', to: 'a@example.com', text: 'x' })).response,
  ).toMatch(/^250 /)
  await db.deleteFrom('tokens').where('id', '=', hashToken(pass)).execute()
  await expect(
    pooled.sendMail({ from: 'me@example.com', to: 'a@example.com', text: 'x' }),
  ).rejects.toMatchObject({ responseCode: 535 })
  pooled.close()
})

test('a message that is too long is refused, and nothing of it stays', async () => {
  const before = await count()
  await expect(send({ text: 'x\r\n'.repeat(80_000) })).rejects.toMatchObject({ responseCode: 552 })
  expect(await count()).toBe(before)
})

test.each(['a b@example.com', 'a@exam ple.com', 'a', '"<x>"@exa<mple', 'a@b\u0007c'])(
  'the recipient %p is refused',
  async (recipient) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const login = Buffer.from(`\0acc\0${token}`).toString('base64')
    let said = ''
    const words = [
      'EHLO x',
      `AUTH PLAIN ${login}`,
      'MAIL FROM:<me@example.com>',
      `RCPT TO:<${recipient}>`,
      'QUIT',
    ]
    for await (const chunk of socket) {
      said += String(chunk)
      // The next one after the last line of each answer.
      if (/^\d{3} .*\r\n$/m.test(String(chunk))) socket.write(`${words.shift()}\r\n`)
    }
    expect(said).toMatch(/^235 .*\r\n250 .*\r\n5\d\d .*\r\n221 /m)
  },
)

test('while Postgres is away a message is not taken, and the client may come again', async () => {
  const other = await testDatabase()
  const otherPort = await freePort()
  const dying = await startApp(
    { ...config, databaseUrl: other.roleUrl('posthorn_smtp_proxy') },
    new AbortController().signal,
  )
  const values = {
    account: 'acc',
    shard: 1,
    name: 'acc',
    smtp: JSON.stringify({ host: 'h', port: 25 }),
  }
  await other.db.insertInto('accounts').values(values).execute()
  await other.db
    .insertInto('tokens')
    .values({ id: hashToken(token), account: 'acc', scopes: ['smtp'] })
    .execute()
  for (const [key, value] of Object.entries({ smtpServerEnabled: true, smtpServerPort: otherPort }))
    await other.db
      .insertInto('settings')
      .values({ key, value: JSON.stringify(value) })
      .execute()
  const via = { user: 'acc', pass: token, port: otherPort }
  await eventually(async () => expect((await send({}, via)).response).toMatch(/^250 /))
  await other.drop()
  await expect(send({}, via)).rejects.toMatchObject({ response: expect.stringMatching(/^4\d\d /) })
  await dying[Symbol.asyncDispose]()
})

test('the settings move and stop the listener', async () => {
  const moved = await freePort()
  await set({ smtpServerPort: moved })
  await eventually(async () =>
    expect((await send({}, { user: 'acc', pass: token, port: moved })).response).toMatch(/^250 /),
  )
  await set({ smtpServerEnabled: false })
  await eventually(() =>
    expect(send({}, { user: 'acc', pass: token, port: moved })).rejects.toMatchObject({
      code: 'ESOCKET',
    }),
  )
})

type Mail = Parameters<ReturnType<typeof createTransport>['sendMail']>[0]

async function send(mail: Mail, via?: { user: string; pass: string; port?: number }) {
  const { port: to = port, ...auth } = via ?? { user: 'acc', pass: token }
  const transport = createTransport({ host: '127.0.0.1', port: to, auth, ignoreTLS: true })
  const complete =
    mail.raw || mail.envelope ? mail : { from: 'me@example.com', to: 'a@example.com', ...mail }
  return transport.sendMail(complete)
}

const outbox = (queueId: string) =>
  db.selectFrom('outbox').selectAll().where('queueId', '=', queueId).executeTakeFirstOrThrow()

async function count(): Promise<number> {
  const rows = await db.selectFrom('outbox').select('queueId').execute()
  return rows.length
}

async function set(settings: Settings): Promise<void> {
  for (const [key, value] of Object.entries(settings)) {
    const row = { key, value: JSON.stringify(value) }
    await db
      .insertInto('settings')
      .values(row)
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: row.value }))
      .execute()
  }
  await bus.invalidate({ topic: 'settings' })
  if (settings.smtpServerEnabled) await eventually(async () => expect(await listening()).toBe(true))
}

async function listening(): Promise<boolean> {
  return createTransport({
    host: '127.0.0.1',
    port,
    ignoreTLS: true,
    auth: { user: 'acc', pass: 'x' },
  })
    .verify()
    .then(
      () => true,
      (error: { code?: string }) => error.code === 'EAUTH',
    )
}

async function addAccount(
  account: string,
  changes: { smtp?: string | null; imap?: string } = {},
): Promise<void> {
  const smtp = JSON.stringify({ host: 'smtp.example.com', port: 587, auth: { user: account } })
  await db
    .insertInto('accounts')
    .values({ account, shard: shardOf(account), name: account, smtp, ...changes })
    .execute()
}

async function addToken({
  account,
  scopes = ['smtp'],
  permissions,
  restrictions,
}: Partial<TokenRequest>): Promise<string> {
  const value = newToken()
  await db
    .insertInto('tokens')
    .values({
      id: hashToken(value),
      scopes,
      account: account ?? null,
      permissions: permissions ? JSON.stringify(permissions) : null,
      restrictions: restrictions ? JSON.stringify(restrictions) : null,
    })
    .execute()
  return value
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

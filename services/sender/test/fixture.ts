import { randomUUID } from 'node:crypto'
import { connectBus, on } from '@posthorn/bus'
import { type Credentials, getCredentials, shardOf } from '@posthorn/contracts'
import { type Db, deriveEventId } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { type SmtpScript, testBus, testDatabase } from '@posthorn/testkit'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'

export interface NewSubmission {
  account: string
  to?: string[]
  maxAttempts?: number
  sendAt?: Date
  mime?: Buffer
}

/** A database and a broker of a test file's own, and senders on them. */
export async function senderFixture() {
  const database = await testDatabase()
  const broker = await testBus()
  const { db } = database
  const env = {
    DATABASE_URL: database.roleUrl('posthorn_sender'),
    AMQP_URL: broker.url,
    SVC_PORT: '0',
    SVC_LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    SVC_SENDER_RETRY_BASE: '40ms',
    SVC_SENDER_SWEEP: '50ms',
    SVC_SENDER_CREDENTIALS_TIMEOUT: '500ms',
  }
  const startSender = (more: Record<string, string> = {}) =>
    startApp(readConfig({ ...env, ...more }), new AbortController().signal)
  return {
    db,
    broker,
    startSender,
    addAccount: (server: Pick<SmtpScript, 'host' | 'port'>, smtp: object = {}) =>
      addAccount(db, server, smtp),
    submit: (submission: NewSubmission) => submit(db, submission),
    row: (queueId: string) =>
      db.selectFrom('outbox').selectAll().where('queueId', '=', queueId).executeTakeFirstOrThrow(),
    eventsOf: (account: string) => eventsOf(db, account),
    async [Symbol.asyncDispose]() {
      await broker.drop()
      await database.drop()
    },
  }
}

async function addAccount(
  db: Db,
  { host, port }: Pick<SmtpScript, 'host' | 'port'>,
  smtp: object,
): Promise<string> {
  const account = `acc-${randomUUID()}`
  const server = { host, port, secure: false, tls: { rejectUnauthorized: false }, ...smtp }
  await db
    .insertInto('accounts')
    .values({
      account,
      shard: shardOf(account),
      name: 'Test',
      email: 'me@example.com',
      smtp: JSON.stringify(server),
    })
    .execute()
  return account
}

async function submit(
  db: Db,
  {
    account,
    to = ['you@example.net'],
    maxAttempts = 10,
    sendAt = new Date(0),
    mime,
  }: NewSubmission,
): Promise<string> {
  const queueId = randomUUID()
  const messageId = `<${queueId}@example.com>`
  const text = `From: me@example.com\r\nTo: ${to.join(', ')}\r\nSubject: Test\r\nMessage-ID: ${messageId}\r\n\r\nHello\r\n..\r\n`
  await db
    .insertInto('outbox')
    .values({
      queueId,
      account,
      shard: shardOf(account),
      source: 'api',
      messageId,
      envelope: JSON.stringify({ from: 'me@example.com', to }),
      mime: mime ?? Buffer.from(text),
      sendAt,
      nextAttemptAt: sendAt,
      maxAttempts,
    })
    .execute()
  return queueId
}

async function eventsOf(db: Db, account: string) {
  const rows = await db
    .selectFrom('events')
    .select(['event', 'eventId', 'body'])
    .where('account', '=', account)
    .orderBy('id')
    .execute()
  return rows.map(({ event, eventId, body }) => ({
    event,
    eventId,
    data: (JSON.parse(body) as { data: Record<string, unknown> }).data,
  }))
}

export const sentEventId = (queueId: string) => deriveEventId(['messageSent', queueId])

/** Answers for auth-bridge. */
export async function serveCredentials(url: string, answer: () => Credentials | AppError) {
  const bus = await connectBus({
    url,
    name: 'test',
    log: createLogger('test', 'silent'),
    metrics: createMetrics('test'),
  })
  const asked: string[] = []
  await bus.serve({
    queue: 'credentials',
    keys: ['credentials'],
    handlers: [
      on(getCredentials, async ({ account, protocol }) => {
        asked.push(`${account} ${protocol}`)
        const credentials = answer()
        if (credentials instanceof AppError) throw credentials
        return credentials
      }),
    ],
  })
  await bus.whenUp()
  return { bus, asked, [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose]() }
}

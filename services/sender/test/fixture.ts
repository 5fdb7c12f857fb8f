import { randomUUID } from 'node:crypto'
import { connectBus, on } from '@posthorn/bus'
import {
  type Credentials,
  getCredentials,
  getGatewayCredentials,
} from '@posthorn/contracts/commands/credentials'
import { settingKeys, type Settings } from '@posthorn/contracts/settings/settings'
import { shardOf } from '@posthorn/contracts/shards'
import { type Db, deriveEventId, type DsnRequest, type Filing } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import {
  eventually,
  unsealsLogins,
  type SmtpScript,
  testBus,
  testDatabase,
} from '@posthorn/testkit'
import { type AppDeps, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'

export interface NewSubmission {
  account: string
  to?: string[]
  maxAttempts?: number
  sendAt?: Date
  mime?: Buffer
  from?: string
  gateway?: string
  proxy?: string
  localAddress?: string
  dsn?: DsnRequest
  filing?: Filing
  providerThread?: string
}

/**
 * Postgres database and RabbitMQ virtual host of one test file, with functions to start senders on
 * them.
 */
export async function senderFixture() {
  const database = await testDatabase()
  const broker = await testBus({ reuse: true })
  const { db } = database
  const env = {
    DATABASE_URL: database.roleUrl('posthorn_sender'),
    AMQP_URL: broker.url,
    SVC_PORT: '0',
    SVC_LOG_LEVEL: process.env['TEST_LOG'] ?? 'silent',
    SVC_SENDER_RETRY_BASE: '40ms',
    SVC_SENDER_SWEEP: '50ms',
    // Tests use port 1, on which no server listens, for unreachable mail servers.
    SVC_MAIL_ALLOWED_TARGETS: '1',
  }
  const startSender = (more: Record<string, string> = {}, deps: AppDeps = {}) => {
    const config = readConfig({ ...env, ...more })
    // On a busy machine the next message of a test must still find the idle SMTP session.
    const smtp = { ...config.smtp, idleMs: 600_000 }
    return startApp({ ...config, smtp }, new AbortController().signal, deps)
  }
  return {
    db,
    broker,
    startSender,
    /** Environment variables of a sender process. */
    env: (more: Record<string, string> = {}) => ({ ...env, ...more }),
    addAccount: (server: Pick<SmtpScript, 'host' | 'port'>, smtp: object = {}) =>
      addAccount(db, server, smtp),
    addGateway: (server: Pick<SmtpScript, 'host' | 'port'>, username: string | null = null) =>
      addGateway(db, server, username),
    /**
     * Replaces the settings of the installation. Running senders apply new settings within seconds.
     */
    set: (settings: Settings) => set(db, settings),
    submit: (submission: NewSubmission) => submit(db, submission),
    row: (queueId: string) => rowOf(db, queueId),
    /**
     * Waits until a submission is sent or failed, and returns its outbox row. The row contains the
     * message, so the row is read only after the wait.
     */
    finished: async (queueId: string) => {
      const query = db.selectFrom('outbox').select('state').where('queueId', '=', queueId)
      await eventually(async () => (await query.executeTakeFirstOrThrow()).state !== 'queued')
      return rowOf(db, queueId)
    },
    eventsOf: (account: string) => eventsOf(db, account),
    async [Symbol.asyncDispose]() {
      await broker.drop()
      await database.drop()
    },
  }
}

function rowOf(db: Db, queueId: string) {
  return db
    .selectFrom('outbox')
    .selectAll()
    .where('queueId', '=', queueId)
    .executeTakeFirstOrThrow()
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

async function addGateway(
  db: Db,
  { host, port }: Pick<SmtpScript, 'host' | 'port'>,
  username: string | null,
): Promise<string> {
  const gateway = `gateway-${randomUUID()}`
  const row = { gateway, name: 'Test', host, port, username }
  await db.insertInto('gateways').values(row).execute()
  return gateway
}

async function set(db: Db, settings: Settings): Promise<void> {
  await db.deleteFrom('settings').where('key', 'in', settingKeys).execute()
  for (const [key, value] of Object.entries(settings))
    await db
      .insertInto('settings')
      .values({ key, value: JSON.stringify(value) })
      .execute()
}

async function submit(
  db: Db,
  {
    account,
    to = ['you@example.net'],
    maxAttempts = 10,
    sendAt = new Date(0),
    mime,
    from = 'me@example.com',
    dsn,
    filing,
    ...egress
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
      envelope: JSON.stringify({ from, to }),
      dsn: dsn ? JSON.stringify(dsn) : null,
      filing: filing ? JSON.stringify(filing) : null,
      ...egress,
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

/** Serves the credential commands of auth-bridge over RabbitMQ. */
export async function serveCredentials(
  url: string,
  credentials: (fresh: boolean, account?: string) => Credentials | AppError,
) {
  const bus = await connectBus({
    url,
    name: 'test',
    log: createLogger('test', 'silent'),
    metrics: createMetrics('test'),
  })
  const requests: string[] = []
  await bus.serve({
    queue: 'credentials',
    keys: ['credentials'],
    handlers: [
      on(getCredentials, async ({ account, protocol, fresh = false }) => {
        requests.push(`${account} ${protocol}${fresh ? ' fresh' : ''}`)
        return orThrow(credentials(fresh, account))
      }),
      on(getGatewayCredentials, async ({ gateway }) => {
        requests.push(gateway)
        return orThrow(credentials(false))
      }),
      unsealsLogins,
    ],
  })
  await bus.whenUp()
  return { bus, requests, [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose]() }
}

function orThrow(result: Credentials | AppError): Credentials {
  if (result instanceof AppError) throw result
  return result
}

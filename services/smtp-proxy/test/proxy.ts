import { connectBus, on } from '@posthorn/bus'
import { checkSmtpServerPassword } from '@posthorn/contracts/commands/credentials'
import { SubmissionHint } from '@posthorn/contracts/hints'
import type { TokenRequest } from '@posthorn/contracts/schemas/token'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { shardOf } from '@posthorn/contracts/shards'
import { hashToken, newToken } from '@posthorn/secrets'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, freePort, testBus, testDatabase } from '@posthorn/testkit'
import { createTransport } from 'nodemailer'
import { startApp } from '../src/app.ts'
import type { Config } from '../src/config.ts'
import { RawClient } from './raw-client.ts'

export type Mail = Parameters<ReturnType<typeof createTransport>['sendMail']>[0]

export interface Via {
  user?: string
  pass?: string
  port?: number
  options?: object
}

/**
 * Starts smtp-proxy with its own database and RabbitMQ virtual host, an account `acc` and an access
 * token. A stub can play auth-bridge.
 */
export async function testProxy(changes: Partial<Config> = {}, settings: Settings = {}) {
  await using stack = new AsyncDisposableStack()
  const [database, broker] = await Promise.all([testDatabase(), testBus({ reuse: true })])
  stack.defer(() => Promise.all([database.drop(), broker.drop()]).then(() => undefined))
  const { db } = database
  const log = createLogger('test', 'silent')
  const metrics = createMetrics('test')
  const bus = stack.use(await connectBus({ url: broker.url, name: 'test', log, metrics }))
  // Without a connection to RabbitMQ, `consume` would return without a queue.
  await bus.whenUp()
  const hints: string[] = []
  await bus.consume({
    queue: 'sender.submissions',
    schema: SubmissionHint,
    prefetch: 10,
    handle: async ({ payload }) => void hints.push(payload.queueId),
  })
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
    maxBufferedBytes: 400_000,
    maxBufferedBytesPerAccount: changes.maxBufferedBytes ?? 400_000,
    maxConnections: 20,
    maxSessionsPerAccount: 20,
    stallMs: 600_000,
    maxPendingPerAddress: 15,
    trustedProxies: ['127.0.0.0/8'],
    insecureAuth: false,
    drainDelayMs: 0,
    drainMs: 30_000,
    shutdownTimeoutMs: 10_000,
    ...changes,
  }
  const port = await freePort()
  const start = async (health?: number) => startReady(config, health ?? (await freePort()))
  const app = await start()
  stack.use(app)
  const store = storeOf(db)
  const set = async (settings: Settings) => {
    await store.putSettings(settings)
    await bus.invalidate({ topic: 'settings' })
  }
  await store.addAccount('acc')
  const token = await store.addToken({ account: 'acc' })
  await set({ smtpServerEnabled: true, smtpServerPort: port, deliveryAttempts: 7, ...settings })
  await eventually(() => isListening(port))
  const running = stack.move()
  return {
    ...store,
    db,
    config,
    port,
    token,
    hints,
    set,
    /**
     * Sends the invalidation (broadcast) that api-gateway sends when a token or an account changes.
     */
    invalidate: (topic: 'tokens' | 'accounts') => bus.invalidate({ topic }),
    start,
    app,
    database,
    /** Plays auth-bridge: confirms only the server password `right`. */
    servePassword: async (right: string) =>
      bus.serve({
        queue: 'credentials',
        keys: ['credentials'],
        handlers: [
          on(checkSmtpServerPassword, async ({ password }) => ({ valid: password === right })),
        ],
      }),
    send: (mail: Mail, { user = 'acc', pass = token, port: to = port, options = {} }: Via = {}) => {
      const transport = createTransport({
        host: '127.0.0.1',
        port: to,
        auth: { user, pass },
        ignoreTLS: true,
        ...options,
      })
      const complete =
        mail.raw || mail.envelope ? mail : { from: 'me@example.com', to: 'a@example.com', ...mail }
      return transport.sendMail(complete)
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/**
 * Starts a replica of smtp-proxy and waits until it is ready: a replica may listen earlier and
 * reject clients.
 */
async function startReady(config: Config, health: number) {
  const app = await startApp({ ...config, port: health }, new AbortController().signal)
  const isReady = async () => (await fetch(`http://127.0.0.1:${health}/health/ready`)).ok
  await eventually(isReady, { timeoutMs: 120_000 })
  return app
}

type TestDb = Awaited<ReturnType<typeof testDatabase>>['db']

/** Functions that write the database rows of api-gateway and sync-worker. */
export function storeOf(db: TestDb) {
  return {
    putSettings: async (settings: Settings): Promise<void> => {
      const rows = Object.entries(settings).map(([key, value]) => ({
        key,
        value: JSON.stringify(value),
      }))
      // Settings are written in one SQL statement, as by api-gateway: smtp-proxy may read them any
      // time.
      await db
        .insertInto('settings')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet((row) => ({ value: row.ref('excluded.value') })),
        )
        .execute()
    },
    addAccount: async (
      account: string,
      changes: { smtp?: string | null; imap?: string; backend?: 'gmail' } = {},
    ): Promise<void> => {
      const smtp = JSON.stringify({ host: 'smtp.example.com', port: 587, auth: { user: account } })
      await db
        .insertInto('accounts')
        .values({ account, shard: shardOf(account), name: account, smtp, ...changes })
        .execute()
    },
    addToken: async ({
      account,
      scopes = ['smtp'],
      permissions,
      restrictions,
    }: Partial<TokenRequest>): Promise<string> => {
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
    },
    outbox: (queueId: string) =>
      db.selectFrom('outbox').selectAll().where('queueId', '=', queueId).executeTakeFirstOrThrow(),
    count: async (): Promise<number> => {
      const rows = await db.selectFrom('outbox').select('queueId').execute()
      return rows.length
    },
  }
}

export function queueIdOf({ response }: { response: string }): string {
  return /queued for delivery as ([0-9a-f]{19}) /.exec(response)?.[1] ?? ''
}

export async function isListening(port: number): Promise<boolean> {
  return RawClient.open(port).then(
    (client) => {
      client.close()
      return true
    },
    () => false,
  )
}

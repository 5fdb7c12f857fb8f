import { type Bus, connectBus, on } from '@posthorn/bus'
import {
  checkImapProxyServerPassword,
  type Credentials,
  getCredentials,
} from '@posthorn/contracts/commands/credentials'
import type { TokenRequest } from '@posthorn/contracts/schemas/token'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { shardOf } from '@posthorn/contracts/shards'
import { AppError } from '@posthorn/errors'
import { defaultMailPorts } from '@posthorn/net/ports'
import { hashToken, newToken } from '@posthorn/secrets'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import {
  eventually,
  freePort,
  unsealsLogins,
  testBus,
  testDatabase,
  type TestUser,
} from '@posthorn/testkit'
import type { App } from '@posthorn/service/run'
import { startApp } from '../src/app.ts'
import type { Config } from '../src/config.ts'
import { RawClient } from './raw-client.ts'

const log = createLogger('test', 'silent')

/**
 * Server password (admits mail clients to every account) that the stand-in for auth-bridge accepts.
 */
export const serverPassword = 'for all accounts'

export interface TestProxy extends AsyncDisposable {
  readonly port: number
  readonly db: Awaited<ReturnType<typeof testDatabase>>['db']
  readonly bus: Bus
  /** Starts another replica of imap-proxy. */
  start(changes?: Partial<Config>): Promise<App>
  /** First replica of imap-proxy. */
  readonly app: App
  /** Stores settings and publishes the invalidation, as api-gateway does. */
  set(settings: Settings): Promise<void>
  /**
   * Registers an account for the IMAP proxy; `credentials` is the reply or error of auth-bridge.
   */
  addAccount(
    account: string,
    imap: object | null,
    credentials?: Credentials | AppError,
  ): Promise<void>
  addToken(request: Partial<TokenRequest>): Promise<string>
  /** Connects an IMAP client from an address and reads the greeting. */
  open(from?: string): Promise<RawClient>
}

/**
 * Starts imap-proxy with its own database and RabbitMQ virtual host, and a stand-in for
 * auth-bridge.
 */
export async function testProxy(changes: Partial<Config> = {}): Promise<TestProxy> {
  await using opened = new AsyncDisposableStack()
  const database = opened.adopt(await testDatabase(), (database) => database.drop())
  const broker = opened.adopt(await testBus({ reuse: true }), (broker) => broker.drop())
  const { db } = database
  const bus = opened.use(
    await connectBus({ url: broker.url, name: 'test', log, metrics: createMetrics('test') }),
  )
  // Without a connection to RabbitMQ, `serve` would return without a queue.
  await bus.whenUp()
  const credentialsOf = new Map<string, Credentials | AppError>()
  const check = on(checkImapProxyServerPassword, async ({ password }) => ({
    valid: password === serverPassword,
  }))
  const answer = on(getCredentials, ({ account }) => {
    const credentials = credentialsOf.get(account) ?? new AppError('not-found', 'no such account')
    return credentials instanceof AppError
      ? Promise.reject(credentials)
      : Promise.resolve(credentials)
  })
  opened.use(
    await bus.serve({
      queue: 'credentials',
      keys: ['credentials'],
      handlers: [answer, check, unsealsLogins],
    }),
  )
  const port = await freePort()

  const proxy: Omit<TestProxy, 'app' | typeof Symbol.asyncDispose> = {
    port,
    db,
    bus,
    async start(more = {}) {
      const health = more.port ?? changes.port ?? (await freePort())
      const app = await startApp(
        {
          databaseUrl: database.roleUrl('posthorn_imap_proxy'),
          databasePoolSize: 5,
          amqpUrl: broker.url,
          host: '127.0.0.1',
          port: health,
          logLevel: process.env['TEST_LOG'] === 'yes' ? 'debug' : 'silent',
          tlsCert: undefined,
          tlsKey: undefined,
          maxPending: 2_000,
          maxPendingPerAddress: 50,
          trustedProxies: ['127.0.0.0/8'],
          mailEgressPolicy: 'link-local',
          // Tests use port 1, on which no server listens, for unreachable mail servers.
          mailPorts: { ...defaultMailPorts, allowed: [1] },
          maxSessionsPerAccount: 20,
          drainDelayMs: 0,
          drainMs: 200,
          shutdownTimeoutMs: 10_000,
          ...changes,
          ...more,
        },
        new AbortController().signal,
      )
      await untilReady(health)
      return app
    },
    async set(settings) {
      const rows = Object.entries(settings).map(([key, value]) => ({
        key,
        value: JSON.stringify(value),
      }))
      // Settings are written in one SQL statement, as by api-gateway: imap-proxy may read them any
      // time.
      await db
        .insertInto('settings')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('key').doUpdateSet((row) => ({ value: row.ref('excluded.value') })),
        )
        .execute()
      await bus.invalidate({ topic: 'settings' })
    },
    async addAccount(account, imap, credentials) {
      if (credentials) credentialsOf.set(account, credentials)
      const text = imap === null ? null : JSON.stringify(imap)
      await db
        .insertInto('accounts')
        .values({ account, shard: shardOf(account), name: account, imap: text })
        .execute()
    },
    async addToken({ account, scopes = ['imap-proxy'], restrictions, permissions, expires }) {
      const token = newToken()
      await db
        .insertInto('tokens')
        .values({
          id: hashToken(token),
          scopes,
          account: account ?? null,
          restrictions: restrictions ? JSON.stringify(restrictions) : null,
          permissions: permissions ? JSON.stringify(permissions) : null,
          expiresAt: expires === undefined ? null : new Date(expires),
        })
        .execute()
      return token
    },
    open: (from) =>
      eventually(async () => {
        const client = await RawClient.open(port, from)
        await client.until(/^\* OK .*\r\n/)
        return client
      }),
  }
  const app = opened.use(await proxy.start())
  await proxy.set({ imapProxyServerEnabled: true, imapProxyServerPort: port })
  const all = opened.move()
  return { ...proxy, app, [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() }
}

/** Waits until imap-proxy is ready: it may listen before it can request credentials. */
async function untilReady(port: number): Promise<void> {
  const isReady = async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok
  await eventually(isReady, { timeoutMs: 120_000 })
}

/** IMAP server of a test user, in plaintext on loopback, as registered with an account. */
export function imapOf({ host, imapPort, user }: TestUser): object {
  return {
    host,
    port: imapPort,
    secure: false,
    auth: { user },
    tls: { rejectUnauthorized: false },
  }
}

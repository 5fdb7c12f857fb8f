import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { connectBus, on } from '@posthorn/bus'
import type { Provider } from '@posthorn/contracts/account-types'
import {
  type Credentials,
  getCredentials,
  getExportKey,
  getOpenAiApiKey,
} from '@posthorn/contracts/commands/credentials'
import { listMailboxes } from '@posthorn/contracts/commands/mailboxes'
import { getPubSubToken } from '@posthorn/contracts/commands/oauth2'
import type { Command, CommandRequest, CommandResponse } from '@posthorn/contracts/define'
import { shardCount, shardOf } from '@posthorn/contracts/shards'
import type { Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import {
  eventually,
  serviceProgram,
  unsealsLogins,
  testBus,
  testDatabase,
  testDovecot,
  type TestUser,
} from '@posthorn/testkit'
import { type AppParts, startApp, type WorkerApp } from '../src/app.ts'
import { type Config, readConfig } from '../src/config.ts'

export interface StoredEvent {
  eventId: string
  event: string
  path?: string
  specialUse?: string
  data: Record<string, unknown>
  publishedAt: Date | null
}

export interface Registration {
  imap?: object | null
  notifyFrom?: Date
  path?: string[]
  subconnections?: string[]
  imapIndexer?: 'full' | 'fast'
  pass?: string
  host?: string
  port?: number
}

/** Login of a mail user for whom an account is registered. */
export type MailUser = Pick<TestUser, 'host' | 'imapPort' | 'user' | 'pass'>

export interface ApiRegistration {
  /** Id of the account. Generated if absent. */
  account?: string
  user: string
  /**
   * True if the OAuth2 user is the owner of the mailbox, not a user with access to a shared
   * mailbox.
   */
  own?: true
  accessToken?: string
  path?: string[]
  notifyFrom?: Date
}

export interface WorldOptions {
  /** Interval of the heartbeats of workers, for tests of heartbeats. */
  heartbeatMs?: number
  /**
   * Number of shards: 16 by default, 256 with `allShards` as in production. With 16 shards, a
   * second worker gets shards only when the first worker has stopped. Each shard of a worker is a
   * binding in RabbitMQ, and 256 bindings are most of the work of a worker's start and stop.
   */
  shards?: number
}

/** Option of test files in which two workers share the shards, as in production. */
export const allShards = { shards: shardCount }

/** Id of the OAuth2 application that all accounts of `registerApi` use. */
export const apiApplication = 'linked'

/**
 * Postgres, RabbitMQ, Dovecot, a minimal auth-bridge, and any number of workers. A worker that
 * misses two heartbeats stops, so heartbeats are rarer than in production: a busy machine stands
 * still for seconds.
 */
export async function testWorld({ heartbeatMs = 30_000, shards = 16 }: WorldOptions = {}) {
  const database = await testDatabase()
  if (shards < shardCount)
    await database.db.deleteFrom('shards').where('shard', '>=', shards).execute()
  /** Creates an account id that belongs to one of the world's shards. */
  const newId = (): string => {
    const id = randomUUID()
    return shardOf(id) < shards ? id : newId()
  }
  const broker = await testBus({ reuse: true })
  const dovecot = await testDovecot()
  const log = createLogger('test', 'silent')
  const bus = await connectBus({
    url: broker.url,
    name: 'test',
    log,
    metrics: createMetrics('test'),
  })
  const credentials = new Map<string, Credentials | AppError>()
  const credentialRequests: CommandRequest<typeof getCredentials>[] = []
  const secrets: { openAiAPIKey?: string } = {}
  const pubSub = { accessToken: '' }
  const exportKeys = { areAvailable: true }
  await bus.serve({
    queue: 'credentials',
    handlers: [
      on(getOpenAiApiKey, () => Promise.resolve(secrets)),
      unsealsLogins,
      on(getExportKey, async ({ exportId }) => {
        if (!exportKeys.areAvailable) throw new AppError('unavailable', 'No key is available')
        return { key: exportKeyOf(exportId).toString('base64') }
      }),
      on(getPubSubToken, () => Promise.resolve(pubSub)),
      on(getCredentials, async (request) => {
        credentialRequests.push(request)
        const result = credentials.get(request.account)
        if (!result) throw new AppError('not-found', 'No credentials are stored')
        if (result instanceof AppError) throw result
        return result
      }),
    ],
  })
  const workers = new Set<WorkerApp>()
  const children = new Set<ChildProcess>()

  const startWorker = async (
    over: Partial<Config> = {},
    parts: AppParts = {},
  ): Promise<WorkerApp> => {
    const config = readConfig({
      DATABASE_URL: database.roleUrl('posthorn_sync_worker'),
      AMQP_URL: broker.url,
      SVC_PORT: '0',
      SVC_LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
      // Workers may connect to port 1, which no server listens on.
      SVC_MAIL_ALLOWED_TARGETS: '1',
    })
    const app = await startApp(
      { ...config, ...fast, heartbeatMs, ...over },
      new AbortController().signal,
      parts,
    )
    workers.add(app)
    return app
  }
  /** Starts a worker as a separate process that can be killed. */
  const spawnWorker = (env: Record<string, string> = {}): ChildProcess => {
    const child = spawn(process.execPath, serviceProgram('sync-worker'), {
      stdio: process.env['TEST_LOG_LEVEL'] ? 'inherit' : 'ignore',
      env: {
        DATABASE_URL: database.roleUrl('posthorn_sync_worker'),
        AMQP_URL: broker.url,
        SVC_PORT: '0',
        SVC_LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
        SVC_WORKER_HEARTBEAT: `${heartbeatMs}ms`,
        SVC_WORKER_CLAIM_INTERVAL: `${fast.claimMs}ms`,
        SVC_WORKER_ACCOUNTS_SWEEP: `${fast.accountsSweepMs}ms`,
        ...env,
      },
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return child
  }
  const stopWorker = async (app: WorkerApp): Promise<void> => {
    workers.delete(app)
    await app[Symbol.asyncDispose]()
  }

  /** Registers an account for a Dovecot user, as api-gateway does. */
  const register = async (user: MailUser, input: Registration = {}): Promise<string> => {
    const account = newId()
    credentials.set(account, { user: user.user, pass: input.pass ?? user.pass })
    const imap = {
      host: input.host ?? user.host,
      port: input.port ?? user.imapPort,
      tls: { rejectUnauthorized: false },
      resyncDelay: 1,
      ...input.imap,
    }
    await database.db
      .insertInto('accounts')
      .values({
        account,
        shard: shardOf(account),
        name: 'Test',
        imap: input.imap === null ? null : JSON.stringify(imap),
        ...(input.path ? { path: JSON.stringify(input.path) } : {}),
        ...(input.subconnections ? { subconnections: JSON.stringify(input.subconnections) } : {}),
        ...(input.imapIndexer ? { imapIndexer: input.imapIndexer } : {}),
        ...(input.notifyFrom ? { notifyFrom: input.notifyFrom } : {}),
      })
      .execute()
    await bus.invalidate({ topic: 'accounts', id: account })
    return account
  }

  /**
   * Registers an API account, as api-gateway does. The access token of the account is valid for 1
   * h.
   */
  const registerApi = async (
    backend: Provider,
    { account = newId(), accessToken = 'token', notifyFrom, path, ...login }: ApiRegistration,
  ): Promise<string> => {
    const expires = new Date(Date.now() + 3_600_000).toISOString()
    credentials.set(account, { ...login, accessToken, expires, application: apiApplication })
    const oauth2 = JSON.stringify({ provider: apiApplication, auth: { user: login.user } })
    await database.db
      .insertInto('accounts')
      .values({
        account,
        shard: shardOf(account),
        name: 'Test',
        backend,
        oauth2,
        ...(path ? { path: JSON.stringify(path) } : {}),
        ...(notifyFrom ? { notifyFrom } : {}),
      })
      .execute()
    await bus.invalidate({ topic: 'accounts', id: account })
    return account
  }

  const touch = async (account: string): Promise<void> => {
    await database.db
      .updateTable('accounts')
      .set((row) => ({ version: row('version', '+', '1') }))
      .where('account', '=', account)
      .execute()
    await bus.invalidate({ topic: 'accounts', id: account })
  }

  const ask = <C extends Command>(
    command: C,
    account: string,
    request: Omit<CommandRequest<C>, 'account'>,
  ): Promise<CommandResponse<C>> =>
    bus.request(command, { account, ...request } as CommandRequest<C>, {
      key: `shard.${shardOf(account)}`,
      timeoutMs: 30_000,
    })

  const events = (account: string, ...names: string[]) => listEvents(database.db, account, names)
  const state = async (account: string) =>
    database.db
      .selectFrom('accountStates')
      .selectAll()
      .where('account', '=', account)
      .executeTakeFirst()

  return {
    ...database,
    bus,
    broker,
    dovecot,
    credentials,
    credentialRequests,
    secrets,
    pubSub,
    exportKeys,
    newId,
    startWorker,
    stopWorker,
    spawnWorker,
    register,
    registerApi,
    touch,
    events,
    state,
    /**
     * Waits until an account has a number of events with some names. Resolves with all these
     * events.
     */
    expectEvents: (account: string, names: string[], count: number) =>
      eventually(async () => {
        const result = await events(account, ...names)
        if (result.length < count)
          throw new Error(`${result.length} of ${count} ${names.join(', ')}`)
        return result
      }),
    /** Waits until an account is connected and the account's worker serves commands. */
    connected: (account: string) =>
      eventually(async () => {
        const row = await state(account)
        if (row?.state !== 'connected')
          throw new Error(`${row?.state ?? 'no state'} ${JSON.stringify(row?.lastError)}`)
        await ask(listMailboxes, account, { counters: false })
      }),
    ask,
    /**
     * Stops all workers and deletes all accounts, for test files whose tests need different
     * workers.
     */
    async reset() {
      await Promise.all([...workers].map(stopWorker))
      await database.db.deleteFrom('accounts').execute()
      credentials.clear()
    },
    async close() {
      for (const child of children) child.kill('SIGKILL')
      await Promise.all([...workers].map(stopWorker))
      await bus[Symbol.asyncDispose]()
      await Promise.all([database.drop(), broker.drop(), dovecot.drop()])
    },
  }
}

export type World = Awaited<ReturnType<typeof testWorld>>

/** Key that encrypts the chunks of an export's file, derived from the id of the export. */
export function exportKeyOf(exportId: string): Buffer {
  return createHash('sha256').update(exportId).digest()
}

const fast = {
  claimMs: 100,
  accountsSweepMs: 300,
  reconnectMinMs: 50,
  reconnectMaxMs: 300,
  mailboxPollMs: 200,
} satisfies Partial<Config>

async function listEvents(db: Db, account: string, names: string[]): Promise<StoredEvent[]> {
  let query = db
    .selectFrom('events')
    .select(['eventId', 'event', 'body', 'publishedAt'])
    .where('account', '=', account)
    .orderBy('id')
  if (names.length > 0) query = query.where('event', 'in', names)
  const rows = await query.execute()
  return rows.map(({ body, ...row }) => {
    const { data, path, specialUse } = JSON.parse(body) as StoredEvent
    return { ...row, data, ...(path ? { path } : {}), ...(specialUse ? { specialUse } : {}) }
  })
}

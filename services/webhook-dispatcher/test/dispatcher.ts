import { type Bus, connectBus, on } from '@posthorn/bus'
import { getServiceSecret } from '@posthorn/contracts/commands/credentials'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { shardOf } from '@posthorn/contracts/shards'
import { type Db, type NewEvent, publishEvents, recordEvents, type TenantSet } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { sql } from 'kysely'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import {
  unsealsHeaders,
  unsealsLogins,
  startWebhookReceiver,
  testBus,
  testDatabase,
  type WebhookReceiver,
} from '@posthorn/testkit'
import { type DispatcherApp, startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'

export const serviceSecret = 'the key of the signature'

export interface DispatcherBench extends AsyncDisposable {
  db: Db
  bus: Bus
  /** AMQP URL of the RabbitMQ broker. */
  amqpUrl: string
  closeConnections(): Promise<number>
  /** Terminates the Postgres connections of webhook-dispatcher processes. */
  dropDatabaseConnections(): Promise<void>
  /**
   * Starts the stand-in for auth-bridge, which answers requests for the service secret. Called at
   * the start, unless `secret` is false.
   */
  answerSecret(): Promise<void>
  /**
   * Sealed webhook header values requested from auth-bridge. `unavailable` makes the requests fail.
   */
  headers: { requested: string[]; unavailable: boolean }
  /** Environment variables of a webhook-dispatcher process. */
  env(more?: Record<string, string>): Record<string, string>
  /** Starts a webhook-dispatcher with the database role of the service. */
  start(env?: Record<string, string>): Promise<DispatcherApp>
  receiver(): Promise<WebhookReceiver>
  set(settings: Partial<Record<keyof Settings, unknown>>): Promise<void>
  /**
   * Retries deliveries to a webhook target for 20 s: a failing delivery stays due until the test
   * has changed the delivery.
   */
  retryOften(target: WebhookReceiver): Promise<void>
  account(
    account: string,
    target?: {
      webhooks?: string
      headers?: { key: string; value: string }[]
      tenantSet?: TenantSet[]
    },
  ): Promise<void>
  /** Records webhook events in a transaction and publishes them, as writers do. */
  emit(...events: (Partial<NewEvent> & { account: string })[]): Promise<string[]>
  /** Records webhook events without publishing them: the writer dies after the commit. */
  emitUnpublished(...events: (Partial<NewEvent> & { account: string })[]): Promise<string[]>
  deliveries(
    account: string,
  ): Promise<
    { id: string; state: string; attempts: number; lastOutcome: string | null; target: string }[]
  >
}

export async function dispatcherBench({ secret = true } = {}): Promise<DispatcherBench> {
  await using stack = new AsyncDisposableStack()
  const database = await testDatabase()
  stack.defer(() => database.drop())
  const broker = await testBus({ reuse: true })
  stack.defer(() => broker.drop())
  const log = createLogger('test', 'silent')
  const bus = stack.use(
    await connectBus({ url: broker.url, name: 'test', log, metrics: createMetrics('test') }),
  )
  // Before RabbitMQ is connected, `serve` would return without a queue, and invalidations would be
  // dropped.
  await bus.whenUp()
  const headers = { requested: [] as string[], unavailable: false }
  const handlers = [
    on(getServiceSecret, async () => ({ serviceSecret })),
    unsealsLogins,
    unsealsHeaders((value) => {
      headers.requested.push(value)
      if (headers.unavailable) throw new AppError('unavailable', 'unavailable')
    }),
  ]
  const { db } = database
  const all = stack.move()
  const answerSecret = async () => {
    all.use(await bus.serve({ handlers, queue: 'credentials', keys: ['credentials'] }))
  }
  if (secret) await answerSecret()
  const env = (more: Record<string, string> = {}) => ({
    DATABASE_URL: database.roleUrl('posthorn_webhook_dispatcher'),
    AMQP_URL: broker.url,
    SVC_PORT: '0',
    SVC_LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    SVC_WEBHOOK_RETRY_BASE: '5ms',
    ...more,
  })
  const set: DispatcherBench['set'] = async (settings) => {
    for (const [key, value] of Object.entries(settings)) {
      const row = { key, value: JSON.stringify(value) }
      await db
        .insertInto('settings')
        .values(row)
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: row.value }))
        .execute()
    }
    await bus.invalidate({ topic: 'settings' })
  }
  return {
    db,
    bus,
    amqpUrl: broker.url,
    answerSecret,
    headers,
    env,
    closeConnections: () => broker.closeConnections(),
    async dropDatabaseConnections() {
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = 'posthorn_webhook_dispatcher'
      `.execute(db)
    },
    start: (more) => startApp(readConfig(env(more)), new AbortController().signal),
    async receiver() {
      const receiver = await startWebhookReceiver()
      all.defer(() => receiver.close())
      return receiver
    },
    set,
    retryOften: ({ url: target }) =>
      set({ webhookTargets: [{ target, retrySchedule: Array<number>(50).fill(0.5) }] }),
    async account(account, { webhooks, headers, tenantSet = [] } = {}) {
      const target = {
        tenantSet,
        webhooks: webhooks ?? null,
        webhooksCustomHeaders: headers ? JSON.stringify(headers) : null,
      }
      await db
        .insertInto('accounts')
        .values({ account, shard: shardOf(account), name: account, ...target })
        .onConflict((conflict) => conflict.column('account').doUpdateSet(target))
        .execute()
      await bus.invalidate({ topic: 'accounts', id: account })
    },
    emit: (...events) => emit(db, events, (message) => bus.publishEvent(message)),
    emitUnpublished: (...events) => emit(db, events),
    deliveries: (account) =>
      db
        .selectFrom('deliveries')
        .select(['id', 'state', 'attempts', 'lastOutcome', 'target'])
        .where('account', '=', account)
        .orderBy('eventRow')
        .execute(),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

async function emit(
  db: Db,
  events: (Partial<NewEvent> & { account: string })[],
  publish?: Bus['publishEvent'],
): Promise<string[]> {
  const whole = events.map((event) => ({
    eventId: crypto.randomUUID(),
    event: 'messageSent',
    data: { at: Date.now() },
    ...event,
  }))
  const recorded = await db.transaction().execute((tx) => recordEvents(tx, whole, null))
  if (publish) await publishEvents(db, publish, recorded)
  return recorded.map(({ eventId }) => eventId)
}

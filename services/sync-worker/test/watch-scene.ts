import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeEach, expect } from '@jest/globals'
import type { MailApiWatches } from '@posthorn/backends/mail-api'
import { connectBus } from '@posthorn/bus'
import type { ProviderNotification } from '@posthorn/contracts/commands/notifications'
import { connect } from '@posthorn/db'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { eventually, testBus, testDatabase } from '@posthorn/testkit'
import { MailApiModel } from '@posthorn/testkit/mail-api-model'
import type { CommitDeps } from '../src/events/commit.ts'
import type { AccountLease } from '../src/store/lease.ts'
import { noIntervals } from '../src/drivers/sync-rules.ts'
import { SyncRunner } from '../src/drivers/sync-runner.ts'
import type { SyncReason, WatchHandle } from '../src/watches/account-watch.ts'
import { WatchRegistry } from '../src/watches/watch-registry.ts'
import { registerAccount } from './feeds/feed-world.ts'

// Database, bus and accounts of the tests of watches. The hooks of this module belong to the
// importing file.

export const database = await testDatabase()
const broker = await testBus({ reuse: true })
await broker.grantServices()
export const db = connect(database.roleUrl('posthorn_sync_worker'), { name: 'test' })
const log = createLogger('test', 'silent')
const openBus = (name: 'api-gateway' | 'sync-worker') =>
  connectBus({ url: broker.serviceUrl(name), name, log, metrics: createMetrics('test') })
export const [gateway, worker] = [await openBus('api-gateway'), await openBus('sync-worker')]
await Promise.all([gateway.whenUp(), worker.whenUp()])
const commit: CommitDeps = {
  db,
  bus: { up: false, publishEvent: () => Promise.reject(new Error('not connected')) },
  settings: { get: () => Promise.resolve({}) },
  metrics: { eventsRecorded: () => undefined },
  markPublished: () => Promise.resolve(),
}
export const counts = { accepted: 0, forged: 0, unknown: 0, created: 0, renewed: 0, failed: 0 }
const metrics = {
  notified: (outcome: 'accepted' | 'forged' | 'unknown') => void (counts[outcome] += 1),
  watchRenewed: (outcome: 'created' | 'renewed' | 'failed') => void (counts[outcome] += 1),
}
let resources = new AsyncDisposableStack()
// A renewal of a watch that is still in progress would change the request counts of the next test.
afterEach(async () => {
  await resources.disposeAsync()
  resources = new AsyncDisposableStack()
})
afterAll(async () => {
  for (const bus of [gateway, worker]) await bus[Symbol.asyncDispose]()
  await db.destroy()
  await Promise.all([database.drop(), broker.drop()])
})
beforeEach(() => {
  for (const key of Object.keys(counts)) counts[key as 'forged'] = 0
})

type Provider = 'gmail' | 'graph'
type ApiChanges = Partial<MailApiWatches>

/**
 * Worker with one account of a model mail API and the account's watch (registration for
 * notifications). The test moves the clock of the worker.
 */
export class Scene {
  readonly model: MailApiModel
  readonly provider: Provider
  readonly secrets: string[] = []
  readonly syncs: SyncReason[] = []
  #sync = startedRunner()
  changes: ApiChanges = {}
  hasDestination = true
  time = Date.now()
  lease: AccountLease
  registry: WatchRegistry
  handle: WatchHandle

  constructor(provider: Provider, lease: AccountLease) {
    const placement = provider === 'gmail' ? 'labels' : 'folder'
    this.provider = provider
    this.lease = lease
    this.model = new MailApiModel({ placement, now: () => new Date(this.time) })
    this.registry = new WatchRegistry({ commit, metrics, log, now: () => this.time })
    this.handle = this.add()
  }

  add(): WatchHandle {
    const { lease, provider } = this
    return this.registry.add({
      lease,
      registeredAt: 1,
      provider,
      openWatches: () => Promise.resolve(this.hasDestination ? this.#api() : undefined),
      onNotification: (reason) => this.#onNotification(reason),
      log,
    })
  }

  /** Starts another worker for the account, as after a crash of the first worker. */
  restart(): void {
    this.#sync = startedRunner()
    this.registry = resources.use(new WatchRegistry({ commit, metrics, log, now: () => this.time }))
    this.handle = this.add()
  }

  /**
   * Starts the sync passes that notifications request and records the passes, which take no time.
   */
  #onNotification(reason: SyncReason): void {
    this.#sync.trigger({ kind: 'push', isMissed: reason === 'missed' })
    this.#runDue()
  }

  #runDue(): void {
    const { action, delayMs } = this.#sync.next
    if (delayMs === Infinity) return
    if (delayMs > 0) {
      setTimeout(() => this.#runDue(), delayMs).unref()
      return
    }
    this.syncs.push(this.#sync.beginNow(action).isMissed ? 'missed' : 'changed')
    this.#sync.end({ hasChanges: true })
    this.#runDue()
  }

  #api(): MailApiWatches {
    const { api } = this.model
    return {
      watch: (secret, signal) => {
        this.secrets.push(secret)
        return api.watch(secret, signal)
      },
      renewWatch: (id, signal) => api.renewWatch(id, signal),
      stopWatch: (id, signal) => api.stopWatch(id, signal),
      listWatches: (signal) => api.listWatches(signal),
      ...this.changes,
    }
  }

  get secret(): string {
    return this.secrets.at(-1) ?? ''
  }

  /** Sends notifications of the provider to the command handler, as RabbitMQ does. */
  notify(
    kind: ProviderNotification['kind'],
    secret: string | undefined = this.secret,
  ): Promise<unknown> {
    return this.notifyAll([{ kind, ...(secret === undefined ? {} : { secretHash: hash(secret) }) }])
  }

  notifyAll(notifications: Omit<ProviderNotification, 'account'>[]): Promise<unknown> {
    const { account } = this.lease
    const request = { notices: notifications.map((notification) => ({ account, ...notification })) }
    const context = { signal: new AbortController().signal, deadline: Infinity, requestId: '' }
    return this.registry.handler.handle(request as never, context)
  }

  /** Moves the clock of the worker and runs renewals of the watch that are due. */
  advance(ms: number): void {
    this.time += ms
    // Wakes the timer that renews watches. A reported change in the future does not make the watch
    // count as silent.
    this.handle.reportUnannounced(new Date(8.64e15))
  }

  row() {
    return database.db
      .selectFrom('apiWatches')
      .selectAll()
      .where('account', '=', this.lease.account)
      .executeTakeFirst()
  }

  async errors(): Promise<unknown[]> {
    const rows = await database.db
      .selectFrom('events')
      .select(['event', 'body'])
      .where('account', '=', this.lease.account)
      .execute()
    return rows.map(({ event, body }) => [event, (JSON.parse(body) as { data: unknown }).data])
  }
}

/** Runner of a sync schedule without intervals whose first sync action has ended. */
function startedRunner(): SyncRunner {
  const runner = new SyncRunner()
  runner.start(() => noIntervals)
  runner.beginNow('full')
  runner.end({})
  return runner
}

export async function scene(provider: Provider, setUp?: (scene: Scene) => void): Promise<Scene> {
  const { lease } = await registerAccount(database.db, db)
  const made = new Scene(provider, lease)
  setUp?.(made)
  resources.use(made.registry)
  return made
}

export async function watched(provider: Provider): Promise<Scene> {
  const made = await scene(provider)
  await eventually(() => expect(made.handle.isActive).toBe(true))
  await eventually(() => expect(made.syncs).toEqual(['changed']))
  made.syncs.length = 0
  return made
}

/** Hash of the secret in a notification, in the form that commands contain. */
export const hash = (secret: string) => createHash('sha256').update(secret).digest('base64url')

import { setMaxListeners } from 'node:events'
import type { Bus } from '@posthorn/bus'
import { minCredentialsTimeoutMs } from '@posthorn/contracts/commands/credentials'
import {
  changesNoticed,
  maxNotifications,
  type ProviderNotification,
} from '@posthorn/contracts/commands/notifications'
import { getPubSubToken } from '@posthorn/contracts/commands/oauth2'
import { defined } from '@posthorn/contracts/defined'
import { shardOf } from '@posthorn/contracts/shards'
import type { Db, SettingsCache } from '@posthorn/db'
import { TtlCache } from '@posthorn/flow'
import type { ProviderHttp } from '@posthorn/net/provider-http'
import type { Logger } from '@posthorn/telemetry'
import type { ShardObserver } from '../shards/shard-accounts.ts'
import type { Lease } from '../store/lease.ts'
import {
  findNotifiedAccounts,
  listNotifiedAccounts,
  listPubSubApps,
  savePubSubState,
  type StoredPubSubApp,
} from '../store/pubsub.ts'
import { PubSubClient, type PubSubNames } from './pubsub-client.ts'
import { subscribe } from './pubsub-subscriber.ts'

export interface PubSubSubscriptionsDeps {
  readonly db: Db
  readonly bus: Pick<Bus, 'request' | 'notify' | 'whenUp'>
  readonly settings: Pick<SettingsCache, 'get'>
  readonly http: Pick<ProviderHttp, 'json'>
  readonly log: Logger
  /**
   * Returns the current time for Pub/Sub subscribers in epoch milliseconds. Default: the system's
   * clock.
   */
  readonly now?: () => number
}

interface Subscriber {
  /** Configuration of the Pub/Sub application at the start of its subscriber. */
  readonly config: string
  readonly stop: AbortController
  readonly ended: Promise<void>
}

/**
 * Access tokens for Pub/Sub are used until this time before their expiry. Tokens are cached here,
 * because auth-bridge requests a new token from Google for each call.
 */
const tokenMarginMs = 300_000
const tokenTtlMs = 3_600_000 - tokenMarginMs
const ttlMs = 30_000
const pageSize = 1_000

/**
 * Runs a Pub/Sub subscriber for each application whose shard this worker holds. `reconcile` starts
 * the subscribers of claimed shards.
 */
export class PubSubSubscriptions implements ShardObserver, AsyncDisposable {
  readonly #deps: PubSubSubscriptionsDeps
  readonly #shards = new Set<number>()
  readonly #subscribers = new Map<string, Subscriber>()
  readonly #tokens = new TtlCache<string, string>({ ttlMs: tokenTtlMs, max: 1_000 })

  constructor(deps: PubSubSubscriptionsDeps) {
    this.#deps = deps
  }

  async claimed(leases: readonly Lease[]): Promise<void> {
    for (const { shard } of leases) this.#shards.add(shard)
  }

  async released(shards: readonly number[]): Promise<void> {
    for (const shard of shards) this.#shards.delete(shard)
    await this.#stopAll((id) => !this.#holds(id))
  }

  /** Starts and stops Pub/Sub subscribers to match the held shards and registered applications. */
  async reconcile(): Promise<void> {
    const apps = await listPubSubApps(this.#deps.db)
    const configs = new Map(apps.map(({ id, config }) => [id, JSON.stringify(config)]))
    await this.#stopAll((id, { config }) => configs.get(id) !== config)
    for (const app of apps)
      if (this.#holds(app.id) && !this.#subscribers.has(app.id)) this.#start(app)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#shards.clear()
    await this.#stopAll(() => true)
  }

  #holds(app: string): boolean {
    return this.#shards.has(shardOf(app))
  }

  async #stopAll(isSelected: (id: string, subscriber: Subscriber) => boolean): Promise<void> {
    const selected = [...this.#subscribers].filter(([id, each]) => isSelected(id, each))
    await Promise.all(selected.map(([id]) => this.#stop(id)))
  }

  async #stop(id: string): Promise<void> {
    const subscriber = this.#subscribers.get(id)
    subscriber?.stop.abort()
    await subscriber?.ended
    if (this.#subscribers.get(id) !== subscriber) return
    this.#subscribers.delete(id)
    this.#tokens.delete(id)
  }

  #start({ id, config }: StoredPubSubApp): void {
    const { db, settings, http, log, now } = this.#deps
    const stop = new AbortController()
    setMaxListeners(0, stop.signal)
    const subscriber = {
      client: new PubSubClient({
        http,
        token: (signal) => this.#token(id, signal),
        forgetToken: () => this.#tokens.delete(id),
      }),
      names: namesOf(id, config),
      ttlDays: async () => (await settings.get()).gmailSubscriptionTtl ?? 0,
      notify: async (users: readonly string[]) =>
        this.#notify(await findNotifiedAccounts(db, id, users), {}, stop.signal),
      notifyAll: () => this.#notifyAll(id, stop.signal),
      saveState: (error: { response: string } | null) => savePubSubState(db, id, error),
      log: log.child({ app: id }),
      ...defined({ now }),
    }
    const ended = subscribe(subscriber, stop.signal)
    this.#subscribers.set(id, { config: JSON.stringify(config), stop, ended })
  }

  #token(app: string, signal: AbortSignal | undefined): Promise<string> {
    return this.#tokens.load(app, async () => {
      const options = {
        key: 'credentials',
        timeoutMs: minCredentialsTimeoutMs,
        ...defined({ signal }),
      }
      const { accessToken } = await this.#deps.bus.request(getPubSubToken, { app }, options)
      return accessToken
    })
  }

  /**
   * Sends notifications of Gmail about mailbox changes to the workers of the accounts, including
   * this worker.
   */
  async #notify(
    accounts: readonly string[],
    origin: Pick<ProviderNotification, 'isOwn'>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#deps.bus.whenUp(signal)
    for (let at = 0; at < accounts.length; at += maxNotifications) {
      const part = accounts.slice(at, at + maxNotifications)
      const keys = [...new Set(part.map((account) => `shard.${shardOf(account)}`))]
      const notifications = part.map((account) => ({
        account,
        kind: 'changed' as const,
        ...origin,
      }))
      await this.#deps.bus.notify(changesNoticed, { notices: notifications }, { keys, ttlMs })
    }
  }

  async #notifyAll(app: string, signal: AbortSignal): Promise<void> {
    for (let after = ''; ;) {
      signal.throwIfAborted()
      const page = { after, limit: pageSize }
      const accounts = await listNotifiedAccounts(this.#deps.db, app, page)
      await this.#notify(accounts, { isOwn: true }, signal)
      const last = accounts.at(-1)
      if (last === undefined || accounts.length < pageSize) return
      after = last
    }
  }
}

/**
 * Returns the names of topic and subscription at Pub/Sub: the configured names, or names that
 * contain the id of the OAuth2 application. Undefined without a Google Cloud project.
 */
export function namesOf(
  id: string,
  { googleProjectId, googleTopicName, googleSubscriptionName }: StoredPubSubApp['config'],
): PubSubNames | undefined {
  if (!googleProjectId) return undefined
  const own = `posthorn-${id}`
  const project = `projects/${googleProjectId}`
  return {
    topic: `${project}/topics/${googleTopicName || own}`,
    subscription: `${project}/subscriptions/${googleSubscriptionName || own}`,
  }
}

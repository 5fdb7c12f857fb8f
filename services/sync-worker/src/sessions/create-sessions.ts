import type { ImapBackend } from '@posthorn/backends'
import { ProviderLimiter } from '@posthorn/backends/provider-limiter'
import { createLoanMetrics, createProviderMetrics } from '@posthorn/backends/provider-metrics'
import { cacheSettings, countAppUse } from '@posthorn/db'
import { createMessageReader } from '@posthorn/message-reader'
import { type HttpProxy, proxyFromSettings } from '@posthorn/net/proxy-agents'
import type { ServiceContext } from '@posthorn/service/bootstrap'
import { createLoginUnsealer } from '@posthorn/unseal'
import type { Config } from '../config.ts'
import { createApiDrivers, type MailApis } from '../drivers/api/api-driver.ts'
import { createImapDrivers } from '../drivers/imap/imap-driver.ts'
import { createChangeBroadcaster } from '../events/change-broadcaster.ts'
import { batchMarkPublished } from '../events/commit.ts'
import { logRetention, startTranscripts } from '../logs/transcripts.ts'
import { createWorkerMetrics } from '../metrics.ts'
import { HeldShards } from '../shards/held-shards.ts'
import { LendingPeers } from '../shards/lending-peers.ts'
import { LoginRate } from '../shards/login-rate.ts'
import { createAccountReader } from '../store/accounts.ts'
import { createSummaries } from '../summaries/summaries.ts'
import { createDestinations, type Destinations } from '../watches/destinations.ts'
import { createWatchMetrics, registerWatchGauge } from '../watches/watch-metrics.ts'
import { WatchRegistry } from '../watches/watch-registry.ts'
import { createStatusUpdater } from './account-status.ts'
import { ConnectionCounts, SyncTimes } from './deferred-writes.ts'
import { Registry, type RegistryDeps } from './registry.ts'

/** Objects of a worker that the clients of all mail APIs share. */
export interface MailApiParts {
  /** Limiter of all requests of this process to mail providers. */
  readonly limiter: ProviderLimiter
  /** Returns the HTTP proxy of the operator's settings, for requests to mail APIs. */
  readonly proxy: () => Promise<HttpProxy | undefined>
  readonly config: Pick<Config, 'oauthEgressPolicy' | 'providerOrigins'>
  readonly destinations: Destinations
}

/**
 * Creates the clients of mail APIs by provider. The resources of the clients are added to the
 * stack.
 */
export type CreateMailApis = (stack: AsyncDisposableStack, parts: MailApiParts) => MailApis

interface SessionOptions {
  config: Config
  backend: ImapBackend
  createMailApis: CreateMailApis
  /** Id of this worker, and the secret that authenticates it in requests for credentials. */
  worker: { id: string; proof: string }
}

/**
 * Creates the account sessions and the objects that account sessions share with commands and
 * periodic tasks.
 */
export function createSessions(
  stack: AsyncDisposableStack,
  { log, db, bus, metrics: registry }: ServiceContext,
  { config, backend, createMailApis, worker }: SessionOptions,
) {
  const metrics = createWorkerMetrics(registry)
  const settings = cacheSettings(db)
  const unsealLogin = createLoginUnsealer(bus)
  const retention = async () => logRetention(await settings.get(), config.logLines)
  const changes = stack.use(createChangeBroadcaster(bus))
  const transcripts = stack.use(startTranscripts({ db, log, retention }))
  const connections = new ConnectionCounts(metrics)
  const syncTimes = new SyncTimes()
  const egress = config.proxyEgressPolicy
  const proxy = proxyFromSettings(() => settings.get(), { egress, unseal: unsealLogin })
  const summariesDeps = { bus, metrics, log, proxy, unsealLogin, config: config.summaries }
  const summaries = createSummaries(stack, summariesDeps)
  const commit = { db, bus, settings, metrics, markPublished: batchMarkPublished(db) }
  const reader = stack.use(createMessageReader({ log, metrics: registry }, config.reader))
  const loginRate = new LoginRate(config.logins.perSecond)
  const shared = { connections, reader, summaries, transcripts, unsealLogin, worker }
  const parts = { commit, config, log, ...shared }
  const loginsPerSecond = () => loginRate.perSecond
  const imap = createImapDrivers(parts, { backend, loginsPerSecond })
  const { limiter, quota } = createQuota(
    stack,
    { log, db, metrics: registry },
    { config, loginRate },
  )
  const destinations = createDestinations({ db, settings })
  const mailApis = createMailApis(stack, { limiter, proxy, config, destinations })
  const watchMetrics = createWatchMetrics(registry)
  const watches = stack.use(new WatchRegistry({ commit, metrics: watchMetrics, log }))
  registerWatchGauge(registry, () => watches.count())
  const apiParts = { mailApis, watches, destinations }
  const deps: RegistryDeps = {
    drivers: [['imap', imap.createDriver], ...createApiDrivers(parts, apiParts)],
    store: { db, settings, accounts: createAccountReader(db) },
    applyStatusUpdate: createStatusUpdater({ ...commit, config, syncTimes }),
    changes,
    metrics,
    config,
    log,
  }
  const sessions = stack.use(new Registry(deps))
  return {
    commit,
    sessions,
    watches,
    settings,
    summaries,
    metrics,
    limiter,
    quota,
    verifyImap: imap.verifyImap,
    deferred: { connections, syncTimes },
    retention,
  }
}

/**
 * Creates the limiter of requests to mail providers, and the objects that determine this worker's
 * share of the limits. The live workers divide the limits of an OAuth2 application among each
 * other.
 */
function createQuota(
  stack: AsyncDisposableStack,
  { log, db, metrics }: Pick<ServiceContext, 'log' | 'db' | 'metrics'>,
  { config, loginRate }: { config: Config; loginRate: LoginRate },
) {
  const onError = (err: unknown) => log.debug({ err }, 'counter flush failed, will retry')
  const uses = stack.use(countAppUse(db, { onError }))
  const held = new HeldShards()
  const lending = new LendingPeers()
  const limiter = new ProviderLimiter({
    limits: config.providerLimits,
    service: 'sync-worker',
    replicas: () => loginRate.workers,
    lendsAll: () => lending.areComplete,
    heldSince: (account) => held.heldSince(account),
    metrics: createProviderMetrics(metrics, uses),
  })
  return { limiter, quota: { loginRate, held, lending, loans: createLoanMetrics(metrics) } }
}

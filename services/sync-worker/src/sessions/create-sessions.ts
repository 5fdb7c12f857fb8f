import type { ImapBackend } from '@posthorn/backends'
import { cacheSettings } from '@posthorn/db'
import { createMessageReader } from '@posthorn/message-reader'
import { proxyFromSettings } from '@posthorn/net'
import type { ServiceContext } from '@posthorn/service'
import { createLoginUnsealer } from '@posthorn/unseal'
import type { Config } from '../config.ts'
import { createChangeBroadcaster } from '../events/change-broadcaster.ts'
import { batchMarkPublished } from '../events/commit.ts'
import { logRetention, startTranscripts } from '../logs/transcripts.ts'
import { createWorkerMetrics } from '../metrics.ts'
import { createAccountReader } from '../store/accounts.ts'
import { createSummaries } from '../summaries/summaries.ts'
import { indexEmptyMailboxes } from '../sync/changes/initial-sync.ts'
import type { AccountSessionDeps } from './account-session.ts'
import { createStatusUpdater } from './account-status.ts'
import { createConnector, createCredentialsClient, createServerOptions } from './connect.ts'
import { ConnectionCounts, SyncTimes } from './deferred-writes.ts'
import { createLoginLimiter, LoginRate } from './login-limiter.ts'
import { Registry } from './registry.ts'

interface SessionOptions {
  config: Config
  backend: ImapBackend
  /** Id of this worker, and the secret that authenticates its credential requests. */
  worker: { id: string; proof: string }
}

/** Creates the account sessions and the parts they share with commands and periodic tasks. */
export function createSessions(
  stack: AsyncDisposableStack,
  { log, db, bus, metrics: registry }: ServiceContext,
  { config, backend, worker }: SessionOptions,
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
  const commitDeps = { db, bus, settings, metrics, markPublished: batchMarkPublished(db) }
  const reader = stack.use(createMessageReader({ log, metrics: registry }, config.reader))
  const getServerOptions = createServerOptions({ settings, unsealLogin, config })
  const loginRate = new LoginRate(config.logins.perSecond)
  const perSecond = () => loginRate.perSecond
  const logins = createLoginLimiter({ ...config.logins, perSecond })
  const connect = createConnector({
    backend,
    settings,
    credentials: createCredentialsClient(bus, worker),
    getServerOptions,
    logins,
    connections,
    transcripts,
    log,
  })
  const indexEmpty = indexEmptyMailboxes(commitDeps)
  const session: AccountSessionDeps = {
    sync: { ...commitDeps, config, summaries, reader, indexEmpty },
    connect,
    accounts: createAccountReader(db),
    applyStatusUpdate: createStatusUpdater({ ...commitDeps, config, syncTimes }),
    changes,
    config,
    log,
  }
  const sessions = stack.use(new Registry(session, (host) => logins.keyOf(host)))
  const deferred = { connections, syncTimes }
  const shared = { settings, summaries, reader, metrics, getServerOptions, loginRate }
  return { sessions, ...shared, deferred, retention }
}

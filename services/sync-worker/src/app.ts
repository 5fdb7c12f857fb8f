import { randomUUID } from 'node:crypto'
import { imapBackend, type ImapBackend } from '@posthorn/backends'
import {
  cacheSettings,
  type Db,
  batchStatements,
  markPublished,
  type MarkPublished,
  type RecordedEvent,
} from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import { proxyFromSettings } from '@posthorn/net'
import { bootstrap, type ServiceContext } from '@posthorn/service'
import { createLoginUnsealer } from '@posthorn/unseal'
import { createHandlers } from './commands/handlers.ts'
import { onVerifyImap } from './commands/verify-imap.ts'
import type { Config } from './config.ts'
import { createChangeBroadcaster } from './events/change-broadcaster.ts'
import { logRetention, startTranscripts } from './logs/transcripts.ts'
import { createWorkerMetrics } from './metrics.ts'
import { runRetention } from './retention.ts'
import { createAccountReader } from './sessions/account-reader.ts'
import { createStatusUpdater } from './sessions/account-status.ts'
import {
  createConnector,
  createCredentialsClient,
  createServerOptions,
} from './sessions/connect.ts'
import { ConnectionCounts, SyncTimes } from './sessions/deferred-writes.ts'
import { createLoginLimiter } from './sessions/login-limiter.ts'
import { startSessions } from './sessions/registry.ts'
import { bindShards } from './shards/bindings.ts'
import { holdShards } from './shards/holder.ts'
import { deleteOldUploads } from './store/uploads.ts'
import { createSummaries } from './summaries/summaries.ts'
import { indexEmptyMailboxes } from './sync/changes/initial-sync.ts'

const name = 'sync-worker'
/** Maximum concurrent test logins at servers without an account. */
const maxVerifications = 20

export interface WorkerApp extends AsyncDisposable {
  /** Id of the worker's row in `workers`. */
  readonly id: string
  /** Port of health and metrics. */
  readonly port: number
}

/** Starts the service. Disposal runs in reverse order, so that shards are handed off first. */
export async function startApp(
  config: Config,
  signal: AbortSignal,
  { backend = imapBackend }: { backend?: ImapBackend } = {},
): Promise<WorkerApp> {
  const worker = { id: randomUUID(), proof: randomUUID() }
  await using stack = new AsyncDisposableStack()
  const fields = { worker: worker.id }
  const service = await bootstrap(stack, { name, config, signal, fields })
  const { log, db, bus, port } = service
  const parts = createSessions(stack, service, { config, backend, worker })
  const { sessions, settings, summaries, getServerOptions, metrics } = parts
  const server = stack.use(
    await bus.serve({ queue: 'private', handlers: createHandlers({ db, sessions, settings }) }),
  )
  const start = (everyMs: number, name: string, task: Parameters<typeof runPeriodically>[1]) =>
    stack.use(runPeriodically({ everyMs, log, name }, task))
  start(5_000, 'connections', () => parts.connections.store(db))
  start(1_000, 'sync times', () => parts.syncTimes.store(db))
  start(3_600_000, 'retention', runRetention(db, { ...config, logRetention: parts.retention }))
  start(600_000, 'uploads', () => deleteOldUploads(db))
  stack.use(
    await bus.serve({
      queue: 'verify.imap',
      handlers: [onVerifyImap({ backend, getServerOptions, log })],
      concurrency: maxVerifications,
    }),
  )
  const { heartbeatMs, claimMs } = config
  const holder = stack.use(
    holdShards({
      db,
      worker: worker.id,
      proof: worker.proof,
      log,
      observer: bindShards(server, sessions, log),
      metrics,
      heartbeatMs,
      claimMs,
    }),
  )
  stack.use(
    await bus.onInvalidate(({ topic, id }) => {
      if (topic === 'settings') {
        settings.invalidate()
        summaries.invalidate()
      }
      if (topic === 'accounts') sessions.refresh(id)
    }),
  )
  settings.invalidate() // an earlier read may have missed an invalidation
  holder.wake()
  const resources = stack.move()
  return { id: worker.id, port, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

interface SessionParts {
  config: Config
  backend: ImapBackend
  worker: { id: string; proof: string }
}

/** Creates the account sessions and the parts they share with commands and periodic tasks. */
function createSessions(
  stack: AsyncDisposableStack,
  { log, db, bus, metrics: registry }: ServiceContext,
  { config, backend, worker }: SessionParts,
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
  const getServerOptions = createServerOptions({ settings, unsealLogin, config })
  const connect = createConnector({
    backend,
    settings,
    credentials: createCredentialsClient(bus, worker),
    getServerOptions,
    logins: createLoginLimiter(config.logins),
    connections,
    transcripts,
    log,
  })
  const sessions = stack.use(
    startSessions({
      sync: { ...commitDeps, config, summaries, indexEmpty: indexEmptyMailboxes(commitDeps) },
      connect,
      accounts: createAccountReader(db),
      applyStatusUpdate: createStatusUpdater({ ...commitDeps, config, syncTimes }),
      changes,
      config,
      log,
    }),
  )
  return {
    sessions,
    settings,
    summaries,
    getServerOptions,
    metrics,
    connections,
    syncTimes,
    retention,
  }
}

/** Marks the events of several commits in one statement. */
function batchMarkPublished(db: Db): MarkPublished {
  const mark = batchStatements(async (batches: (readonly RecordedEvent[])[]) => {
    await markPublished(db, batches.flat())
    return batches
  })
  return async (events) => void (await mark(events))
}

import { randomUUID } from 'node:crypto'
import { imapBackend, type MailBackend } from '@posthorn/backends'
import type { Invalidation } from '@posthorn/contracts'
import {
  cacheSettings,
  type Db,
  inBatches,
  markPublished,
  type MarkPublished,
  type RecordedEvent,
} from '@posthorn/db'
import { proxyOfSettings } from '@posthorn/net'
import { runPeriodically } from '@posthorn/flow'
import { bootstrap } from '@posthorn/service'
import { createLoginUnsealer } from '@posthorn/unseal'
import { createHandlers } from './commands/handlers.ts'
import { onVerifyImap } from './commands/verify-imap.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { createChangeBroadcaster } from './events/change-broadcaster.ts'
import { runRetention } from './retention.ts'
import { startTranscripts, logRetention } from './logs/transcripts.ts'
import { createWorkerMetrics } from './metrics.ts'
import { createAccountReader } from './sessions/accounts.ts'
import { ConnectionCounts } from './sessions/connection-counts.ts'
import { createLoginLimiter } from './sessions/login-limiter.ts'
import { type Registry, startSessions } from './sessions/registry.ts'
import { createStatusUpdater } from './sessions/account-status.ts'
import { SyncTimes } from './sessions/sync-times.ts'
import { holdShards } from './shards/holder.ts'
import { bindShards } from './shards/bindings.ts'
import { deleteOldUploads } from './store/uploads.ts'
import { createSummaries } from './summaries/create-summaries.ts'
import { indexEmptyMailboxes } from './sync/changes/empty-mailboxes.ts'

const name = 'sync-worker'
/** Logins at servers that belong to no account, for whoever tries them out. */
const verificationsAtOnce = 20

export interface WorkerApp extends AsyncDisposable {
  /** The worker's row in `workers`. */
  readonly id: string
  /** Of health and metrics. */
  readonly port: number
}

/** Builds the service. Whatever it opened is closed in reverse order, also when a later step here fails: shards are handed over first. */
export async function startApp(
  config: Config,
  signal: AbortSignal,
  { backend = imapBackend }: { backend?: MailBackend } = {},
): Promise<WorkerApp> {
  const id = randomUUID()
  const proof = randomUUID()
  await using opened = new AsyncDisposableStack()
  const ground = await bootstrap(opened, { name, config, signal, fields: { worker: id } })
  const { log, db, bus, port } = ground
  const metrics = createWorkerMetrics(ground.metrics)
  const settings = cacheSettings(db)
  const changes = opened.use(createChangeBroadcaster(bus))
  const transcripts = opened.use(
    startTranscripts({ db, log, retention: wantedNow(settings, config) }),
  )
  const connections = new ConnectionCounts()
  const syncTimes = new SyncTimes()
  const published = batchMarkPublished(db)
  const openLogin = createLoginUnsealer(bus)
  const basics = {
    ...ground,
    settings,
    openLogin,
    metrics,
    config,
    markPublished: published,
    syncTimes,
  }
  const summaries = summariesOf(opened, basics)
  const deps: Deps = {
    ...basics,
    worker: { id, proof },
    summaries,
    backend,
    logins: createLoginLimiter(config.logins),
    changes,
    transcripts,
    connections,
    accounts: createAccountReader(db),
    applyStatusUpdate: createStatusUpdater(basics),
    indexEmpty: indexEmptyMailboxes(basics),
  }
  const sessions = opened.use(startSessions(deps))
  const server = opened.use(
    await bus.serve({ queue: 'private', handlers: createHandlers({ db, sessions, settings }) }),
  )
  startPeriodicTasks(opened, deps)
  opened.use(
    await bus.serve({
      queue: 'verify.imap',
      handlers: [onVerifyImap(deps)],
      concurrency: verificationsAtOnce,
    }),
  )
  const { heartbeatMs, claimMs } = config
  const user = bindShards(server, sessions, log)
  const holder = opened.use(
    holdShards({ db, worker: id, proof, log, observer: user, metrics, heartbeatMs, claimMs }),
  )
  opened.use(await bus.onInvalidate((message) => onInvalidation(message, deps, sessions)))
  settings.invalidate() // what was read before may have been changed before we would have heard of it
  holder.wake()
  const resources = opened.move()
  return { id, port, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** Starts the writers of counters and the deletion of expired rows. */
function startPeriodicTasks(stack: AsyncDisposableStack, deps: Deps): void {
  const { db, log, config, settings, connections, syncTimes } = deps
  const start = (everyMs: number, name: string, task: Parameters<typeof runPeriodically>[1]) =>
    stack.use(runPeriodically({ everyMs, log, name }, task))
  start(5_000, 'connections', () => connections.store(db))
  start(1_000, 'sync times', () => syncTimes.store(db))
  const upkeep = runRetention(db, { ...config, wantedLogs: wantedNow(settings, config) })
  start(3_600_000, 'housekeeping', upkeep)
  start(600_000, 'uploads', () => deleteOldUploads(db))
}

function summariesOf(
  opened: AsyncDisposableStack,
  basics: Pick<Deps, 'bus' | 'metrics' | 'log' | 'config' | 'settings' | 'openLogin'>,
) {
  const { config, settings, openLogin } = basics
  const how = { egress: config.proxyEgressPolicy, open: openLogin }
  const proxy = proxyOfSettings(() => settings.get(), how)
  return createSummaries(opened, { ...basics, proxy, config: config.summaries })
}

function wantedNow(settings: Deps['settings'], { logLines }: Config) {
  return async () => logRetention(await settings.get(), logLines)
}

function onInvalidation(
  { topic, id }: Invalidation,
  { settings, summaries }: Pick<Deps, 'settings' | 'summaries'>,
  sessions: Pick<Registry, 'refresh'>,
): void {
  if (topic === 'settings') {
    settings.invalidate()
    summaries.invalidate()
  }
  if (topic === 'accounts') sessions.refresh(id)
}

/** Events of several commits are marked in one statement. */
function batchMarkPublished(db: Db): MarkPublished {
  const mark = inBatches(async (batches: (readonly RecordedEvent[])[]) => {
    await markPublished(db, batches.flat())
    return batches
  })
  return async (events) => void (await mark(events))
}

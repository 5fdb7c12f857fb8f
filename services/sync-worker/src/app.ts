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
import { everyFew, bootstrap } from '@posthorn/service'
import { createLoginUnsealer } from '@posthorn/unseal'
import { createHandlers } from './commands/handlers.ts'
import { onVerifyImap } from './commands/verify-imap.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'
import { tellChanges } from './events/tell-changes.ts'
import { keepHouse } from './housekeeping.ts'
import { startTranscripts, logRetention } from './logs/transcripts.ts'
import { measureWorker } from './metrics.ts'
import { readAccounts } from './sessions/accounts.ts'
import { ConnectionCounts } from './sessions/connection-counts.ts'
import { takeTurns } from './sessions/login-turns.ts'
import { type Registry, runSessions } from './sessions/registry.ts'
import { keepStandings } from './sessions/standings.ts'
import { SyncTimes } from './sessions/sync-times.ts'
import { holdShards } from './shards/holder.ts'
import { serveShards } from './shards/serve.ts'
import { deleteOldUploads } from './store/uploads.ts'
import { createSummaries } from './summaries/create-summaries.ts'
import { fillEmpties } from './sync/empty.ts'

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
  const metrics = measureWorker(ground.metrics)
  const settings = cacheSettings(db)
  const changes = opened.use(tellChanges(bus))
  const transcripts = opened.use(
    startTranscripts({ db, log, retention: wantedNow(settings, config) }),
  )
  const connections = new ConnectionCounts()
  const syncTimes = new SyncTimes()
  const published = marksPublished(db)
  const openLogin = createLoginUnsealer(bus)
  const basics = { ...ground, settings, openLogin, metrics, config, published, syncTimes }
  const summaries = summariesOf(opened, basics)
  const deps: Deps = {
    ...basics,
    worker: { id, proof },
    summaries,
    backend,
    logins: takeTurns(config.logins),
    changes,
    transcripts,
    connections,
    accounts: readAccounts(db),
    standings: keepStandings(basics),
    fillEmpty: fillEmpties(basics),
  }
  const sessions = opened.use(runSessions(deps))
  const server = opened.use(
    await bus.serve({ queue: 'private', handlers: createHandlers({ db, sessions, settings }) }),
  )
  opened.use(everyFew({ everyMs: 5_000, log, name: 'connections' }, () => connections.store(db)))
  opened.use(everyFew({ everyMs: 1_000, log, name: 'sync times' }, () => syncTimes.store(db)))
  const upkeep = keepHouse(db, { ...config, wantedLogs: wantedNow(settings, config) })
  opened.use(everyFew({ everyMs: 3_600_000, log, name: 'housekeeping' }, upkeep))
  opened.use(everyFew({ everyMs: 600_000, log, name: 'uploads' }, () => deleteOldUploads(db)))
  opened.use(
    await bus.serve({
      queue: 'verify.imap',
      handlers: [onVerifyImap(deps)],
      concurrency: verificationsAtOnce,
    }),
  )
  const { heartbeatMs, claimMs } = config
  const user = serveShards(server, sessions, log)
  const holder = opened.use(
    holdShards({ db, worker: id, proof, log, user, metrics, heartbeatMs, claimMs }),
  )
  opened.use(await bus.onInvalidate((message) => forget(message, deps, sessions)))
  settings.invalidate() // what was read before may have been changed before we would have heard of it
  holder.wake()
  const resources = opened.move()
  return { id, port, [Symbol.asyncDispose]: () => resources.disposeAsync() }
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

function forget(
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
function marksPublished(db: Db): MarkPublished {
  const mark = inBatches(async (batches: (readonly RecordedEvent[])[]) => {
    await markPublished(db, batches.flat())
    return batches
  })
  return async (events) => void (await mark(events))
}

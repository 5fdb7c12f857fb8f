import { randomUUID } from 'node:crypto'
import { sharePauses } from '@posthorn/backends/shared-pauses'
import { imapBackend, type ImapBackend } from '@posthorn/backends'
import { createProviderClients } from '@posthorn/backends/provider-clients'
import { runPeriodically } from '@posthorn/flow'
import { bootstrap, defaultChecks, type ServiceContext } from '@posthorn/service/bootstrap'
import type { App } from '@posthorn/service/run'
import { createHandlers } from './commands/handlers.ts'
import { onLendUnits } from './commands/lend-units.ts'
import type { Config } from './config.ts'
import { handleInvalidations } from './handle-invalidations.ts'
import { startPubSub } from './pubsub/start-pubsub.ts'
import { removeExports } from './remove-exports.ts'
import { runRetention } from './retention.ts'
import { type CreateMailApis, createSessions } from './sessions/create-sessions.ts'
import { removeIncompleteUploads } from './sessions/incomplete-uploads.ts'
import { createExports } from './exports/create-exports.ts'
import type { ShardHolder } from './shards/holder.ts'
import { startHolder } from './start-holder.ts'
import { deleteOldUploads } from './store/uploads.ts'

const name = 'sync-worker'
/** Maximum concurrent tests of logins at mail servers, for logins that belong to no account yet. */
const maxVerifications = 20

/** Started sync-worker. */
export interface WorkerApp extends App {
  /** Id of this worker's row in the table `workers`. */
  readonly id: string
  /** Port of the health checks and metrics. */
  readonly port: number
}

/** Dependencies of the sync-worker process that tests replace, such as the clients of mail APIs. */
export interface AppParts {
  backend?: ImapBackend
  createMailApis?: CreateMailApis
}

/** Creates the clients of Gmail and Microsoft Graph. */
const createClients: CreateMailApis = (stack, { limiter, proxy, config, destinations }) =>
  createProviderClients(stack, {
    limiter,
    proxy,
    policy: config.oauthEgressPolicy,
    mappedOrigins: config.providerOrigins,
    findTopic: ({ application }) => destinations.findTopic(application),
    findUrls: (account) => destinations.findUrls(account),
  })

/**
 * Starts sync-worker. Disposal runs in reverse order, so that the shards (groups of accounts) of
 * this worker are handed off to other workers first.
 */
export async function startApp(
  config: Config,
  signal: AbortSignal,
  { backend = imapBackend, createMailApis = createClients }: AppParts = {},
): Promise<WorkerApp> {
  const worker = { id: randomUUID(), proof: randomUUID() }
  const { id } = worker
  await using stack = new AsyncDisposableStack()
  const fields = { worker: id }
  const readiness: { holder?: ShardHolder } = {}
  const checks = (context: ServiceContext) => ({
    ...defaultChecks(context),
    accounts: () => readiness.holder?.checkTakeover(),
  })
  const service = await bootstrap(stack, { name, config, signal, checks, fields })
  const { log, db, bus, port } = service
  const parts = createSessions(stack, service, { config, backend, createMailApis, worker })
  const { sessions, settings, deferred, limiter, quota } = parts
  const lend = onLendUnits({ limiter, shards: quota.held, loans: quota.loans })
  const handlers = [...createHandlers({ db, sessions }), parts.watches.handler, lend]
  const server = stack.use(await bus.serve({ queue: 'private', handlers }))
  const start = (everyMs: number, name: string, task: Parameters<typeof runPeriodically>[1]) =>
    stack.use(runPeriodically({ everyMs, log, name }, task))
  start(5_000, 'connections', () => deferred.connections.store(db))
  start(1_000, 'sync times', () => deferred.syncTimes.store(db))
  start(3_600_000, 'retention', runRetention(db, { ...config, logRetention: parts.retention }))
  start(600_000, 'uploads', () => deleteOldUploads(db))
  start(10_000, 'removal of exports', removeExports({ db, bus, settings, ...config.exports }))
  stack.use(
    await bus.serve({
      queue: 'verify.imap',
      handlers: [parts.verifyImap],
      concurrency: maxVerifications,
    }),
  )
  const pubSub = stack.use(startPubSub({ db, bus, settings, log, config }))
  const registry = service.metrics
  const exportParts = { commit: parts.commit, bus, registry, sessions, worker, config, log }
  const exports = createExports(stack, exportParts)
  const observers = [quota.held, sessions, pubSub, exports]
  const holding = { service, parts, config, worker, observers }
  const holder = stack.use(startHolder(server, holding))
  readiness.holder = holder
  const uploads = { db, log, sessions, shards: () => [...holder.leases().keys()] }
  start(10_000, 'incomplete uploads', removeIncompleteUploads(uploads))
  stack.use(await handleInvalidations(bus, { ...parts, pubSub }))
  stack.use(await sharePauses(limiter, bus))
  settings.invalidate() // settings cached earlier may have missed an invalidation broadcast
  holder.wake()
  service.markStarted()
  const resources = stack.move()
  return {
    id,
    port,
    unfinished: () => ({ ...service.unfinished(), shards: holder.leases().size }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

import { connectBus } from '@posthorn/bus'
import { release } from '@posthorn/config/release'
import { cacheSettings, countMinutes } from '@posthorn/db'
import { settleWithin, TaskGroup } from '@posthorn/flow'
import { drainDelay } from '@posthorn/service/drain-delay'
import type { App } from '@posthorn/service/run'
import { waitForSchema } from '@posthorn/service/wait-for-schema'
import { createLogger, createMetrics } from '@posthorn/telemetry'
import { Router } from 'express'
import { createAccess } from './access/create-access.ts'
import { TokenWatch } from './access/token-watch.ts'
import { serveChanges } from './changes/change-streams.ts'
import type { Config } from './config.ts'
import { createTools } from './create-tools.ts'
import { mountDocs } from './docs-site/mount-docs.ts'
import { serveEvents } from './events/event-streams.ts'
import { ExportDownloads } from './exports/export-downloads.ts'
import { firstRun } from './first-run.ts'
import { handleInvalidations } from './handle-invalidations.ts'
import { BodyMemoryLimiter } from './http/body-memory.ts'
import { mountOperations } from './http/mount.ts'
import { startHttpServer } from './http/start-http-server.ts'
import { startBulkJobs } from './jobs/bulk-jobs.ts'
import { logStart } from './log-start.ts'
import { openGatewayPools } from './open-gateway-pools.ts'
import { operationHandlers } from './operations/handlers.ts'
import { mountPublicPages } from './public/mount-public-pages.ts'
import { PushTrust } from './public/notifications/push-trust.ts'
import { startSweeps } from './sweeps.ts'

const name = 'api-gateway'
const { version } = release

/** Number of missed heartbeats after which a sync-worker counts as dead. */
const maxMissedHeartbeats = 3

/**
 * Maximum time in milliseconds for which a new api-gateway is not ready because RabbitMQ is not
 * connected. Reads of mailboxes need RabbitMQ, and other replicas serve these reads meanwhile.
 * After this time, the new api-gateway serves the requests that do not need RabbitMQ.
 */
const maxBusWaitMs = 20_000

export interface Gateway extends App {
  readonly port: number
}

/** Starts api-gateway. Disposal or a failed start closes all resources in reverse order. */
export async function startApp(config: Config, stopping: AbortSignal): Promise<Gateway> {
  const log = createLogger(name, config.logLevel)
  const metrics = createMetrics(name)
  logStart(log, config)
  await using stack = new AsyncDisposableStack()
  const pools = { url: config.databaseUrl, name, log, metrics }
  const { db, outbox } = openGatewayPools(stack, pools, config.databasePoolSize)
  const bus = stack.use(await connectBus({ url: config.amqpUrl, name, log, metrics }))
  // Background tasks are work that responses do not wait for, such as hints (bus messages that
  // start work earlier). If a hint is lost, a periodic task finds the work later.
  const onTaskError = (err: unknown) => log.debug({ err }, 'background task failed')
  const tasks = stack.use(new TaskGroup({ onError: onTaskError }))
  const onError = (err: unknown) => log.debug({ err }, 'counter flush failed')
  const counter = stack.use(countMinutes(db, { onError }))
  const settings = cacheSettings(db)
  const { changesKeepAliveMs: keepAliveMs, changesPollMs: pollMs } = config
  const tokenWatch = stack.use(new TokenWatch(db, log))
  const streaming = { db, log, metrics, version, tokenWatch, keepAliveMs, pollMs }
  const streams = { changes: serveChanges(streaming), events: serveEvents(streaming) }
  const exports = new ExportDownloads({ db, bus, log, metrics, tokenWatch })
  const { authorizer, tokens, sessions } = createAccess(stack, { config, db, settings, log })
  const { timeoutMs, unusableMs, maxBodyBytes: maxUploadBytes } = config
  const workerExpiryMs = maxMissedHeartbeats * config.workerHeartbeatMs
  const limits = { timeoutMs, unusableMs, maxUploadBytes, workerExpiryMs }
  const stores = { db, outbox, settings, tokens, storedMemory: new BodyMemoryLimiter(limits) }
  const tools = createTools(stack, { config, settings, bus, log, metrics })
  const pushTrust = stack.use(new PushTrust({ db, settings, log }))
  const { oauthTokensApi, requireApiAuth, uploadStallMs: stallMs } = config
  const parts = { bus, log, tasks, exports, version, oauthTokensApi, requireApiAuth }
  const kept = { tokenLogEntries: config.tokenLog.keep, exportLimits: config.exports }
  const deps = { ...stores, ...limits, ...tools, ...streams, ...parts, ...kept }
  const api = Router({ caseSensitive: true })
  const mounting = { authorizer, maxUploadBytes, reader: tools.reader, stallMs, counter, settings }
  mountOperations(api, operationHandlers(deps), mounting)
  mountDocs(api, version)
  api.use(mountPublicPages(stack, { ...deps, pushTrust, metrics, config }))
  const server = await startHttpServer({ config, log, metrics, settings, db, api, stopping })
  // The HTTP server and the event streams end concurrently: the server waits for open streams, and
  // clients of ended streams reconnect to another replica.
  stack.defer(() => disposeAll([server, ...Object.values(streams)]))
  await waitForSchema(db, log, stopping)
  // Uses the pool with the longer statement timeout for the setup of a new deployment (first run),
  // because the setup waits until a concurrent replica has completed its setup.
  await firstRun({ db: outbox, sealer: tools.sealer }, config)
  startSweeps(stack, outbox, { bus, log, tokenLog: config.tokenLog })
  stack.use(startBulkJobs({ ...deps, metrics }))
  stack.use(await handleInvalidations(bus, { ...deps, sessions, tokenWatch, pushTrust }))
  // Invalidates the settings in all processes, which may have cached the settings before the first
  // run (setup of a new deployment) stored them.
  tasks.run(bus.invalidate({ topic: 'settings' }))
  await settleWithin(bus.whenUp(stopping), maxBusWaitMs)
  server.markStarted()
  // Delays the shutdown of api-gateway until clients and load balancers have detected that this
  // process stops. Until then the process serves requests.
  stack.defer(drainDelay(stopping, config.drainDelayMs))
  const running = stack.move()
  return {
    port: server.port,
    unfinished: () => ({ requests: server.unfinished() }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Disposes parts of api-gateway, such as the HTTP server and the event streams, concurrently. */
async function disposeAll(parts: readonly AsyncDisposable[]): Promise<void> {
  await Promise.all(parts.map((part) => part[Symbol.asyncDispose]()))
}

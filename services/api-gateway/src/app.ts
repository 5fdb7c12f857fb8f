import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bus, connectBus } from '@posthorn/bus'
import { describeConfig } from '@posthorn/config'
import type { Invalidation } from '@posthorn/contracts'
import { cacheSettings, connect, countMinutes, ping, type SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { runPeriodically, TaskGroup } from '@posthorn/flow'
import { proxyFromSettings } from '@posthorn/net'
import { Sandbox } from '@posthorn/sandbox'
import { createSealer } from '@posthorn/secrets'
import { waitForSchema } from '@posthorn/service'
import { createLogger, createMetrics, type Logger } from '@posthorn/telemetry'
import { Renderer } from '@posthorn/templates'
import { createLoginUnsealer } from '@posthorn/unseal'
import { type RequestHandler, Router } from 'express'
import { createAccess, sweepAccess } from './access/create-access.ts'
import type { TokenCache } from './access/token-cache.ts'
import { createAutoconfig } from './autoconfig/autoconfig.ts'
import { type ChangeStreams, serveChanges } from './changes/change-streams.ts'
import type { Config } from './config.ts'
import { mountDocs } from './docs/mount-docs.ts'
import { startHttpServer } from './http/start-http-server.ts'
import { firstRun } from './first-run.ts'
import { BodyMemoryLimiter } from './http/body-memory.ts'
import { mountOperations } from './http/mount.ts'
import { linkKeys } from './links/link-keys.ts'
import { operationHandlers } from './operations/handlers.ts'
import { mountPublicPages } from './public/mount-public-pages.ts'
import { deleteExpired } from './store/delete-expired.ts'

const name = 'api-gateway'
const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')
const { version } = JSON.parse(manifest) as { version: string }

/** Maximum bytes buffered for a slow client of `GET /v1/changes`. */
const maxWaitingBytes = 1024 * 1024

/** CPU time limit of one rendering; a usual template takes well below a millisecond. */
const templateTimeoutMs = 1_000

/** Idempotency keys, form links and sign-ins expire after 24 h; deletion may be this much later. */
const sweepMs = 600_000

/** A sync-worker counts as dead after missing this many heartbeats. */
const maxMissedHeartbeats = 3

export interface Gateway extends AsyncDisposable {
  readonly port: number
}

/** Starts the service. Disposal or a failed start closes all resources in reverse order. */
export async function startApp(config: Config, stop: AbortSignal): Promise<Gateway> {
  const log = createLogger(name, config.logLevel)
  const metrics = createMetrics(name)
  log.info({ config: loggable(config) }, 'starting')
  if (config.unknownSettings.length > 0)
    log.warn({ settings: config.unknownSettings }, 'SVC_SETTINGS contains unknown settings')
  await using stack = new AsyncDisposableStack()
  const { db, outbox } = openPools(stack, config, log)
  const bus = stack.use(await connectBus({ url: config.amqpUrl, name, log, metrics }))
  const tasks = stack.use(createBackgroundTasks(log))
  const sealer = createSealer(config.sealingKey)
  const settings = cacheSettings(db)
  const onError = (err: unknown) => log.debug({ err }, 'counter flush failed')
  const counter = stack.use(countMinutes(db, { onError }))
  const { changesKeepAliveMs: keepAliveMs, changesPollMs: pollMs, crawlerRangesFile } = config
  const streaming = { version, maxWaitingBytes, keepAliveMs, pollMs }
  const changes = serveChanges({ db, log, metrics, ...streaming })

  const { trustedProxies } = config.httpServer
  const accessOptions = { requireToken: config.requireApiAuth, trustedProxies }
  const { authorizer, tokens } = createAccess(stack, { db, settings, log, ...accessOptions })
  const limits = limitsOf(config)
  const stores = { db, outbox, settings, tokens, storedMemory: new BodyMemoryLimiter(limits) }
  const autoconfig = createAutoconfig(stack, autoconfigOf(config, bus, settings))
  const links = linkKeys(bus)
  const renderLimits = { timeoutMs: templateTimeoutMs, maxOutputBytes: config.maxBodyBytes }
  const renderer = stack.use(new Renderer(renderLimits))
  const sandbox = stack.use(new Sandbox())
  const tools = { bus, sandbox, sealer, tasks, autoconfig, changes, links, renderer, version }
  const deps = { ...stores, ...limits, ...tools, tokenLogEntries: config.tokenLog.keep }
  const api = Router({ caseSensitive: true })
  const onResponse = (status: number) =>
    counter.count(`apiCall:${status < 400 ? 'success' : 'fail'}`)
  mountOperations(api, operationHandlers(deps), { authorizer, ...limits, onResponse })
  mountDocs(api, version)
  api.use(mountPublicPages(stack, { ...deps, log, metrics, trustedProxies, crawlerRangesFile }))

  let isStarted = false
  const server = await startHttpServer({
    config,
    log,
    metrics,
    settings,
    // Without RabbitMQ, accounts can be registered and messages submitted: no readiness check.
    checks: { start: () => assertStarted(isStarted), postgres: () => ping(db) },
    api: whenStarted(api, () => isStarted),
  })
  // Concurrently: open streams delay the server's end, and clients of ended streams reconnect.
  stack.defer(async () => {
    await Promise.all([server[Symbol.asyncDispose](), changes[Symbol.asyncDispose]()])
  })
  await waitForSchema(db, log, stop)
  // Waits for a concurrent replica, so it uses the pool with the longer timeout.
  await firstRun({ db: outbox, sealer }, config)
  const sweep = { everyMs: sweepMs, log, name: 'expired-rows' }
  stack.use(runPeriodically(sweep, () => deleteExpired(outbox)))
  stack.use(sweepAccess(outbox, log, config.tokenLog))
  stack.use(await bus.onInvalidate((message) => invalidateCaches(message, deps)))
  // Other processes may have cached settings before the first run changed them.
  tasks.run(bus.invalidate({ topic: 'settings' }))
  isStarted = true
  const running = stack.move()
  return { port: server.port, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

function whenStarted(api: RequestHandler, isStarted: () => boolean): RequestHandler {
  return (request, response, next) => {
    if (isStarted()) void api(request, response, next)
    else next(new AppError('unavailable', 'The service is starting'))
  }
}

function assertStarted(isStarted: boolean): void {
  if (!isStarted) throw new Error('service is starting')
}

/**
 * Group for work that responses do not wait for, such as hints and broadcasts. Periodic tasks
 * repair what is lost. Disposal waits for running tasks, which limit their own time.
 */
function createBackgroundTasks(log: Logger): TaskGroup {
  return new TaskGroup({ onError: (err) => log.debug({ err }, 'background task failed') })
}

/** Logs the names of settings only, because values may be secret. */
function loggable(config: Config) {
  const settings = Object.keys(config.settings ?? {})
  return describeConfig({ ...config, settings, sealingKey: config.sealingKey.id })
}

function autoconfigOf(config: Config, bus: Bus, settings: SettingsCache) {
  const { autoconfigDirectory: directory, autoconfigEgressPolicy: policy } = config
  const options = { egress: config.proxyEgressPolicy, unseal: createLoginUnsealer(bus) }
  return { directory, policy, proxy: proxyFromSettings(() => settings.get(), options) }
}

function limitsOf({ timeoutMs, maxBodyBytes, workerHeartbeatMs, oauthTokensApi }: Config) {
  const workerExpiryMs = maxMissedHeartbeats * workerHeartbeatMs
  return { timeoutMs, maxUploadBytes: maxBodyBytes, workerExpiryMs, oauthTokensApi }
}

/**
 * Opens two pools. Statements of `db` time out before a client does, so that it receives a 503.
 * `outbox` stores messages: slower, and separate so that others keep their connections.
 */
function openPools(stack: AsyncDisposableStack, config: Config, log: Logger) {
  const outboxMax = Math.max(1, Math.floor(config.databasePoolSize / 4))
  const onError = (err: Error) => log.warn({ err }, 'Postgres connection lost')
  const openPool = (max: number, timeoutMs: number) =>
    stack.adopt(connect(config.databaseUrl, { name, max, timeoutMs, onError }), (db) =>
      db.destroy(),
    )
  return {
    db: openPool(config.databasePoolSize - outboxMax, 3_000),
    outbox: openPool(outboxMax, 30_000),
  }
}

interface InvalidatedCaches {
  settings: SettingsCache
  tokens: TokenCache
  changes: ChangeStreams
}

function invalidateCaches({ topic, id }: Invalidation, caches: InvalidatedCaches): void {
  const { settings, tokens, changes } = caches
  if (topic === 'settings') settings.invalidate()
  if (topic === 'changes') changes.wake()
  if (topic !== 'tokens') return
  tokens.invalidate(id)
  changes.tokensChanged()
}

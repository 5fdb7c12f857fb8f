import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bus, connectBus } from '@posthorn/bus'
import { describeConfig } from '@posthorn/config'
import type { Invalidation } from '@posthorn/contracts'
import { cacheSettings, connect, countMinutes, ping, type SettingsCache } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { proxyFromSettings } from '@posthorn/net'
import { Sandbox } from '@posthorn/sandbox'
import { createSealer } from '@posthorn/secrets'
import { runPeriodically } from '@posthorn/flow'
import { loginOpener, waitForSchema } from '@posthorn/service'
import { createLogger, createMetrics, type Logger } from '@posthorn/telemetry'
import { Renderer } from '@posthorn/templates'
import { type RequestHandler, Router } from 'express'
import { openAccess, sweepAccess } from './access/open-access.ts'
import type { TokenCache } from './access/token-cache.ts'
import { createBackgroundTasks } from './background-tasks.ts'
import { openAutoconfig } from './autoconfig/open.ts'
import { type ChangeStreams, serveChanges } from './changes/change-streams.ts'
import type { Config } from './config.ts'
import { mountDocs } from './docs/mount-docs.ts'
import { openDoor } from './door/open-door.ts'
import { firstRun } from './first-run.ts'
import { firstTokenWriter } from './first-token.ts'
import { linkKeys } from './links/link-keys.ts'
import { BodyMemoryLimiter } from './http/body-memory.ts'
import { mountOperations } from './http/mount.ts'
import { allRoutes } from './operations/routes.ts'
import { openPublicPages } from './public/open-public.ts'
import { deleteExpired } from './store/delete-expired.ts'

const name = 'api-gateway'
const about = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')
const { version } = JSON.parse(about) as { version: string }

/** What waits in memory for a client that follows changes and reads slowly, at most. */
const maxWaitingBytes = 1024 * 1024

/** What a template may take of a processor: thousands of renderings of a usual one. */
const templateTimeoutMs = 1_000

/** Keys of submissions, links of forms and sign-ins are forgotten after a day, and some minutes. */
const sweepMs = 600_000

export interface Gateway extends AsyncDisposable {
  readonly port: number
}

/** Builds the service. Whatever it opened is closed in reverse order, also when a later step here fails. */
export async function startApp(config: Config, stop: AbortSignal): Promise<Gateway> {
  const log = createLogger(name, config.logLevel)
  const metrics = createMetrics(name)
  log.info({ config: loggable(config) }, 'starting')
  if (config.unknownSettings.length > 0)
    log.warn({ settings: config.unknownSettings }, 'SVC_SETTINGS names settings that there are not')
  await using opened = new AsyncDisposableStack()
  const { db, outbox } = openPools(opened, config, log)
  const bus = opened.use(await connectBus({ url: config.amqpUrl, name, log, metrics }))
  const tasks = opened.use(createBackgroundTasks(log))
  const sealer = createSealer(config.sealingKey)
  const settings = cacheSettings(db)
  const counter = opened.use(
    countMinutes(db, { onError: (err) => log.debug({ err }, 'not counted') }),
  )
  const { changesKeepAliveMs: keepAliveMs, changesPollMs: pollMs, crawlerRangesFile } = config
  const following = { version, maxWaitingBytes, keepAliveMs, pollMs }
  const changes = serveChanges({ db, log, metrics, ...following })

  const { trustedProxies } = config.door
  const requireToken = config.requireApiAuth
  const { gate, tokens } = openAccess(opened, { db, settings, log, requireToken, trustedProxies })
  const limits = limitsOf(config)
  const stores = { db, outbox, settings, tokens, storedMemory: new BodyMemoryLimiter(limits) }
  const autoconfig = openAutoconfig(opened, autoconfigOf(config, bus, settings))
  const links = linkKeys(bus)
  const renderer = opened.use(
    new Renderer({ timeoutMs: templateTimeoutMs, maxOutputBytes: config.maxBodyBytes }),
  )
  const sandbox = opened.use(new Sandbox())
  const tools = { bus, sandbox, sealer, tasks, autoconfig, changes, links, renderer, version }
  const deps = { ...stores, ...limits, ...tools, tokenLogEntries: config.tokenLog.keep }
  const api = Router({ caseSensitive: true })
  const answered = (status: number) => counter.count(`apiCall:${status < 400 ? 'success' : 'fail'}`)
  mountOperations(api, allRoutes(deps), { gate, ...limits, answered })
  mountDocs(api, version)
  api.use(openPublicPages(opened, { ...deps, log, metrics, trustedProxies, crawlerRangesFile }))

  let started = false
  const server = await openDoor({
    config,
    log,
    metrics,
    settings,
    // Not RabbitMQ: without it accounts are registered and mail is taken all the same.
    checks: { start: () => assert(started), postgres: () => ping(db) },
    api: onceStarted(api, () => started),
  })
  // Together: open streams would hold the server up, and ended before it they would come straight back.
  opened.defer(async () => {
    await Promise.all([server[Symbol.asyncDispose](), changes[Symbol.asyncDispose]()])
  })
  await waitForSchema(db, log, stop)
  // Another replica may be at it, and is waited for: with the longer patience.
  await firstRun(
    { db: outbox, sealer, writeFirstToken: firstTokenWriter(config.firstTokenFile) },
    config,
  )
  const sweeping = { everyMs: sweepMs, log, name: 'expired-rows' }
  opened.use(runPeriodically(sweeping, () => deleteExpired(outbox)))
  opened.use(sweepAccess(outbox, log, config.tokenLog))
  opened.use(await bus.onInvalidate((message) => forget(message, deps)))
  tasks.run(bus.invalidate({ topic: 'settings' })) // others may have looked before
  started = true
  const running = opened.move()
  return { port: server.port, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

function onceStarted(api: Router, isStarted: () => boolean): RequestHandler {
  return (request, response, next) => {
    if (isStarted()) api(request, response, next)
    else next(new AppError('unavailable', 'The service is starting'))
  }
}

/** Settings by name alone: some of them are secrets. */
function loggable(config: Config) {
  const settings = Object.keys(config.settings ?? {})
  return describeConfig({ ...config, settings, sealingKey: config.sealingKey.id })
}

function autoconfigOf(config: Config, bus: Bus, settings: SettingsCache) {
  const { autoconfigDirectory: directory, autoconfigEgressPolicy: policy } = config
  const how = { egress: config.proxyEgressPolicy, unseal: loginOpener(bus) }
  return { directory, policy, proxy: proxyFromSettings(() => settings.get(), how) }
}

function limitsOf({ timeoutMs, maxBodyBytes, workerHeartbeatMs, oauthTokensApi }: Config) {
  const workerExpiryMs = 3 * workerHeartbeatMs
  return { timeoutMs, maxUploadBytes: maxBodyBytes, workerExpiryMs, oauthTokensApi }
}

/**
 * Two pools. Nothing asked of Postgres may take longer than a client should wait for a 503, but for storing a message: that one is
 * worth waiting for, and must not keep all others from a connection.
 */
function openPools(opened: AsyncDisposableStack, config: Config, log: Logger) {
  const forMessages = Math.max(1, Math.floor(config.databasePoolSize / 4))
  const onError = (err: Error) => log.warn({ err }, 'lost a connection to Postgres')
  const pool = (max: number, timeoutMs: number) =>
    opened.adopt(connect(config.databaseUrl, { name, max, timeoutMs, onError }), (db) =>
      db.destroy(),
    )
  return {
    db: pool(config.databasePoolSize - forMessages, 3_000),
    outbox: pool(forMessages, 30_000),
  }
}

interface Caches {
  settings: SettingsCache
  tokens: TokenCache
  changes: ChangeStreams
}

function forget({ topic, id }: Invalidation, { settings, tokens, changes }: Caches): void {
  if (topic === 'settings') settings.invalidate()
  if (topic === 'changes') changes.wake()
  if (topic !== 'tokens') return
  tokens.invalidate(id)
  changes.tokensChanged()
}

function assert(holds: boolean): void {
  if (!holds) throw new Error('not yet')
}

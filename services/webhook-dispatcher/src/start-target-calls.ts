import { cacheSettings } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { proxyFromSettings } from '@posthorn/net/proxy-agents'
import type { ServiceContext } from '@posthorn/service/bootstrap'
import { createHeaderUnsealer, createLoginUnsealer } from '@posthorn/unseal'
import { cacheSigningKeys, fetchSigningKeys } from './attempt/signing.ts'
import type { WebhookConfig } from './config.ts'
import type { RouteCache } from './routes/route-cache.ts'
import { targetOptions } from './targets/options.ts'
import { createTargets } from './targets/targets.ts'
import { createFindTestTarget } from './targets/test-target.ts'

/** Clients, configuration and routes from which the objects for calls of targets are created. */
export interface TargetCallsContext extends Pick<ServiceContext, 'db' | 'bus' | 'log'> {
  stack: AsyncDisposableStack
  config: WebhookConfig
  routes: RouteCache
}

/** Interval between reads of the options of webhook targets, such as pauses. */
const refreshEveryMs = 1_000
/**
 * Maximum bytes that are read of a webhook target's response. Of these bytes, 2,000 characters are
 * stored.
 */
const maxResponseBytes = 16_384

/**
 * Creates the objects for calls of webhook targets: addresses, options and keys of the targets, and
 * the HTTP client.
 */
export async function startTargetCalls({
  db,
  bus,
  log,
  stack,
  config,
  routes,
}: TargetCallsContext) {
  const settings = cacheSettings(db)
  const unsealLogin = createLoginUnsealer(bus)
  const unsealHeader = createHeaderUnsealer(bus)
  const targets = createTargets({ db, settings, routes, unsealLogin, unsealHeader })
  const { targetConcurrency, retryBaseMs } = config
  const options = targetOptions(settings, { concurrency: targetConcurrency, retryBaseMs })
  // Reads the options before the first call, so that no call of a paused webhook target is made.
  await options.refresh()
  const refresh = { everyMs: refreshEveryMs, log, name: 'target-options' }
  stack.use(runPeriodically(refresh, () => options.refresh()))
  const keys = cacheSigningKeys({ fetch: () => fetchSigningKeys(bus), log })
  const onRefreshError = (err: unknown) => log.debug({ err }, 'settings refresh failed, will retry')
  stack.use(
    await bus.onInvalidate(({ topic, id }) => {
      if (topic === 'accounts') targets.invalidate(id)
      if (topic === 'routes') routes.invalidate()
      if (topic !== 'settings') return
      settings.invalidate()
      keys.invalidate()
      options.refresh().catch(onRefreshError)
    }),
  )
  const http = stack.use(
    createHttpCaller({
      policy: config.egressPolicy,
      client: 'node',
      timeoutMs: config.timeoutMs,
      maxResponseBytes,
      maxSockets: config.concurrency,
      proxy: proxyFromSettings(() => settings.get(), {
        egress: config.proxyEgressPolicy,
        fallback: config.proxy,
        unseal: unsealLogin,
      }),
    }),
  )
  const findTarget = createFindTestTarget({ db, settings, unsealLogin, unsealHeader })
  const { timeoutMs } = config
  const verification = { settings, findTarget, keys, http, options, timeoutMs, log }
  return { http, keys, targets, options, verification }
}

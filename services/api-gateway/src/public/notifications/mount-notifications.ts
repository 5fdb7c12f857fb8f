import { addressOf } from '@posthorn/access'
import type { Bus } from '@posthorn/bus'
import { notificationPaths } from '@posthorn/contracts/notification-urls'
import type { Db, SettingsCache } from '@posthorn/db'
import type { TaskGroup } from '@posthorn/flow'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { proxyFromSettings } from '@posthorn/net/proxy-agents'
import type { Metrics } from '@posthorn/telemetry'
import { createLoginUnsealer } from '@posthorn/unseal'
import { type Request, type RequestHandler, Router } from 'express'
import { AddressLimiter } from '../../access/rate-limits.ts'
import type { Config } from '../../config.ts'
import { listWatchSecrets } from '../../store/accounts/watch-secrets.ts'
import { onGmailPush } from './gmail-push.ts'
import { GraphAdmission } from './graph-admission.ts'
import { onGraphNotifications } from './graph-notifications.ts'
import { KnownSecrets } from './known-secrets.ts'
import { NotificationForwarder } from './notification-forwarder.ts'
import { NotificationBodies } from './notification-bodies.ts'
import type { PushTrust } from './push-trust.ts'
import { SigningKeys } from './signing-keys.ts'

export interface NotificationDeps {
  readonly db: Db
  readonly bus: Bus
  readonly tasks: TaskGroup
  readonly settings: SettingsCache
  readonly metrics: Metrics
  readonly pushTrust: PushTrust
  /** Limits handshakes of Microsoft Graph per address, because anyone can send them. */
  readonly limitHandshakes: RequestHandler
  readonly config: Pick<
    Config,
    | 'httpServer'
    | 'publicBodyTimeoutMs'
    | 'oauthEgressPolicy'
    | 'proxyEgressPolicy'
    | 'providerOrigins'
  >
}

/**
 * Timeout of requesting Google's signing keys. The response to a Pub/Sub push waits for these keys.
 */
const keysTimeoutMs = 5_000
const maxKeysBytes = 64 * 1024

/**
 * Mounts the HTTP routes to which mail providers send notifications. These routes need no access
 * token.
 */
export function mountNotifications(stack: AsyncDisposableStack, deps: NotificationDeps): Router {
  const { db, bus, tasks, metrics, pushTrust: trust, config, limitHandshakes } = deps
  const forwarder = new NotificationForwarder(bus)
  const notifications = metrics.counter({
    name: 'provider_notifications_total',
    help: 'Notification requests of providers by route and outcome',
    labels: ['route', 'outcome'],
  })
  metrics.gauge({
    name: 'provider_notices_waiting',
    help: 'Notifications that wait for RabbitMQ',
    collect: () => forwarder.waiting,
  })
  const { trustedProxies, maxUnverifiedPerAddress: maxPerMinute } = config.httpServer
  const clientOf = (request: Request) => addressOf(request, trustedProxies)
  const limiter = new AddressLimiter({ maxPerMinute })
  const bodies = new NotificationBodies({
    timeoutMs: config.publicBodyTimeoutMs,
    addressOf: clientOf,
  })
  const common = { forwarder, bodies, addressOf: clientOf }
  const secrets = new KnownSecrets({ list: (accounts) => listWatchSecrets(db, accounts) })
  const forGraph = { ...common, admission: new GraphAdmission({ secrets, limiter, tasks }) }
  const excess = (request: Request) => limiter.excess(clientOf(request))
  const countAs = (route: string) => (outcome: string) => notifications.inc({ route, outcome })
  const keys = new SigningKeys(openKeys(stack, deps))
  const router = Router({ caseSensitive: true, strict: true })
  const { graph, graphLifecycle, gmailPush } = notificationPaths
  const onGraph = (route: string) => onGraphNotifications({ ...forGraph, count: countAs(route) })
  router.post(graph, limitHandshakes, onGraph('notification'))
  router.post(graphLifecycle, limitHandshakes, onGraph('lifecycle'))
  router.post(gmailPush, onGmailPush({ ...common, excess, trust, keys, count: countAs('push') }))
  return router
}

/** Client for Google's signing keys, under the egress policy of OAuth2 providers. */
function openKeys(
  stack: AsyncDisposableStack,
  { bus, settings, config }: Pick<NotificationDeps, 'bus' | 'settings' | 'config'>,
) {
  const proxy = proxyFromSettings(() => settings.get(), {
    egress: config.proxyEgressPolicy,
    unseal: createLoginUnsealer(bus),
  })
  return stack.use(
    createHttpCaller({
      policy: config.oauthEgressPolicy,
      origins: config.providerOrigins,
      proxy,
      timeoutMs: keysTimeoutMs,
      maxResponseBytes: maxKeysBytes,
    }),
  )
}

import type { Bus } from '@posthorn/bus'
import { notificationPaths } from '@posthorn/contracts/notification-urls'
import type { SettingsCache } from '@posthorn/db'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { proxyFromSettings } from '@posthorn/net/proxy-agents'
import type { Metrics } from '@posthorn/telemetry'
import { createLoginUnsealer } from '@posthorn/unseal'
import { Router } from 'express'
import type { Config } from '../../config.ts'
import { onGmailPush } from './gmail-push.ts'
import { NotificationBodies, onGraphNotifications } from './graph-notifications.ts'
import { NoticeForwarder } from './notice-forwarder.ts'
import type { PushTrust } from './push-trust.ts'
import { SigningKeys } from './signing-keys.ts'

export interface NotificationDeps {
  readonly bus: Bus
  readonly settings: SettingsCache
  readonly metrics: Metrics
  readonly pushTrust: PushTrust
  readonly config: Pick<
    Config,
    'publicBodyTimeoutMs' | 'oauthEgressPolicy' | 'proxyEgressPolicy' | 'providerOrigins'
  >
}

/** Request of the signing keys; the response of a push waits for it. */
const keysTimeoutMs = 5_000
const maxKeysBytes = 64 * 1024

/** Mounts the routes that providers notify. They work without an access token. */
export function mountNotifications(stack: AsyncDisposableStack, deps: NotificationDeps): Router {
  const { bus, metrics, pushTrust: trust, config } = deps
  const forwarder = new NoticeForwarder(bus)
  const notifications = metrics.counter({
    name: 'provider_notifications_total',
    help: 'Notification requests of providers by route and outcome',
    labels: ['route', 'outcome'],
  })
  metrics.gauge({
    name: 'provider_notices_waiting',
    help: 'Notices that wait for RabbitMQ',
    collect: () => forwarder.waiting,
  })
  const common = { forwarder, bodies: new NotificationBodies(config.publicBodyTimeoutMs) }
  const countAs = (route: string) => (outcome: string) => notifications.inc({ route, outcome })
  const keys = new SigningKeys(openKeys(stack, deps))
  const router = Router({ caseSensitive: true, strict: true })
  const { graph, graphLifecycle, gmailPush } = notificationPaths
  router.post(graph, onGraphNotifications({ ...common, count: countAs('notification') }))
  router.post(graphLifecycle, onGraphNotifications({ ...common, count: countAs('lifecycle') }))
  router.post(gmailPush, onGmailPush({ ...common, trust, keys, count: countAs('push') }))
  return router
}

/** Client for the signing keys, under the policy of OAuth2 providers. */
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

import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import { createHttpCaller } from '@posthorn/net/http-caller'
import { createProviderHttp } from '@posthorn/net/provider-http'
import { proxyFromSettings } from '@posthorn/net/proxy-agents'
import { createLoginUnsealer } from '@posthorn/unseal'
import type { Config } from '../config.ts'
import type { ShardObserver } from '../shards/shard-accounts.ts'
import { PubSubSubscriptions, type PubSubSubscriptionsDeps } from './pubsub-subscriptions.ts'

export interface PubSubOptions extends Omit<PubSubSubscriptionsDeps, 'http'> {
  readonly config: Pick<Config, 'oauthEgressPolicy' | 'providerOrigins' | 'proxyEgressPolicy'>
  /** Interval at which running and required Pub/Sub subscribers are compared. Default: 30 s. */
  readonly reconcileMs?: number
}

const origin = 'https://pubsub.googleapis.com'
/** Maximum duration of a pull request to Pub/Sub, including the response. */
const timeoutMs = 110_000
const maxResponseBytes = 4 * 1024 * 1024

/**
 * Receives notifications of Gmail from Pub/Sub, for the OAuth2 applications of the held shards.
 * `wake` immediately compares the running subscribers with the registered applications.
 */
export function startPubSub({
  config,
  reconcileMs = 30_000,
  ...deps
}: PubSubOptions): PeriodicTask & ShardObserver {
  const stack = new AsyncDisposableStack()
  const { oauthEgressPolicy: policy, providerOrigins: origins, proxyEgressPolicy: egress } = config
  const unseal = createLoginUnsealer(deps.bus)
  const proxy = proxyFromSettings(() => deps.settings.get(), { egress, unseal })
  const caller = stack.use(
    createHttpCaller({ policy, origins, proxy, timeoutMs, maxResponseBytes }),
  )
  const http = createProviderHttp({ caller, origins: [origin], mappedOrigins: origins })
  const subscriptions = stack.use(new PubSubSubscriptions({ ...deps, http }))
  const { log } = deps
  const reconciling = stack.use(
    runPeriodically({ everyMs: reconcileMs, log, name: 'pubsub' }, () => subscriptions.reconcile()),
  )
  return {
    wake: () => reconciling.wake(),
    async claimed(leases) {
      await subscriptions.claimed(leases)
      reconciling.wake()
    },
    released: (shards) => subscriptions.released(shards),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

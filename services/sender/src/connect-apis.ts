import { createProviderClients } from '@posthorn/backends/provider-clients'
import { ProviderLimiter } from '@posthorn/backends/provider-limiter'
import { createLoanMetrics, createProviderMetrics } from '@posthorn/backends/provider-metrics'
import { sharePauses } from '@posthorn/backends/shared-pauses'
import { countAppUse } from '@posthorn/db'
import type { HttpProxy } from '@posthorn/net/proxy-agents'
import type { ServiceContext } from '@posthorn/service/bootstrap'
import type { Config } from './config.ts'
import { AccountLocks } from './dispatch/account-locks.ts'
import { DraftCleaner } from './dispatch/draft-cleaner.ts'
import { LiveSenders } from './live-senders.ts'
import { type ReserveRequest, takeReserve } from './store/sending-reserves.ts'
import { BorrowedUnits } from './transports/mail-api/borrowed-units.ts'
import type { MailApis } from './transports/mail-api/connect-mail-api.ts'

/** Objects of the sender process that the clients of all mail APIs share. */
export interface MailApiParts {
  readonly limiter: ProviderLimiter
  /**
   * Returns the HTTP proxy of the operator's settings, for requests to mail APIs. Undefined if no
   * proxy is configured.
   */
  readonly proxy: () => Promise<HttpProxy | undefined>
  readonly config: Pick<Config, 'oauthEgressPolicy' | 'providerOrigins'>
}

/**
 * Creates the clients of mail APIs by provider. The resources of the clients are added to the
 * stack.
 */
export type CreateMailApis = (stack: AsyncDisposableStack, parts: MailApiParts) => MailApis

/** Creates the clients of the mail APIs of Gmail and Microsoft Graph. */
export const createClients: CreateMailApis = (stack, { limiter, proxy, config }) =>
  createProviderClients(stack, {
    limiter,
    proxy,
    policy: config.oauthEgressPolicy,
    mappedOrigins: config.providerOrigins,
  })

/** Parts of the sender process with which mail APIs are connected. */
interface ApiParts {
  service: Pick<ServiceContext, 'db' | 'bus' | 'log' | 'metrics'>
  config: Config
  createMailApis: CreateMailApis
  proxy: MailApiParts['proxy']
}

/**
 * Creates the locks, quota limits and clients that submissions through mail APIs need, and starts
 * the removal of old drafts of these submissions.
 */
export async function connectApis(
  stack: AsyncDisposableStack,
  { service: { db, bus, log, metrics: registry }, config, createMailApis, proxy }: ApiParts,
) {
  const { sweepMs, leaseMs, credentialsMs, providerLimits: limits } = config
  const locks = stack.use(new AccountLocks({ db, log, leaseMs }))
  const live = stack.use(new LiveSenders({ db, log, sender: locks.worker }))
  const replicas = () => live.count
  const onError = (err: unknown) => log.debug({ err }, 'counter flush failed, will retry')
  const metrics = createProviderMetrics(registry, stack.use(countAppUse(db, { onError })))
  const loans = createLoanMetrics(registry)
  const reserve = (request: ReserveRequest) => takeReserve(db, request)
  const source = new BorrowedUnits({ reserve, bus, limits, loans, log })
  const limiter = new ProviderLimiter({ limits, service: 'sender', replicas, source, metrics })
  stack.use(await sharePauses(limiter, bus))
  const mailApis = createMailApis(stack, { limiter, proxy, config })
  const api = { db, bus, mailApis, locks, live, log, sweepMs, leaseMs, credentialsMs }
  stack.use(new DraftCleaner(api))
  return api
}

import { createProviderClients } from '@posthorn/backends/provider-clients'
import { ProviderLimiter } from '@posthorn/backends/provider-limiter'
import { createLoanMetrics, createProviderMetrics } from '@posthorn/backends/provider-metrics'
import { sharePauses } from '@posthorn/backends/shared-pauses'
import type { Bus } from '@posthorn/bus'
import { SubmissionHint } from '@posthorn/contracts/hints'
import {
  cacheSettings,
  countAppUse,
  countMinutes,
  type Db,
  batchStatements,
  type PublishEvent,
} from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import { type HttpProxy, proxyFromSettings } from '@posthorn/net/proxy-agents'
import { bootstrap, type ServiceContext } from '@posthorn/service/bootstrap'
import { watchQueuePause } from '@posthorn/service/queue-pause'
import type { App } from '@posthorn/service/run'
import type { Logger } from '@posthorn/telemetry'
import { createLoginUnsealer } from '@posthorn/unseal'
import { OutcomeRecorder } from './attempt/outcome-recorder.ts'
import { onChangeOutbox } from './commands/change-outbox.ts'
import { onVerifySmtp } from './commands/verify-smtp.ts'
import type { Config } from './config.ts'
import { connectSenders } from './connect-senders.ts'
import { AccountLocks } from './dispatch/account-locks.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import { DraftCleaner } from './dispatch/draft-cleaner.ts'
import { Filer } from './dispatch/filer.ts'
import { LiveSenders } from './live-senders.ts'
import { registerDueAge, senderMetrics } from './metrics.ts'
import { deleteFinished } from './store/maintenance.ts'
import { markDataSent } from './store/outbox.ts'
import { deleteUnusedReserves, type ReserveRequest, takeReserve } from './store/sending-reserves.ts'
import type { Handover } from './store/submission.ts'
import { BorrowedUnits } from './transports/mail-api/borrowed-units.ts'
import type { MailApis } from './transports/mail-api/connect-mail-api.ts'
import { MailApiTransport } from './transports/mail-api/mail-api-transport.ts'
import { SmtpTransport } from './transports/smtp/smtp-transport.ts'

const name = 'sender'
/**
 * Maximum concurrent checks of logins at SMTP servers, for logins that belong to no account yet.
 */
const verifyConcurrency = 20
const retentionIntervalMs = 600_000

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

/** Dependencies of the sender process that tests replace, such as the clients of mail APIs. */
export interface AppDeps {
  createMailApis?: CreateMailApis
}

/** Creates the clients of the mail APIs of Gmail and Microsoft Graph. */
const createClients: CreateMailApis = (stack, { limiter, proxy, config }) =>
  createProviderClients(stack, {
    limiter,
    proxy,
    policy: config.oauthEgressPolicy,
    mappedOrigins: config.providerOrigins,
  })

/** Starts the sender. Disposal closes all resources in reverse order. */
export async function startApp(
  config: Config,
  signal: AbortSignal,
  { createMailApis = createClients }: AppDeps = {},
): Promise<App> {
  await using stack = new AsyncDisposableStack()
  const service = await bootstrap(stack, { name, config, signal })
  const { log, metrics: registry, db, bus } = service
  const settings = cacheSettings(db)
  const unsealLogin = createLoginUnsealer(bus)
  const minutes = stack.use(
    countMinutes(db, { onError: (err) => log.debug({ err }, 'counter flush failed, will retry') }),
  )
  const queue = stack.use(await watchQueuePause({ db, bus, log, queue: 'submit' }))
  const paused = () => queue.paused
  const metrics = senderMetrics(registry, { db, paused, minutes })
  const count = (result: 'filed' | 'postponed' | 'failed') => metrics.filings.inc({ result })
  const filer = stack.use(new Filer({ ...config, db, bus, log, count }))
  const publish: PublishEvent = (message) => bus.publishEvent(message)
  const onFiling = () => filer.wake()
  const recorder = stack.use(new OutcomeRecorder({ db, settings, publish, onFiling, log }))
  const writeIntent = batchStatements((handovers: Handover[]) =>
    markDataSent(db, handovers, config.leaseMs),
  )
  const { lanes, smtp: limits } = config
  const egress = config.proxyEgressPolicy
  const proxy = proxyFromSettings(() => settings.get(), { egress, unseal: unsealLogin })
  const api = await connectApis(stack, { service, config, createMailApis, proxy })
  const smtp = stack.use(new SmtpTransport({ ...config, bus, unsealLogin, settings, limits }))
  const transports = { smtp, api: new MailApiTransport({ ...config, ...api }) }
  const { worker } = api.locks
  const senders = await connectSenders(stack, { ...api, worker, recorder, config })
  const attempt = { ...api, ...senders, transports, recorder, writeIntent }
  const dispatcher = stack.use(
    new Dispatcher({ ...attempt, timing: config, lanes, paused, metrics }),
  )
  registerDueAge(registry, { db, paused, suspended: () => dispatcher.suspendedLanes() })
  const retention = { everyMs: retentionIntervalMs, log, name: 'retention' }
  stack.use(runPeriodically(retention, () => runRetention(db, config, log)))
  stack.use(
    await bus.onInvalidate(({ topic }) => void (topic === 'settings' && settings.invalidate())),
  )
  stack.use(await consumeHints(bus, dispatcher))
  const wake = () => dispatcher.wake()
  stack.use(await bus.serve({ queue: 'outbox', handlers: [onChangeOutbox({ db, wake, log })] }))
  stack.use(
    await bus.serve({
      queue: 'verify.smtp',
      handlers: [onVerifySmtp({ settings, unsealLogin, limits })],
      concurrency: verifyConcurrency,
    }),
  )
  service.markStarted()
  const app = stack.move()
  return {
    unfinished: () => ({ ...service.unfinished(), submissions: dispatcher.inFlight }),
    [Symbol.asyncDispose]: () => app.disposeAsync(),
  }
}

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
async function connectApis(
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

/**
 * Consumes hints about new submissions from RabbitMQ. Hints only start the next poll of the outbox
 * (table of submissions) earlier, and one poll serves any number of hints.
 */
function consumeHints(bus: Bus, dispatcher: Dispatcher): Promise<AsyncDisposable> {
  return bus.consume({
    queue: 'sender.submissions',
    schema: SubmissionHint,
    prefetch: 50,
    handle: async () => dispatcher.wake(),
  })
}

/**
 * Deletes the outbox rows of submissions (requests to send a message) that finished more than
 * `keepFinishedMs` ago, and unused quota reserves of mailboxes.
 */
async function runRetention(db: Db, { keepFinishedMs }: Config, log: Logger): Promise<void> {
  const limit = 1_000
  let deleted = 0
  for (let count = limit; count === limit; deleted += count)
    count = await deleteFinished(db, { keepMs: keepFinishedMs, limit })
  await deleteUnusedReserves(db)
  if (deleted > 0) log.info({ deleted }, 'deleted finished submissions')
}

import type { Bus } from '@posthorn/bus'
import { SubmissionHint } from '@posthorn/contracts/hints'
import { batchStatements, cacheSettings, countMinutes, type PublishEvent } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import { proxyFromSettings } from '@posthorn/net/proxy-agents'
import { bootstrap } from '@posthorn/service/bootstrap'
import { watchQueuePause } from '@posthorn/service/queue-pause'
import type { App } from '@posthorn/service/run'
import { createLoginUnsealer } from '@posthorn/unseal'
import { OutcomeRecorder } from './attempt/outcome-recorder.ts'
import { onChangeOutbox } from './commands/change-outbox.ts'
import { onVerifySmtp } from './commands/verify-smtp.ts'
import type { Config } from './config.ts'
import { connectApis, createClients, type CreateMailApis } from './connect-apis.ts'
import { connectSenders } from './connect-senders.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import { Filer } from './dispatch/filer.ts'
import { registerDueAge, senderMetrics } from './metrics.ts'
import { runRetention } from './retention.ts'
import { markDataSent } from './store/outbox.ts'
import type { Handover } from './store/submission.ts'
import { MailApiTransport } from './transports/mail-api/mail-api-transport.ts'
import { SmtpTransport } from './transports/smtp/smtp-transport.ts'

const name = 'sender'
/**
 * Maximum concurrent checks of logins at SMTP servers, for logins that belong to no account yet.
 */
const verifyConcurrency = 20
const retentionIntervalMs = 600_000

/** Dependencies of the sender process that tests replace, such as the clients of mail APIs. */
export interface AppDeps {
  createMailApis?: CreateMailApis
}

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

import type { Bus } from '@posthorn/bus'
import { SubmissionHint } from '@posthorn/contracts'
import { cacheSettings, countMinutes, type Db, inBatches, type PublishEvent } from '@posthorn/db'
import { runPeriodically } from '@posthorn/flow'
import { bootstrap, watchQueuePause } from '@posthorn/service'
import { createLoginUnsealer } from '@posthorn/unseal'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from './config.ts'
import { Dispatcher } from './dispatch/dispatcher.ts'
import { OutcomeRecorder } from './attempt/outcome-recorder.ts'
import { Filer } from './dispatch/filer.ts'
import { senderMetrics } from './metrics.ts'
import { onChangeOutbox } from './commands/change-outbox.ts'
import { countFilings } from './store/filing.ts'
import { type OutboxLease, markDataSent } from './store/outbox.ts'
import { countDue, countHeld, deleteFinished } from './store/maintenance.ts'
import { SmtpTransport } from './transports/smtp-transport.ts'
import { onVerifySmtp } from './commands/verify-smtp.ts'

const name = 'sender'
/** Logins at servers that belong to no account, for whoever tries them out. */
const verificationsAtOnce = 20

/** Builds the service. Whatever it opened is closed in reverse order, also when a later step here fails. */
export async function startApp(config: Config, signal: AbortSignal): Promise<AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const { log, metrics, db, bus } = await bootstrap(opened, { name, config, signal })
  const settings = cacheSettings(db)
  const openLogin = createLoginUnsealer(bus)
  const minutes = opened.use(
    countMinutes(db, { onError: (err) => log.debug({ err }, 'counts wait for Postgres') }),
  )
  const queue = opened.use(await watchQueuePause({ db, bus, log, queue: 'submit' }))
  const paused = () => queue.paused
  const measured = senderMetrics(metrics, { ...gauges(db), paused, minutes })
  const count = (result: 'filed' | 'postponed' | 'failed') => measured.filings.inc({ result })
  const filer = opened.use(new Filer({ ...config, db, bus, log, count }))
  const publish: PublishEvent = (message) => bus.publishEvent(message)
  const onFiling = () => filer.wake()
  const recorder = opened.use(new OutcomeRecorder({ db, settings, publish, onFiling, log }))
  const transport = opened.use(new SmtpTransport(config.smtp))
  const dispatcher = opened.use(
    new Dispatcher({
      ...config,
      db,
      bus,
      openLogin,
      settings,
      transport,
      recorder,
      mark: inBatches((holds: OutboxLease[]) => markAll(db, holds, config.leaseMs)),
      paused,
      log,
      metrics: measured,
    }),
  )
  opened.use(
    runPeriodically({ everyMs: 600_000, log, name: 'clean-up' }, () => cleanUp(db, config, log)),
  )
  opened.use(
    await bus.onInvalidate(({ topic }) => void (topic === 'settings' && settings.invalidate())),
  )
  opened.use(await listenForHints(bus, dispatcher))
  const wake = () => dispatcher.wake()
  opened.use(await bus.serve({ queue: 'outbox', handlers: [onChangeOutbox({ db, wake, log })] }))
  opened.use(
    await bus.serve({
      queue: 'verify.smtp',
      handlers: [onVerifySmtp({ settings, openLogin, limits: config.smtp })],
      concurrency: verificationsAtOnce,
    }),
  )
  return opened.move()
}

function gauges(db: Db) {
  return { due: () => countDue(db), held: () => countHeld(db), filings: () => countFilings(db) }
}

/** A hint wakes the look for due messages: what is due is in the outbox, and one look finds what many hints tell of. */
function listenForHints(bus: Bus, dispatcher: Dispatcher): Promise<AsyncDisposable> {
  return bus.consume({
    queue: 'sender.submissions',
    schema: SubmissionHint,
    prefetch: 50,
    handle: async () => dispatcher.wake(),
  })
}

async function markAll(db: Db, holds: OutboxLease[], leaseMs: number): Promise<boolean[]> {
  const marked = await markDataSent(db, holds, leaseMs)
  return holds.map(({ queueId }) => marked.has(queueId))
}

/** Rows of finished messages are for looking up; their events are elsewhere. */
async function cleanUp(db: Db, { keepFinishedMs }: Config, log: Logger): Promise<void> {
  const limit = 1_000
  let removed = 0
  for (let count = limit; count === limit; removed += count)
    count = await deleteFinished(db, { keepMs: keepFinishedMs, limit })
  if (removed > 0) log.info({ removed }, 'removed rows of finished messages')
}

import { type Bus, connectBus } from '@posthorn/bus'
import { describeConfig } from '@posthorn/config'
import type { Settings } from '@posthorn/contracts'
import { cacheSettings, connect, type Db, ping } from '@posthorn/db'
import { serve } from '@posthorn/http'
import {
  followListener,
  type ListenerAddress,
  Penalties,
  readCertificate,
  waitForSchema,
} from '@posthorn/service'
import { createLogger, createMetrics, type Logger, type Metrics } from '@posthorn/telemetry'
import type { Config } from './config.ts'
import { type ListenerDeps, openListener } from './listener.ts'
import { Buffered } from './receive.ts'

const name = 'smtp-proxy'
/** Messages on their way in, together: ten of the largest. */
const bufferedMessages = 10

/** Builds the service. Whatever it opened is closed in reverse order, also when a later step here fails. */
export async function startApp(config: Config, signal: AbortSignal): Promise<AsyncDisposable> {
  const log = createLogger(name, config.logLevel)
  log.info({ config: describeConfig(config) }, 'starting')
  await using opened = new AsyncDisposableStack()
  const db = opened.adopt(
    connect(config.databaseUrl, {
      name,
      max: config.databasePoolSize,
      onError: (err) => log.warn({ err }, 'lost a connection'),
    }),
    (db) => db.destroy(),
  )
  const metrics = createMetrics(name)
  const bus = opened.use(await connectBus({ url: config.amqpUrl, name, log, metrics }))
  opened.use(
    await serve({
      host: config.host,
      port: config.port,
      log,
      metrics,
      // Without RabbitMQ messages are taken all the same: they are in Postgres, and the sender looks there.
      checks: { postgres: () => ping(db) },
    }),
  )
  await waitForSchema(db, log, signal)
  await startTaking(opened, { config, db, bus, log, metrics })
  return opened.move()
}

interface Parts {
  config: Config
  db: Db
  bus: Bus
  log: Logger
  metrics: Metrics
}

async function startTaking(
  opened: AsyncDisposableStack,
  { config, db, bus, log, metrics }: Parts,
): Promise<void> {
  const settings = cacheSettings(db, { ttlMs: 1_500 })
  const deps: ListenerDeps = {
    db,
    bus,
    settings,
    log,
    penalties: new Penalties(),
    buffered: new Buffered(bufferedMessages * config.maxMessageBytes),
    maxMessageBytes: config.maxMessageBytes,
    maxConnections: config.maxConnections,
    submissions: metrics.counter({
      name: 'smtp_proxy_submissions_total',
      help: 'Messages clients wanted to send',
      labels: ['result'],
    }),
  }
  const certificate = () => readCertificate(config.tlsCert, config.tlsKey)
  const listener = opened.use(
    followListener({
      log,
      wanted: async () => wantedAddress(await settings.get(), (await certificate())?.revision),
      open: async (address) => openListener(address, await certificate(), deps),
    }),
  )
  opened.use(
    await bus.onInvalidate(({ topic }) => {
      if (topic !== 'settings') return
      settings.invalidate()
      listener.wake()
    }),
  )
}

/** Where the settings have us listen; `revision` is the certificate's. */
export function wantedAddress(
  settings: Settings,
  revision: string | undefined,
): ListenerAddress | undefined {
  const { smtpServerEnabled, smtpServerHost, smtpServerPort, smtpServerTLSEnabled } = settings
  if (!smtpServerEnabled) return undefined
  return {
    host: smtpServerHost ?? '127.0.0.1',
    port: smtpServerPort ?? 2525,
    tls: smtpServerTLSEnabled ?? false,
    ...(revision === undefined ? {} : { revision }),
  }
}

import type { Bus } from '@posthorn/bus'
import type { Settings } from '@posthorn/contracts'
import { cacheSettings, type Db, ping } from '@posthorn/db'
import {
  followListener,
  type ListenerAddress,
  Penalties,
  readCertificate,
  openGround,
} from '@posthorn/service'
import type { Logger, Metrics } from '@posthorn/telemetry'
import type { Config } from './config.ts'
import { type ListenerDeps, openListener } from './listener.ts'
import { Buffered } from './receive.ts'

const name = 'smtp-proxy'
/** Messages on their way in, together: ten of the largest. */
const bufferedMessages = 10

/** Builds the service. Whatever it opened is closed in reverse order, also when a later step here fails. */
export async function startApp(config: Config, signal: AbortSignal): Promise<AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const { log, metrics, db, bus } = await openGround(opened, {
    name,
    config,
    signal,
    // Without RabbitMQ messages are taken all the same: they are in Postgres, and the sender looks there.
    checks: ({ db }) => ({ postgres: () => ping(db) }),
  })
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

import type { Bus } from '@posthorn/bus'
import type { Settings } from '@posthorn/contracts'
import { cacheSettings, type Db, ping } from '@posthorn/db'
import { startTokenLog } from '@posthorn/access'
import { KeyedSemaphore } from '@posthorn/flow'
import { ClientSessions, startMailListener, LoginThrottle } from '@posthorn/mail-frontend'
import { bootstrap } from '@posthorn/service'
import type { Logger, Metrics } from '@posthorn/telemetry'
import { serverPassword } from './access.ts'
import type { Config } from './config.ts'
import { Guests } from './guests.ts'
import { KnownClients } from './known-clients.ts'
import { type DoorAddress, type ListenerDeps, openListener } from './listener.ts'
import { Buffered } from './receive.ts'
import { listAccounts } from './store/accounts.ts'

const name = 'smtp-proxy'

/** Builds the service. Whatever it opened is closed in reverse order, also when a later step here fails. */
export async function startApp(config: Config, signal: AbortSignal): Promise<AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const { log, metrics, db, bus } = await bootstrap(opened, {
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
  const tokenLog = opened.use(startTokenLog(db, settings, { log }))
  const sessions = new ClientSessions()
  const deps: ListenerDeps = {
    db,
    bus,
    settings,
    tokenLog,
    log,
    config,
    penalties: new LoginThrottle(),
    buffered: new Buffered(config.maxBufferedBytes),
    guests: new Guests(new KeyedSemaphore(config.maxPendingPerAddress)),
    clients: new KnownClients(sessions),
    closing: new Set(),
    submissions: metrics.counter({
      name: 'smtp_proxy_submissions_total',
      help: 'Messages clients wanted to send',
      labels: ['result'],
    }),
  }
  // Closed after the listener: what it leaves in hand is brought to its end while there is still a database.
  opened.defer(async () => void (await Promise.all(deps.closing)))
  await startMailListener(opened, {
    db,
    bus,
    log,
    settings,
    sessions,
    config,
    policy: {
      scope: 'smtp',
      password: serverPassword,
      usableAccounts: (accounts) => listAccounts(db, accounts),
    },
    resolveAddress: wantedAddress,
    start: (address, certificate) => openListener(address, certificate, deps),
  })
}

/** Where and how the settings have us listen; `certificate` changes with the certificate's contents. */
export function wantedAddress(
  settings: Settings,
  certificate: string | undefined,
): DoorAddress | undefined {
  if (!settings.smtpServerEnabled) return undefined
  const proxy = settings.smtpServerProxy ?? false
  const needsLogin = settings.smtpServerAuthEnabled ?? true
  return {
    host: settings.smtpServerHost ?? '127.0.0.1',
    port: settings.smtpServerPort ?? 2525,
    tls: settings.smtpServerTLSEnabled ?? false,
    proxy,
    needsLogin,
    revision: JSON.stringify([certificate, proxy, needsLogin]),
  }
}

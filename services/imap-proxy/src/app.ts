import type { Bus } from '@posthorn/bus'
import type { Settings } from '@posthorn/contracts'
import { cacheSettings, type Db } from '@posthorn/db'
import { startTokenLog } from '@posthorn/access'
import { KeyedSemaphore } from '@posthorn/flow'
import {
  ClientSessions,
  type ReloadableListener,
  LoginThrottle,
  startMailListener,
} from '@posthorn/mail-frontend'
import { bootstrap } from '@posthorn/service'
import { createLoginUnsealer } from '@posthorn/unseal'
import type { Logger } from '@posthorn/telemetry'
import { serverPassword } from './access.ts'
import type { Config } from './config.ts'
import { createInstruments, type Instruments } from './instruments.ts'
import { LargePieces } from './large-pieces.ts'
import { type DoorAddress, type ListenerDeps, openListener } from './listener.ts'
import { TlsTickets } from './tls-tickets.ts'
import { listUsableAccounts } from './store/accounts.ts'

const name = 'imap-proxy'

/** Builds the service. Whatever it opened is closed in reverse order, also when a later step here fails. */
export async function startApp(config: Config, signal: AbortSignal): Promise<AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const { log, metrics, db, bus } = await bootstrap(opened, { name, config, signal })
  const sessions = new ClientSessions()
  const pending: ListenerDeps['pending'] = new Set()
  const instruments = createInstruments(metrics, { sessions, pending })
  await startTaking(opened, { config, db, bus, log, sessions, pending, instruments })
  return opened.move()
}

interface Parts {
  config: Config
  db: Db
  bus: Bus
  log: Logger
  sessions: ClientSessions
  pending: ListenerDeps['pending']
  instruments: Instruments
}

async function startTaking(
  opened: AsyncDisposableStack,
  { config, ...parts }: Parts,
): Promise<void> {
  const { db, bus, log, sessions } = parts
  const settings = cacheSettings(db, { ttlMs: 1_500 })
  const tokenLog = opened.use(startTokenLog(db, settings, { log }))
  const deps: ListenerDeps = {
    ...parts,
    settings,
    openLogin: createLoginUnsealer(bus),
    tokenLog,
    trustedProxies: config.trustedProxies,
    egress: config.mailEgressPolicy,
    large: new LargePieces(),
    tickets: new TlsTickets(),
    penalties: new LoginThrottle(),
    places: new KeyedSemaphore(config.maxSessionsPerAccount),
    pendingPlaces: new KeyedSemaphore(config.maxPendingPerAddress),
    maxPending: config.maxPending,
    ownPort: () => door.address?.port,
  }
  opened.defer(async () => {
    for (const connection of deps.pending) connection.end('Shutting down')
    await sessions.endAll('Shutting down', config.goodbyesMs)
  })
  const door: ReloadableListener = await startMailListener(opened, {
    db,
    bus,
    log,
    settings,
    sessions,
    config,
    policy: {
      scope: 'imap-proxy',
      password: serverPassword,
      usableAccounts: (accounts) => listUsableAccounts(db, accounts),
    },
    resolveAddress: async (settings, certificate) => {
      const wanted = wantedAddress(settings, certificate)
      if (!wanted && sessions.size > 0)
        await sessions.endAll('The proxy was switched off', config.goodbyesMs)
      return wanted
    },
    start: (address, certificate) => openListener(address, certificate, deps),
  })
}

/** Where and how the settings have us listen; `certificate` changes with the certificate's contents. */
export function wantedAddress(
  settings: Settings,
  certificate: string | undefined,
): DoorAddress | undefined {
  if (!settings.imapProxyServerEnabled) return undefined
  const proxy = settings.imapProxyServerProxy ?? false
  return {
    host: settings.imapProxyServerHost ?? '127.0.0.1',
    port: settings.imapProxyServerPort ?? 2993,
    tls: settings.imapProxyServerTLSEnabled ?? false,
    proxy,
    revision: JSON.stringify([certificate, proxy]),
  }
}

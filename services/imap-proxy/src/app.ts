import type { Bus } from '@posthorn/bus'
import type { Invalidation, Settings } from '@posthorn/contracts'
import { cacheSettings, type Db } from '@posthorn/db'
import {
  everyFew,
  followListener,
  type ListenerAddress,
  Penalties,
  Places,
  readCertificate,
  openGround,
} from '@posthorn/service'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from './config.ts'
import { createInstruments, type Instruments } from './instruments.ts'
import { type ListenerDeps, openListener } from './listener.ts'
import { revalidate } from './revalidate.ts'
import { Sessions } from './sessions.ts'

const name = 'imap-proxy'
/** With the time a notice takes, well within the five seconds after which a revoked token's sessions are over. */
const revalidateMs = 2_000
const spreadMs = 5_000

/** Builds the service. Whatever it opened is closed in reverse order, also when a later step here fails. */
export async function startApp(config: Config, signal: AbortSignal): Promise<AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const { log, metrics, db, bus } = await openGround(opened, { name, config, signal })
  const sessions = new Sessions()
  const instruments = createInstruments(metrics, sessions)
  await startTaking(opened, { config, db, bus, log, sessions, instruments })
  return opened.move()
}

interface Parts {
  config: Config
  db: Db
  bus: Bus
  log: Logger
  sessions: Sessions
  instruments: Instruments
}

async function startTaking(
  opened: AsyncDisposableStack,
  { config, sessions, ...parts }: Parts,
): Promise<void> {
  const { db, bus, log } = parts
  const settings = cacheSettings(db, { ttlMs: 1_500 })
  const deps: ListenerDeps = {
    ...parts,
    sessions,
    settings,
    penalties: new Penalties(),
    places: new Places(config.maxSessionsPerAccount),
    pendingPlaces: new Places(config.maxPendingPerAddress),
    pending: new Set(),
    ownPort: () => listener.address?.port,
  }
  const checking = opened.use(
    everyFew({ everyMs: revalidateMs, log, name: 'sessions' }, () => revalidate(db, sessions)),
  )
  opened.defer(async () => {
    for (const connection of deps.pending) connection.end('Shutting down')
    await sessions.endAll('Shutting down', spreadMs)
  })
  const certificate = () => readCertificate(config.tlsCert, config.tlsKey)
  const listener = opened.use(
    followListener({
      log,
      wanted: async () => {
        const wanted = wantedAddress(await settings.get(), (await certificate())?.revision)
        if (!wanted && sessions.size > 0)
          await sessions.endAll('The proxy was switched off', spreadMs)
        return wanted
      },
      open: async (address) => openListener(address, await certificate(), deps),
    }),
  )
  opened.use(
    await bus.onInvalidate(({ topic }: Invalidation) => {
      if (topic === 'settings') {
        settings.invalidate()
        listener.wake()
      }
      if (topic === 'tokens' || topic === 'accounts') checking.wake()
    }),
  )
}

/** Where the settings have us listen; `revision` is the certificate's. */
export function wantedAddress(
  settings: Settings,
  revision: string | undefined,
): ListenerAddress | undefined {
  const {
    imapProxyServerEnabled,
    imapProxyServerHost,
    imapProxyServerPort,
    imapProxyServerTLSEnabled,
  } = settings
  if (!imapProxyServerEnabled) return undefined
  return {
    host: imapProxyServerHost ?? '127.0.0.1',
    port: imapProxyServerPort ?? 2993,
    tls: imapProxyServerTLSEnabled ?? false,
    ...(revision === undefined ? {} : { revision }),
  }
}

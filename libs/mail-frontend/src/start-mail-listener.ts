import type { Bus } from '@posthorn/bus'
import { defined } from '@posthorn/contracts/defined'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { type Db, readSettings, recordProxyState, type SettingsCache } from '@posthorn/db'
import type { Certificate } from '@posthorn/service/certificate'
import type { Logger } from '@posthorn/telemetry'
import type { ClientSessions } from './client-sessions.ts'
import type { ProxyConfig } from './proxy-config.ts'
import type { ProxyKind } from './proxy-kinds.ts'
import {
  type Listener,
  type ListenerAddress,
  type ReloadableListener,
  startReloadableListener,
} from './reloadable-listener.ts'
import { revalidateSessions, type UsableAccounts } from './revalidate-sessions.ts'
import type { ListenerCertificate } from './state/listener-certificate.ts'

export interface MailListenerDeps {
  kind: ProxyKind
  db: Db
  bus: Bus
  log: Logger
  settings: SettingsCache
  sessions: ClientSessions
  certificate: ListenerCertificate
  config: Pick<ProxyConfig, 'tlsPort'>
}

/** Parts of a mail listener that depend on the protocol (IMAP or SMTP). */
export interface MailListener<A extends ListenerAddress> {
  usableAccounts: UsableAccounts
  /**
   * Adds the options of the protocol (IMAP or SMTP) to the listener address that is read from the
   * settings.
   */
  completeAddress: (address: ListenerAddress, settings: Settings) => A
  /** Called before the mail listener closes because the settings disable the listener. */
  onDisabled?: () => Promise<void>
  start: (address: A, certificate: Certificate | undefined) => Promise<Listener>
}

/**
 * Starts a listener for mail clients and the revalidation of the clients' sessions, until `stack`
 * is disposed. Changed settings apply when a broadcast announces the change, a changed certificate
 * within 2 s.
 */
export async function startMailListener<A extends ListenerAddress>(
  stack: AsyncDisposableStack,
  { kind, db, bus, log, settings, sessions, certificate, config }: MailListenerDeps,
  { usableAccounts, completeAddress, onDisabled, start }: MailListener<A>,
): Promise<ReloadableListener<A>> {
  const resolveAddress = async (current: Settings): Promise<A | undefined> => {
    // A certificate of the mail listener that cannot be read must not keep the settings from
    // closing the listener.
    if (!current[`${kind.settings}Enabled`]) {
      certificate.clear()
      return undefined
    }
    const address = listenerAddress(kind, current, (await certificate.read())?.revision)
    return address && completeAddress(address, current)
  }
  const revalidation = revalidateSessions(stack, sessions, { db, log, kind, usableAccounts })
  let listener: ReloadableListener<A> | undefined
  stack.use(
    await bus.onInvalidate(({ topic }) => {
      if (topic === 'settings') {
        settings.invalidate()
        listener?.wake()
      }
      // Sessions of mail clients are revalidated after changed settings, too, because the server
      // password (admits a mail client to every account) is a setting.
      revalidation.wake()
    }),
  )
  listener = stack.use(
    startReloadableListener({
      log,
      resolveAddress: async () => resolveAddress(await settings.get()),
      readAddress: async () => {
        const address = await resolveAddress(await readSettings(db))
        // Invalidates the cached settings, so that the mail listener follows the settings that were
        // just read from Postgres.
        settings.invalidate()
        return address
      },
      ...defined({ onDisabled }),
      start: async (address) => {
        const read = await certificate.read()
        return startWithTlsPort(address, config.tlsPort, async (each) => {
          assertCertificate(kind, each, read)
          return start(each, read)
        })
      },
      onState: async (state, error) => {
        const change = { state, ...defined({ error: error?.message }) }
        try {
          await recordProxyState(db, kind.stateChange, change)
        } catch (err) {
          log.warn({ err, state }, 'recording the listener state failed')
        }
      },
    }),
  )
  return listener
}

/**
 * Returns the listening address that the settings of a mail proxy name, or undefined if the proxy
 * is disabled. `certificate` identifies the certificate's contents; a change of the contents
 * restarts the listener.
 */
export function listenerAddress(
  { settings: prefix, defaultPort }: Pick<ProxyKind, 'settings' | 'defaultPort'>,
  settings: Settings,
  certificate: string | undefined,
): ListenerAddress | undefined {
  if (!settings[`${prefix}Enabled`]) return undefined
  const proxy = settings[`${prefix}Proxy`] ?? false
  return {
    host: settings[`${prefix}Host`] ?? '127.0.0.1',
    port: settings[`${prefix}Port`] ?? defaultPort,
    tls: settings[`${prefix}TLSEnabled`] ?? false,
    proxy,
    revision: JSON.stringify([certificate, proxy]),
  }
}

function assertCertificate(
  { variables: { tlsCert, tlsKey } }: ProxyKind,
  { tls }: ListenerAddress,
  certificate: Certificate | undefined,
): void {
  if (tls && !certificate) throw new Error(`TLS is on, but ${tlsCert} and ${tlsKey} are not set`)
}

/**
 * Starts a listener for mail clients at the address of the settings and, if there is a TLS port, a
 * second listener at that port. If the second listener cannot start, the first listener is closed.
 * Disposal closes both listeners.
 */
export async function startWithTlsPort<A extends ListenerAddress>(
  address: A,
  tlsPort: number | undefined,
  start: (address: A) => Promise<Listener>,
): Promise<Listener> {
  await using stack = new AsyncDisposableStack()
  stack.use(await start(address))
  if (tlsPort !== undefined) stack.use(await start({ ...address, port: tlsPort, tls: true }))
  return stack.move()
}

import type { Bus } from '@posthorn/bus'
import type { Secret } from '@posthorn/config'
import { defined } from '@posthorn/contracts/defined'
import type { Settings } from '@posthorn/contracts/settings/settings'
import {
  type Db,
  type ProxyChangeType,
  readSettings,
  recordProxyState,
  type SettingsCache,
} from '@posthorn/db'
import { type Certificate, readCertificate } from '@posthorn/service/certificate'
import type { Logger } from '@posthorn/telemetry'
import type { ClientSessions } from './client-sessions.ts'
import {
  type Listener,
  type ListenerAddress,
  type ReloadableListener,
  startReloadableListener,
} from './reloadable-listener.ts'
import { revalidateSessions, type SessionPolicy } from './revalidate-sessions.ts'

export interface MailListenerOptions<A extends ListenerAddress> {
  db: Db
  bus: Bus
  log: Logger
  settings: SettingsCache
  sessions: ClientSessions
  policy: SessionPolicy
  /** Certificate and key, as PEM text or as paths of PEM files. */
  config: { tlsCert: string | undefined; tlsKey: Secret | undefined }
  /** Returns the address set in the settings; undefined if the listener is off. */
  resolveAddress: (settings: Settings, certificateRevision: string | undefined) => A | undefined
  /** Called before the listener closes because the settings disable the listener. */
  onDisabled?: () => Promise<void>
  start: (address: A, certificate: Certificate | undefined) => Promise<Listener>
}

/** Kind of the changes in `GET /v1/changes`. */
const changeTypeOf: Record<SessionPolicy['scope'], ProxyChangeType> = {
  'imap-proxy': 'imapProxyServerState',
  smtp: 'smtpServerState',
}

/**
 * Starts a listener for mail clients and the revalidation of its sessions, both until `stack` is
 * disposed. Changes of settings apply on their invalidation, changes of the certificate within 2 s.
 */
export async function startMailListener<A extends ListenerAddress>(
  stack: AsyncDisposableStack,
  options: MailListenerOptions<A>,
): Promise<ReloadableListener<A>> {
  const { db, bus, log, settings, sessions, policy, config, resolveAddress, onDisabled } = options
  const certificate = () => readCertificate(config.tlsCert, config.tlsKey)
  const revalidation = revalidateSessions(stack, sessions, { db, log, policy })
  let listener: ReloadableListener<A> | undefined
  stack.use(
    await bus.onInvalidate(({ topic }) => {
      if (topic === 'settings') {
        settings.invalidate()
        listener?.wake()
      }
      // Revalidates also after changed settings, because the server password is a setting.
      revalidation.wake()
    }),
  )
  listener = stack.use(
    startReloadableListener({
      log,
      resolveAddress: async () =>
        resolveAddress(await settings.get(), (await certificate())?.revision),
      readAddress: async () => {
        const stored = await readSettings(db)
        const address = resolveAddress(stored, (await certificate())?.revision)
        // Invalidates the cached settings, because the listener would otherwise follow the cached
        // settings only.
        settings.invalidate()
        return address
      },
      ...defined({ onDisabled }),
      start: async (address) => options.start(address, await certificate()),
      onState: async (state, error) => {
        const change = { state, ...defined({ error: error?.message }) }
        try {
          await recordProxyState(db, changeTypeOf[policy.scope], change)
        } catch (err) {
          log.warn({ err, state }, 'recording the listener state failed')
        }
      },
    }),
  )
  return listener
}

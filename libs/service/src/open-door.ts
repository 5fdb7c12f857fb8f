import type { Bus } from '@posthorn/bus'
import type { Secret } from '@posthorn/config'
import type { Settings } from '@posthorn/contracts'
import type { Db, SettingsCache } from '@posthorn/db'
import type { Logger } from '@posthorn/telemetry'
import { type Certificate, readCertificate } from './certificate.ts'
import { type DoorRules, type DoorSessions, watchSessions } from './door-sessions.ts'
import {
  type FollowedListener,
  followListener,
  type Listener,
  type ListenerAddress,
} from './follow-listener.ts'

export interface DoorOptions<A extends ListenerAddress> {
  db: Db
  bus: Bus
  log: Logger
  settings: SettingsCache
  sessions: DoorSessions
  rules: DoorRules
  /** PEM, or the paths of files with it. */
  config: { tlsCert: string | undefined; tlsKey: Secret | undefined }
  /** Where and how the settings have it listen, undefined: nowhere. `certificate` changes with the certificate's contents. */
  wanted: (
    settings: Settings,
    certificate: string | undefined,
  ) => A | undefined | Promise<A | undefined>
  open: (address: A, certificate: Certificate | undefined) => Promise<Listener>
}

/**
 * Opens a door for mail clients, which follows its settings and its certificate and looks after its sessions, with `opened`: a change
 * that is told of shows at once, any other within two seconds.
 */
export async function openDoor<A extends ListenerAddress>(
  opened: AsyncDisposableStack,
  { db, bus, log, settings, sessions, rules, config, wanted, open }: DoorOptions<A>,
): Promise<FollowedListener<A>> {
  const certificate = () => readCertificate(config.tlsCert, config.tlsKey)
  const checking = watchSessions(opened, sessions, { db, log, rules })
  let listener: FollowedListener<A> | undefined
  opened.use(
    await bus.onInvalidate(({ topic }) => {
      if (topic === 'settings') {
        settings.invalidate()
        listener?.wake()
      }
      // Settings as well: the password for all accounts is one.
      checking.wake()
    }),
  )
  listener = opened.use(
    followListener({
      log,
      wanted: async () => wanted(await settings.get(), (await certificate())?.revision),
      open: async (address) => open(address, await certificate()),
    }),
  )
  return listener
}

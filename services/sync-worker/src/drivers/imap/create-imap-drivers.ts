import type { ImapBackend } from '@posthorn/backends'
import type { CommandHandler } from '@posthorn/bus'
import type { CreateDriver } from '../account-driver.ts'
import { createCredentialsClient } from '../credentials.ts'
import type { DriverParts } from '../driver-parts.ts'
import { onVerifyImap } from './commands/verify-imap.ts'
import { createConnector, createServerOptions } from './connections/connect.ts'
import { IdleConnections } from './connections/idle-connections.ts'
import { createLoginLimiter } from './connections/login-limiter.ts'
import { createCommandDeps, ImapDriver, type ImapDriverDeps } from './imap-driver.ts'
import { indexEmptyMailboxes } from './sync/changes/initial-sync.ts'

interface ImapDriverOptions {
  backend: ImapBackend
  /** Logins per second that this worker may start at one host. */
  loginsPerSecond: () => number
}

interface ImapDrivers {
  createDriver: CreateDriver
  /** Handler of test logins at servers without an account. */
  verifyImap: CommandHandler
}

/** Creates the parts that all IMAP accounts of a worker share. */
export function createImapDrivers(
  parts: DriverParts,
  { backend, loginsPerSecond }: ImapDriverOptions,
): ImapDrivers {
  const { commit, config, connections, log, reader, summaries, transcripts } = parts
  const { bus, db, settings } = commit
  const { unsealLogin, worker } = parts
  const getServerOptions = createServerOptions({ settings, unsealLogin, config })
  const logins = createLoginLimiter({ ...config.logins, perSecond: loginsPerSecond })
  const credentials = createCredentialsClient(bus, worker)
  const connector = { backend, settings, credentials, getServerOptions, logins, config }
  const indexEmpty = indexEmptyMailboxes(commit)
  const deps: ImapDriverDeps = {
    sync: { ...commit, config, summaries, reader, indexEmpty },
    connect: createConnector({ ...connector, connections, transcripts, log }),
    idleConnections: new IdleConnections(config.commandIdleConnections),
    config,
    commands: createCommandDeps({ db, settings, reader }),
    loginKeyOf: (host) => logins.keyOf(host),
  }
  return {
    createDriver: (context) => new ImapDriver(deps, context),
    verifyImap: onVerifyImap({ backend, getServerOptions, log }),
  }
}

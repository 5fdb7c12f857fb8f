import type { ImapBackend } from '@posthorn/backends'
import type { CommandHandler } from '@posthorn/bus'
import { Semaphore } from '@posthorn/flow'
import type {
  AccountCommandName,
  AccountCommandTable,
  AccountDriver,
  AccountReply,
  AccountRequest,
  CommandLimits,
  CreateDriver,
  DriverContext,
} from '../account-driver.ts'
import { assertConnected } from '../availability.ts'
import { type AccountCommand, withMailSession } from './commands/account.ts'
import { createMailbox, deleteMailbox, updateMailbox } from './commands/change-mailbox.ts'
import { deleteMessage, moveMessage, updateMessage } from './commands/change-message.ts'
import { getAttachment, getMessageSource } from './commands/download.ts'
import { fileSent, type FilingDeps, findSent, maxCopyBytes } from './commands/file-sent.ts'
import { getMessage, getText } from './commands/get-message.ts'
import { listMailboxes } from './commands/list-mailboxes.ts'
import { listMessages, searchMessages } from './commands/list-messages.ts'
import { BounceCache } from '../messages/bounce-cache.ts'
import { MailboxCache } from './commands/read-caches.ts'
import { deleteMessages, moveMessages, updateMessages } from './commands/update-matches.ts'
import { maxUploadBytes, type UploadDeps, uploadMessage } from './commands/upload-message.ts'
import { ImapAccountSession, type ImapSessionDeps } from './connections/imap-account-session.ts'
import { createCredentialsClient } from '../credentials.ts'
import type { DriverParts } from '../driver-parts.ts'
import { onVerifyImap } from './commands/verify-imap.ts'
import { createConnector, createServerOptions } from './connections/connect.ts'
import { IdleConnections } from './connections/idle-connections.ts'
import { createLoginLimiter } from './connections/login-limiter.ts'
import { type ExportReadDeps, maxLateBytes } from './exports/export-batch.ts'
import { ImapExports } from './exports/imap-exports.ts'
import { indexEmptyMailboxes } from './sync/changes/initial-sync.ts'

/** Dependencies of commands to IMAP accounts, shared by all accounts of a worker. */
type ImapCommandDeps = ExportReadDeps & FilingDeps & UploadDeps

interface ImapDriverDeps extends ImapSessionDeps {
  readonly commands: ImapCommandDeps
  /** Returns the key by which logins at a mail server's host are limited. */
  readonly loginKeyOf: (host: string) => string
}

const commands: AccountCommandTable<[AccountCommand, ImapCommandDeps]> = {
  listMailboxes,
  createMailbox,
  updateMailbox,
  deleteMailbox,
  listMessages,
  searchMessages,
  getMessage,
  getText,
  getMessageSource,
  getAttachment,
  uploadMessage,
  updateMessage,
  moveMessage,
  deleteMessage,
  updateMessages,
  moveMessages,
  deleteMessages,
  fileSent,
  findSent,
  /** Returns no version of a draft, because each change of a draft changes its UID. */
  getDraftVersion: async () => ({}),
  /** Returns no signatures, because IMAP servers do not store signatures. */
  listSignatures: async () => ({ signatures: [], signaturesSupported: false }),
  getQuota: (_request, target) =>
    withMailSession(target, { mayBorrow: true }, async (mail) => ({
      quota: (await mail.quota()) ?? false,
    })),
  /** Requests a full sync of the account. Requests before the start of the sync are merged. */
  async syncAccount(_request, { session }) {
    session.context.sync.request({ all: true })
    return { sync: true }
  },
}

/**
 * Commands that the IMAP driver accepts without a connection. Some of these commands validate the
 * request first.
 */
const checkLater: ReadonlySet<AccountCommandName> = new Set([
  'listMailboxes',
  'listMessages',
  'searchMessages',
  'moveMessage',
  'getDraftVersion',
  'listSignatures',
])

/** Account commands that read nothing from the mail server, so that they do not hasten a login. */
const withoutLogin: ReadonlySet<AccountCommandName> = new Set(['getDraftVersion', 'listSignatures'])

/** Account driver for IMAP: runs the commands of one account and syncs the account. */
class ImapDriver implements AccountDriver {
  readonly exports: ImapExports
  readonly #deps: ImapDriverDeps
  readonly #session: ImapAccountSession

  constructor(deps: ImapDriverDeps, context: DriverContext) {
    this.#deps = deps
    this.#session = new ImapAccountSession(deps, context)
    this.exports = new ImapExports(this.#session, deps.commands)
  }

  get loginKey(): string | undefined {
    const { account } = this.#session
    return account && this.#deps.loginKeyOf(account.imap.host)
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.#session.follow(signal)
  }

  async run<Name extends AccountCommandName>(
    name: Name,
    request: AccountRequest<Name>,
    { signal }: CommandLimits,
  ): Promise<AccountReply<Name>> {
    const session = this.#session
    if (!withoutLogin.has(name)) session.ask()
    if (!checkLater.has(name) || session.state === 'paused') assertConnected(session.context)
    return commands[name](
      request,
      { account: request.account, session, signal },
      this.#deps.commands,
    )
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#session[Symbol.asyncDispose]()
  }
}

interface ImapDriverOptions {
  backend: ImapBackend
  /** Rate limit of the logins that this worker starts at one host. */
  loginsPerSecond: () => number
}

interface ImapDrivers {
  createDriver: CreateDriver
  /** Handler of commands that test a login at an IMAP server without an account. */
  verifyImap: CommandHandler
}

/** Creates the IMAP objects of a worker that the drivers of all its accounts share. */
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
    commands: {
      db,
      settings,
      reader,
      mailboxes: new MailboxCache(),
      bounces: new BounceCache(),
      copyMemory: new Semaphore(maxCopyBytes),
      uploadMemory: new Semaphore(maxUploadBytes),
      exportMemory: new Semaphore(maxLateBytes),
    },
    loginKeyOf: (host) => logins.keyOf(host),
  }
  return {
    createDriver: (context) => new ImapDriver(deps, context),
    verifyImap: onVerifyImap({ backend, getServerOptions, log }),
  }
}

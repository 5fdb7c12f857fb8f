import { Semaphore } from '@posthorn/flow'
import type {
  AccountCommandName,
  AccountCommandTable,
  AccountDriver,
  AccountReply,
  AccountRequest,
  CommandLimits,
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
import { MailboxCache, type ReadDeps } from './commands/read-caches.ts'
import { deleteMessages, moveMessages, updateMessages } from './commands/update-matches.ts'
import { maxUploadBytes, type UploadDeps, uploadMessage } from './commands/upload-message.ts'
import { ImapAccountSession, type ImapSessionDeps } from './connections/imap-account-session.ts'

/** Dependencies of commands, shared by all accounts of a worker. */
export type ImapCommandDeps = ReadDeps & FilingDeps & UploadDeps

/** Creates the parts that the commands of all accounts share: caches, and limits of memory. */
export function createCommandDeps(
  deps: Pick<ReadDeps, 'db' | 'settings' | 'reader'>,
): ImapCommandDeps {
  return {
    ...deps,
    mailboxes: new MailboxCache(),
    bounces: new BounceCache(),
    copyMemory: new Semaphore(maxCopyBytes),
    uploadMemory: new Semaphore(maxUploadBytes),
  }
}

export interface ImapDriverDeps extends ImapSessionDeps {
  readonly commands: ImapCommandDeps
  /** Key of the login limits of a host. */
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
  /** The UID of a draft changes with the draft. */
  getDraftVersion: async () => ({}),
  /** IMAP servers store no signatures. */
  listSignatures: async () => ({ signatures: [], signaturesSupported: false }),
  getQuota: (_request, target) =>
    withMailSession(target, { mayBorrow: true }, async (mail) => ({
      quota: (await mail.quota()) ?? false,
    })),
  /** Requests a full sync. Requests that arrive before the sync starts are merged into the sync. */
  async syncAccount(_request, { session }) {
    session.context.sync.request({ all: true })
    return { sync: true }
  },
}

/** Commands that need no connection, or that validate their request before the connection. */
const checkLater: ReadonlySet<AccountCommandName> = new Set([
  'listMailboxes',
  'listMessages',
  'searchMessages',
  'moveMessage',
  'getDraftVersion',
  'listSignatures',
])

/** Driver of an account at an IMAP server. */
export class ImapDriver implements AccountDriver {
  readonly #deps: ImapDriverDeps
  readonly #session: ImapAccountSession

  constructor(deps: ImapDriverDeps, context: DriverContext) {
    this.#deps = deps
    this.#session = new ImapAccountSession(deps, context)
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
    session.ask()
    if (!checkLater.has(name)) assertConnected(session.context)
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

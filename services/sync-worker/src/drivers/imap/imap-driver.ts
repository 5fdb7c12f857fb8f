import { fieldError } from '@posthorn/contracts/describe-error'
import { validationError } from '@posthorn/contracts/validate'
import { Semaphore } from '@posthorn/flow'
import type { AccountCommandName, AccountDriver, DriverContext } from '../account-driver.ts'
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

type Call<Name extends AccountCommandName> = Parameters<AccountDriver[Name]>

/** Driver of an account at an IMAP server. `commands` has the functions of the driver's methods. */
export class ImapDriver implements AccountDriver {
  readonly #deps: ImapDriverDeps
  readonly #commands: ImapCommandDeps
  readonly #session: ImapAccountSession

  constructor(deps: ImapDriverDeps, context: DriverContext) {
    this.#deps = deps
    this.#commands = deps.commands
    this.#session = new ImapAccountSession(deps, context)
  }

  get loginKey(): string | undefined {
    const { account } = this.#session
    return account && this.#deps.loginKeyOf(account.imap.host)
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.#session.follow(signal)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#session[Symbol.asyncDispose]()
  }

  async listMailboxes(...[request, signal]: Call<'listMailboxes'>) {
    return listMailboxes(this.#commands, request, this.#target(request, signal))
  }

  async createMailbox(...[request, signal]: Call<'createMailbox'>) {
    return createMailbox(request, this.#connected(request, signal))
  }

  async updateMailbox(...[request, signal]: Call<'updateMailbox'>) {
    return updateMailbox(this.#commands, request, this.#connected(request, signal))
  }

  async deleteMailbox(...[request, signal]: Call<'deleteMailbox'>) {
    return deleteMailbox(this.#commands, request, this.#connected(request, signal))
  }

  async listMessages(...[request, signal]: Call<'listMessages'>) {
    return listMessages(this.#commands, request, this.#target(request, signal))
  }

  async searchMessages(...[request, signal]: Call<'searchMessages'>) {
    const { path, useOutlookSearch: _ignored, ...search } = request
    // IMAP searches one mailbox at a time.
    if (path === undefined) throw validationError([fieldError('path', 'is required')])
    return searchMessages(this.#commands, { ...search, path }, this.#target(request, signal))
  }

  async getMessage(...[request, signal]: Call<'getMessage'>) {
    return getMessage(this.#commands, request, this.#connected(request, signal))
  }

  async getText(...[request, signal]: Call<'getText'>) {
    return getText(this.#commands, request, this.#connected(request, signal))
  }

  async getMessageSource(...[request, signal]: Call<'getMessageSource'>) {
    return getMessageSource(this.#commands, request, this.#connected(request, signal))
  }

  async getAttachment(...[request, signal]: Call<'getAttachment'>) {
    return getAttachment(this.#commands, request, this.#connected(request, signal))
  }

  async uploadMessage(...[request, signal]: Call<'uploadMessage'>) {
    return uploadMessage(this.#commands, request, this.#connected(request, signal))
  }

  async updateMessage(...[request, signal]: Call<'updateMessage'>) {
    return updateMessage(this.#commands, request, this.#connected(request, signal))
  }

  async moveMessage(...[request, signal]: Call<'moveMessage'>) {
    // The message id of an IMAP account names the mailbox.
    if (request.source !== undefined)
      throw validationError([fieldError('source', 'is for accounts on a mail API')])
    return moveMessage(this.#commands, request, this.#connected(request, signal))
  }

  async deleteMessage(...[request, signal]: Call<'deleteMessage'>) {
    return deleteMessage(this.#commands, request, this.#connected(request, signal))
  }

  async updateMessages(...[request, signal]: Call<'updateMessages'>) {
    return updateMessages(this.#commands, request, this.#connected(request, signal))
  }

  async moveMessages(...[request, signal]: Call<'moveMessages'>) {
    return moveMessages(this.#commands, request, this.#connected(request, signal))
  }

  async deleteMessages(...[request, signal]: Call<'deleteMessages'>) {
    return deleteMessages(this.#commands, request, this.#connected(request, signal))
  }

  /** The UID of a draft changes with the draft. */
  async getDraftVersion() {
    return {}
  }

  async fileSent(...[request, signal]: Call<'fileSent'>) {
    return fileSent(this.#commands, request, this.#connected(request, signal))
  }

  async findSent(...[request, signal]: Call<'findSent'>) {
    return findSent(this.#commands, request, this.#connected(request, signal))
  }

  async getQuota(...[request, signal]: Call<'getQuota'>) {
    const target = this.#connected(request, signal)
    return withMailSession(target, { mayBorrow: true }, async (mail) => ({
      quota: (await mail.quota()) ?? (false as const),
    }))
  }

  /** IMAP servers store no signatures. */
  async listSignatures() {
    return { signatures: [], signaturesSupported: false }
  }

  /** Requests a full sync. Requests that arrive before the sync starts are merged into the sync. */
  async syncAccount(...[request, signal]: Call<'syncAccount'>) {
    this.#connected(request, signal).session.context.sync.request({ all: true })
    return { sync: true as const }
  }

  #target({ account }: { account: string }, signal: AbortSignal): AccountCommand {
    this.#session.ask()
    return { account, session: this.#session, signal }
  }

  /** As `#target`. @throws AppError: see `assertConnected` */
  #connected(request: { account: string }, signal: AbortSignal): AccountCommand {
    const target = this.#target(request, signal)
    assertConnected(this.#session.context)
    return target
  }
}

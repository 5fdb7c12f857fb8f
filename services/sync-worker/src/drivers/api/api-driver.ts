import { isMailApiError, type MailApi } from '@posthorn/backends/mail-api'
import type { AccountCommandName, AccountDriver, DriverContext } from '../account-driver.ts'
import { ApiAccountSession, type ApiSessionDeps } from './api-account-session.ts'
import type { ApiCommand, ApiCommandDeps } from './commands/api-command.ts'
import { createMailbox, deleteMailbox, updateMailbox } from './commands/change-mailbox.ts'
import { deleteMessage, moveMessage, updateMessage } from './commands/change-message.ts'
import { getAttachment, getMessageSource } from './commands/download.ts'
import { fileSent, findSent } from './commands/file-sent.ts'
import { getDraftVersion } from './commands/get-draft-version.ts'
import { getMessage, getText } from './commands/get-message.ts'
import { listMailboxes } from './commands/list-mailboxes.ts'
import { listMessages, searchMessages } from './commands/list-messages.ts'
import { deleteMessages, moveMessages, updateMessages } from './commands/update-matches.ts'
import { isIncomplete, untilSettled } from './commands/until-settled.ts'
import { uploadMessage } from './commands/upload-message.ts'

export interface ApiDriverDeps extends ApiSessionDeps {
  readonly commands: ApiCommandDeps
}

type Call<Name extends AccountCommandName> = Parameters<AccountDriver[Name]>
type Limits = [signal: AbortSignal, deadline: number]

/** Driver of an account at a mail API. `commands` has the functions of the driver's methods. */
export class ApiDriver implements AccountDriver {
  /** The provider limits no logins. */
  readonly loginKey = undefined
  readonly #deps: ApiDriverDeps
  readonly #session: ApiAccountSession

  constructor(deps: ApiDriverDeps, context: DriverContext) {
    this.#deps = deps
    this.#session = new ApiAccountSession(deps, context)
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.#session.follow(signal)
  }

  onDeleted(): Promise<void> {
    return this.#session.stopWatch()
  }

  discardIncompleteDrafts(messageId: string, signal: AbortSignal, deadline: number): Promise<void> {
    return this.#session.run({ signal, deadline }, async (api, ended) => {
      const drafts = await api.findDrafts({ messageIdHeader: messageId, incomplete: true }, ended)
      for (const { id } of drafts) await api.discardDraft(id, ended)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]()
    this.#deps.commands.folders.delete(this.#session)
  }

  async listMailboxes(...[request, ...limits]: Call<'listMailboxes'>) {
    return this.#run(request, limits, listMailboxes(request))
  }

  async createMailbox(...[request, ...limits]: Call<'createMailbox'>) {
    return this.#run(request, limits, createMailbox(request))
  }

  async updateMailbox(...[request, ...limits]: Call<'updateMailbox'>) {
    return this.#run(request, limits, updateMailbox(request))
  }

  async deleteMailbox(...[request, ...limits]: Call<'deleteMailbox'>) {
    return this.#run(request, limits, deleteMailbox(request))
  }

  async listMessages(...[request, ...limits]: Call<'listMessages'>) {
    const work = listMessages(request, this.#deps.provider)
    return this.#run(request, limits, untilSettled(work, isIncomplete))
  }

  async searchMessages(...[request, ...limits]: Call<'searchMessages'>) {
    const work = searchMessages(request, this.#deps.provider)
    return this.#run(request, limits, untilSettled(work, isIncomplete))
  }

  async getMessage(...[request, ...limits]: Call<'getMessage'>) {
    return this.#run(request, limits, untilSettled(getMessage(request)))
  }

  async getText(...[request, ...limits]: Call<'getText'>) {
    return this.#run(request, limits, untilSettled(getText(request)))
  }

  async getMessageSource(...[request, ...limits]: Call<'getMessageSource'>) {
    return this.#run(request, limits, untilSettled(getMessageSource(request)))
  }

  async getAttachment(...[request, ...limits]: Call<'getAttachment'>) {
    return this.#run(request, limits, untilSettled(getAttachment(request)))
  }

  async uploadMessage(...[request, ...limits]: Call<'uploadMessage'>) {
    return this.#run(request, limits, uploadMessage(request))
  }

  async updateMessage(...[request, ...limits]: Call<'updateMessage'>) {
    return this.#run(request, limits, untilSettled(updateMessage(request)))
  }

  async moveMessage(...[request, ...limits]: Call<'moveMessage'>) {
    return this.#run(request, limits, untilSettled(moveMessage(request)))
  }

  async deleteMessage(...[request, ...limits]: Call<'deleteMessage'>) {
    return this.#run(request, limits, deleteMessage(request))
  }

  async updateMessages(...[request, ...limits]: Call<'updateMessages'>) {
    return this.#run(request, limits, updateMessages(request))
  }

  async moveMessages(...[request, ...limits]: Call<'moveMessages'>) {
    return this.#run(request, limits, moveMessages(request))
  }

  async deleteMessages(...[request, ...limits]: Call<'deleteMessages'>) {
    return this.#run(request, limits, deleteMessages(request))
  }

  async getDraftVersion(...[request, ...limits]: Call<'getDraftVersion'>) {
    return this.#run(request, limits, getDraftVersion(request))
  }

  async fileSent(...[request, ...limits]: Call<'fileSent'>) {
    return this.#run(request, limits, fileSent(request))
  }

  async findSent(...[request, ...limits]: Call<'findSent'>) {
    return this.#run(request, limits, findSent(request))
  }

  async listSignatures(...[request, ...limits]: Call<'listSignatures'>) {
    return this.#run(request, limits, async ({ api, signal }) => ({
      signatures: (await api.signatures?.(signal)) ?? [],
      signaturesSupported: api.signatures !== undefined,
    }))
  }

  /** Mail APIs report no quota of the mailbox. */
  async getQuota(...[request, ...limits]: Call<'getQuota'>) {
    return this.#run(request, limits, async () => ({ quota: false as const }))
  }

  /**
   * Requests a pass, which also reads the folders that the provider refused before. Requests that
   * arrive before the next pass are merged into that pass.
   */
  async syncAccount(...[request, ...limits]: Call<'syncAccount'>) {
    return this.#run(request, limits, async ({ requestPass }) => {
      this.#session.parked.endDelays()
      requestPass()
      return { sync: true as const }
    })
  }

  #run<T>(
    { account }: { account: string },
    [signal, deadline]: Limits,
    work: (command: ApiCommand) => Promise<T>,
  ): Promise<T> {
    const { commands } = this.#deps
    const session = this.#session
    const requestPass: ApiCommand['requestPass'] = (messages) => session.requestPass(messages)
    return session.run({ signal, deadline }, async (api: MailApi, ended: AbortSignal) => {
      try {
        const call = { api, account, session, requestPass, signal: ended, deadline }
        return await work({ ...commands, ...call })
      } catch (error) {
        // Another client deleted the folder after the folders were listed.
        if (isMailApiError(error, 'folder-missing') || isMailApiError(error, 'label-missing'))
          commands.folders.delete(session)
        throw error
      }
    })
  }
}

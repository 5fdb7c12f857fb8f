import { type CreateMailApi, isMailApiError } from '@posthorn/backends/mail-api'
import type { Provider } from '@posthorn/backends/provider-limits'
import { Semaphore } from '@posthorn/flow'
import type {
  AccountCommandName,
  AccountDriver,
  AccountReply,
  AccountRequest,
  CommandLimits,
  CreateDriver,
  DriverContext,
} from '../account-driver.ts'
import { ApiAccountSession, type ApiSessionDeps } from './api-account-session.ts'
import type { ApiCommand, ApiCommandDeps, ApiWork } from './commands/api-command.ts'
import { createMailbox, deleteMailbox, updateMailbox } from './commands/change-mailbox.ts'
import { deleteMessage, moveMessage, updateMessage } from './commands/change-message.ts'
import { getAttachment, getMessageSource } from './commands/download.ts'
import { fileSent, findSent } from './commands/file-sent.ts'
import { getDraftVersion, getMessage, getText } from './commands/get-message.ts'
import { listMailboxes } from './commands/list-mailboxes.ts'
import { listMessages, searchMessages } from './commands/list-messages.ts'
import { deleteMessages, moveMessages, updateMessages } from './commands/update-matches.ts'
import { isIncomplete, untilSettled } from './commands/until-settled.ts'
import { maxUploadBytes, uploadMessage } from './commands/upload-message.ts'
import { ApiExports } from './exports/api-exports.ts'
import { createCredentialsClient } from '../credentials.ts'
import type { DriverParts } from '../driver-parts.ts'
import { BounceCache } from '../messages/bounce-cache.ts'
import { FolderCache } from './commands/folder-cache.ts'
import { createPassLimits } from './follow-feeds.ts'

interface ApiDriverDeps extends ApiSessionDeps {
  readonly commands: ApiCommandDeps
}

/**
 * Repeats a command while the command's message is missing or incomplete at the mail API; see
 * `untilSettled`.
 */
const settled =
  <Request, Reply>(command: (request: Request) => (call: ApiCommand) => Promise<Reply>) =>
  (request: Request) =>
    untilSettled(command(request))

const commands: {
  readonly [Name in AccountCommandName]: (
    request: AccountRequest<Name>,
    provider: Provider,
  ) => ApiWork<Name>
} = {
  listMailboxes,
  createMailbox,
  updateMailbox,
  deleteMailbox,
  listMessages: (request, provider) => untilSettled(listMessages(request, provider), isIncomplete),
  searchMessages: (request, provider) =>
    untilSettled(searchMessages(request, provider), isIncomplete),
  getMessage: settled(getMessage),
  getText: settled(getText),
  getMessageSource: settled(getMessageSource),
  getAttachment: settled(getAttachment),
  uploadMessage,
  updateMessage: settled(updateMessage),
  moveMessage: settled(moveMessage),
  deleteMessage,
  updateMessages,
  moveMessages,
  deleteMessages,
  getDraftVersion,
  fileSent,
  findSent,
  listSignatures:
    () =>
    async ({ api, signal }) => ({
      signatures: (await api.signatures?.(signal)) ?? [],
      signaturesSupported: api.signatures !== undefined,
    }),
  /** Reports that there is no quota, because mail APIs do not return the quota of a mailbox. */
  getQuota: () => async () => ({ quota: false }),
  /**
   * Requests a sync of the account. Several requests before the start of the sync pass cause a
   * single pass.
   */
  syncAccount:
    () =>
    async ({ requestSync }) => {
      requestSync()
      return { sync: true }
    },
}

/** Account driver for a mail API: runs the commands of one account and syncs the account. */
class ApiDriver implements AccountDriver {
  /**
   * Key by which logins are limited. Always undefined, because mail APIs do not limit the number of
   * logins.
   */
  readonly loginKey = undefined
  readonly exports: ApiExports
  readonly #deps: ApiDriverDeps
  readonly #session: ApiAccountSession

  constructor(deps: ApiDriverDeps, context: DriverContext) {
    this.#deps = deps
    this.#session = new ApiAccountSession(deps, context)
    this.exports = new ApiExports(this.#session, deps)
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.#session.follow(signal)
  }

  onDeleted(): Promise<void> {
    return this.#session.stopWatch()
  }

  async run<Name extends AccountCommandName>(
    name: Name,
    request: AccountRequest<Name>,
    limits: CommandLimits,
  ): Promise<AccountReply<Name>> {
    const { commands: deps, provider } = this.#deps
    const session = this.#session
    const work = commands[name](request, provider)
    const requestPass: ApiCommand['requestPass'] = (messages) => session.requestPass(messages)
    const requestSync = () => session.requestSync()
    return session.run(limits, (api, signal) => {
      const { account } = request
      const { deadline } = limits
      const call = { api, account, session, requestPass, requestSync, signal, deadline }
      return work({ ...deps, ...call }).catch((error: unknown) => {
        // The folder or label of the command is missing: another client deleted it after the
        // folders were cached. The cached folders are dropped.
        if (isMailApiError(error, 'folder-missing') || isMailApiError(error, 'label-missing'))
          deps.folders.delete(session)
        throw error
      })
    })
  }

  discardIncompleteDrafts(messageId: string, limits: CommandLimits): Promise<void> {
    return this.#session.run(limits, async (api, ended) => {
      const drafts = await api.findDrafts({ messageIdHeader: messageId, incomplete: true }, ended)
      for (const { id } of drafts) await api.discardDraft(id, ended)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]()
    this.#deps.commands.folders.delete(this.#session)
  }
}

/** Factories of mail API clients by provider. Accounts of other providers get no session. */
export type MailApis = Partial<Record<Provider, CreateMailApi>>

/** Objects of the API drivers that handle notifications of providers. */
export type WatchParts = Pick<ApiDriverDeps, 'watches' | 'destinations'>

/**
 * Creates the driver factories for accounts at mail APIs, one factory for each provider with a
 * client. The drivers of all accounts share the caches and limits.
 */
export function createApiDrivers(
  parts: DriverParts,
  { mailApis, ...watchParts }: WatchParts & { mailApis: MailApis },
): [Provider, CreateDriver][] {
  const { commit, config, reader, summaries, transcripts, worker } = parts
  const { bus, db, settings } = commit
  const shared: Omit<ApiDriverDeps, 'provider' | 'createMailApi'> = {
    ...watchParts,
    commit,
    config,
    reader,
    summaries,
    transcripts,
    credentials: createCredentialsClient(bus, worker),
    passes: createPassLimits(),
    commands: {
      db,
      settings,
      reader,
      folders: new FolderCache(),
      bounces: new BounceCache(),
      uploadMemory: new Semaphore(maxUploadBytes),
    },
  }
  return Object.entries(mailApis).map(([name, createMailApi]) => {
    const provider = name as Provider
    const deps = { ...shared, provider, createMailApi }
    return [provider, (context) => new ApiDriver(deps, context)]
  })
}

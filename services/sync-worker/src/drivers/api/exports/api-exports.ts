import type { ApiFolder, MailApi, MessageQuery, PageOptions } from '@posthorn/backends/mail-api'
import { apiAccountTypes, type Provider } from '@posthorn/contracts/account-types'
import { defined } from '@posthorn/contracts/defined'
import { exportSettingDefaults } from '@posthorn/contracts/settings/export-settings'
import { toUnavailable } from '../../availability.ts'
import type {
  ExportDriver,
  ExportFolder,
  ExportReading,
  ExportReadOptions,
  ListedPage,
  ListRange,
} from '../../export-driver.ts'
import { defaultExportFolders } from '../../export-folders.ts'
import type { ApiAccountSession } from '../api-account-session.ts'
import type { ApiCommand, ApiCommandDeps } from '../commands/api-command.ts'
import { isAllMessages } from '../commands/folders.ts'
import { matchFolders } from '../events/folder-names.ts'
import { readMessages } from './read-messages.ts'

/** Messages per page of a folder's message list. */
const pageSize = 500

interface ApiExportDeps {
  readonly commands: ApiCommandDeps
  readonly provider: Provider
}

/** Position in the message list of a folder. */
interface ListCursor {
  /** Token of the next page of the message list. Absent after the last page. */
  token?: string
  /** Number of messages before the position in the message list of the folder. */
  count: number
}

/**
 * Reads messages of an account at a mail API for exports. The requests have a lower priority than
 * requests of callers and syncs.
 */
export class ApiExports implements ExportDriver {
  readonly #session: ApiAccountSession
  readonly #deps: ApiExportDeps

  constructor(session: ApiAccountSession, deps: ApiExportDeps) {
    this.#session = session
    this.#deps = deps
  }

  folders(names: readonly string[], signal: AbortSignal): Promise<ExportFolder[]> {
    return this.#run(signal, async (command) => {
      const { folders } = await command.folders.get(command)
      const isLabelled = command.api.traits.placement === 'labels'
      if (isLabelled && (names.length === 0 || names.some(isAllMessages)))
        return [{ id: '', isOnly: true }]
      const selected = selectNamed(folders, names)
      const [only] = selected
      if (only && selected.length === 1) return [{ id: only.id, isOnly: true }]
      return selected.map(({ id }, at) => {
        const before = selected.slice(0, at).map((folder) => folder.id)
        return isLabelled && at > 0 ? { id, except: before } : { id }
      })
    })
  }

  async *list(
    folder: ExportFolder,
    { start, end, cursor }: ListRange,
    signal: AbortSignal,
  ): AsyncGenerator<ListedPage> {
    const labels = folder.except && { not: folder.except }
    const query: MessageQuery = defined({
      folderId: folder.id || undefined,
      search: defined({ since: new Date(start), before: new Date(end), labels }),
    })
    let position: ListCursor = cursor === undefined ? { count: 0 } : parseCursor(cursor)
    for (let isFirst = cursor === undefined; isFirst || position.token !== undefined;) {
      isFirst = false
      const { count, token: pageToken } = position
      const page = defined({ pageToken, limit: pageSize, byTime: true })
      const { entries, nextPageToken } = await this.#run(signal, ({ api, signal: ended }) =>
        listPage(api, { query, page, count, isOnly: folder.isOnly === true, signal: ended }),
      )
      const isEnd = nextPageToken === undefined
      position = { count: count + entries.length, ...(!isEnd && { token: nextPageToken }) }
      yield { entries, cursor: JSON.stringify(position) }
    }
  }

  async *read(
    ids: readonly string[],
    options: ExportReadOptions,
    signal: AbortSignal,
  ): AsyncGenerator<ExportReading> {
    const { commands, provider } = this.#deps
    const name = apiAccountTypes[provider].exportBatchSetting
    const batchSize = (await commands.settings.get())[name] ?? exportSettingDefaults[name]
    for (let from = 0; from < ids.length; from += batchSize) {
      const batch = ids.slice(from, from + batchSize)
      try {
        yield* readMessages(await this.#open(signal), batch, options)
      } catch (error) {
        throw toUnavailable(this.#session.context, error)
      }
    }
  }

  check(signal: AbortSignal): Promise<void> {
    return this.#run(signal, async ({ api, signal: ended }) => void (await api.profile(ended)))
  }

  async #open(signal: AbortSignal): Promise<ApiCommand> {
    const session = this.#session
    const opened = await session.openInBackground(signal)
    const account = session.account?.account ?? ''
    const noRequests = { requestPass: () => undefined, requestSync: () => undefined }
    return {
      ...this.#deps.commands,
      ...opened,
      ...noRequests,
      account,
      session,
      deadline: Infinity,
    }
  }

  async #run<T>(signal: AbortSignal, work: (command: ApiCommand) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#open(signal))
    } catch (error) {
      throw toUnavailable(this.#session.context, error)
    }
  }
}

/** Selects the folders with these names, or the default folders for an export without names. */
function selectNamed(folders: readonly ApiFolder[], names: readonly string[]): ApiFolder[] {
  if (names.length === 0) return defaultExportFolders(folders)
  return [...new Set(names.flatMap((name) => matchFolders(folders, name)))]
}

function parseCursor(cursor: string): ListCursor {
  return JSON.parse(cursor) as ListCursor
}

interface PageRequest {
  query: MessageQuery
  page: PageOptions
  /** Number of messages on the earlier pages of a folder's message list. */
  count: number
  /**
   * True if the export reads no other folder, so that messages of several folders need not be
   * merged.
   */
  isOnly: boolean
  signal: AbortSignal
}

/**
 * Lists a page of messages with their sort keys. If an export reads one folder of a mailbox with
 * labels, the sort keys are positions in the list, which has the newest message first. Dates would
 * cost a request per message.
 */
async function listPage(
  api: MailApi,
  { query, page, count, isOnly, signal }: PageRequest,
): Promise<{ entries: { order: number; id: string }[]; nextPageToken?: string }> {
  if (isOnly && api.traits.placement === 'labels') {
    const { entries, nextPageToken } = await api.listIds(query, page, signal)
    const ordered = entries.map(({ id }, at) => ({ order: -(count + at), id }))
    return defined({ entries: ordered, nextPageToken })
  }
  const { entries, nextPageToken } = await api.listMessages(query, page, signal)
  const dated = entries.map(({ id, receivedAt }) => ({ order: receivedAt.getTime(), id }))
  return defined({ entries: dated, nextPageToken })
}

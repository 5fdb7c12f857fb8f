import { type ApiFolder, isMailApiError, type MailApi } from '@posthorn/backends/mail-api'
import type { NamedFolder } from '@posthorn/db'
import { pathOf } from './folder-names.ts'

/**
 * Folders that a provider's listing left out. Providers leave out existing folders by mistake, with
 * all folders below them. Each unlisted folder is therefore requested before it counts as deleted.
 */
export class UnlistedFolders {
  /** Ids of folders that existed when they were requested. */
  readonly #existing = new Set<string>()

  /**
   * Finds stored folders that may exist. A folder whose path another folder has now does not exist.
   */
  find(stored: readonly NamedFolder[], listed: readonly ApiFolder[]): NamedFolder[] {
    const ids = new Set(listed.map(({ id }) => id))
    const paths = new Set(listed.map(pathOf))
    const unlisted = stored.filter(
      (folder) => !folder.former && !ids.has(folder.id) && !paths.has(pathOf(folder)),
    )
    const remaining = new Set(unlisted.map(({ id }) => id))
    for (const id of this.#existing) if (!remaining.has(id)) this.#existing.delete(id)
    return unlisted
  }

  /**
   * Requests unlisted folders one by one, each folder once while it is unlisted. Between two
   * requests, stops if `mustYield` returns true: `isComplete` is then false.
   */
  async check(
    api: Pick<MailApi, 'folderCounts'>,
    ids: readonly string[],
    { signal, mustYield }: { signal: AbortSignal; mustYield: () => boolean },
  ): Promise<{ existing: ReadonlySet<string>; missing: ReadonlySet<string>; isComplete: boolean }> {
    const existing = new Set(ids.filter((id) => this.#existing.has(id)))
    const missing = new Set<string>()
    for (const [at, id] of ids.filter((each) => !existing.has(each)).entries()) {
      if (at > 0 && mustYield()) return { existing, missing, isComplete: false }
      if (await isMissing(api, id, signal)) missing.add(id)
      else {
        existing.add(id)
        this.#existing.add(id)
      }
    }
    return { existing, missing, isComplete: true }
  }

  /**
   * Lets the next check request an unlisted folder again, because the feed (list of changes) of the
   * folder has disappeared.
   */
  forget(id: string): void {
    this.#existing.delete(id)
  }
}

async function isMissing(
  api: Pick<MailApi, 'folderCounts'>,
  id: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await api.folderCounts(id, signal)
    return false
  } catch (error) {
    if (isMailApiError(error, 'folder-missing')) return true
    throw error
  }
}

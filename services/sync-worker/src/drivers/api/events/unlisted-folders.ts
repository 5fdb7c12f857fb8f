import { type ApiFolder, isMailApiError, type MailApi } from '@posthorn/backends/mail-api'
import type { NamedFolder } from '@posthorn/db'
import { pathOf } from './folder-names.ts'

/**
 * Folders that a provider's listing of folders left out. Providers sometimes leave out an existing
 * folder and all folders below it. Each folder that is left out is therefore requested before it
 * counts as deleted.
 */
export class UnlistedFolders {
  /** Ids of unlisted folders that a request has shown to exist. */
  readonly #existing = new Set<string>()

  /**
   * Finds the stored folders that the provider's list of folders left out and that may still exist.
   * If another folder now has the path of a stored folder, the stored folder does not exist any
   * more.
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
   * Requests folders that the provider's list left out one by one. Each folder is requested once as
   * long as it stays unlisted. Stops between two requests if `mustYield` returns true; `isComplete`
   * is false then.
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
   * Makes the next check request a folder again that the provider's list left out. Called when the
   * feed (list of changes) of the folder was not found.
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

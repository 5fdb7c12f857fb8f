import type { ApiFolder, MailApi } from '@posthorn/backends/mail-api'
import { TtlCache } from '@posthorn/flow'

/**
 * Lifetime of cached folders: long enough for the requests of one client. Changes by other clients
 * appear later.
 */
const ttlMs = 30_000
/** Maximum folders in the cache, about 50 MB. */
const maxFolders = 100_000

interface FolderRequest {
  api: Pick<MailApi, 'folders'>
  /**
   * Account session that identifies cached folders: after a new registration, the account may have
   * another mailbox.
   */
  session: object
  signal: AbortSignal
}

/** Cache of the folders of account sessions with recent commands. */
export class FolderCache {
  readonly #cache = new TtlCache<object, readonly ApiFolder[]>({
    ttlMs,
    maxSize: maxFolders,
    sizeOf: (folders) => folders.length,
  })

  /** Folders of the session's account. `isCached` is false if the folders were read now. */
  async get({
    api,
    session,
    signal,
  }: FolderRequest): Promise<{ folders: readonly ApiFolder[]; isCached: boolean }> {
    const cached = this.#cache.get(session)
    if (cached) return { folders: cached, isCached: true }
    const folders = await api.folders(signal)
    this.#cache.set(session, folders)
    return { folders, isCached: false }
  }

  /** True if the folders of the session are cached, so that `get` makes no request. */
  has(session: object): boolean {
    return this.#cache.has(session)
  }

  /** Makes the next command of the session read the folders again. */
  delete(session: object): void {
    this.#cache.delete(session)
  }
}

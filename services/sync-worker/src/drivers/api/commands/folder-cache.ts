import type { ApiFolder, MailApi } from '@posthorn/backends/mail-api'
import { TtlCache } from '@posthorn/flow'

/**
 * Lifetime of cached folders. Covers several requests of one client. Changes that other clients
 * make to folders appear only after this time.
 */
const ttlMs = 30_000
/** Maximum number of folders in the cache. The folders take about 50 MB. */
const maxFolders = 100_000

interface FolderRequest {
  api: Pick<MailApi, 'folders'>
  /**
   * Account session to which cached folders belong. A new registration starts another session,
   * because the account may have another mailbox then.
   */
  session: object
  signal: AbortSignal
}

/** Cache of folders, for the account sessions that executed commands recently. */
export class FolderCache {
  readonly #cache = new TtlCache<object, readonly ApiFolder[]>({
    ttlMs,
    maxSize: maxFolders,
    sizeOf: (folders) => folders.length,
  })

  /**
   * Returns the folders of the session's account. `isCached` is false if this call requested the
   * folders from the provider.
   */
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

  /** True if the folders of the account session are cached, so that `get` sends no request. */
  has(session: object): boolean {
    return this.#cache.has(session)
  }

  /** Drops the cached folders of an account session, so that they are requested again. */
  delete(session: object): void {
    this.#cache.delete(session)
  }
}

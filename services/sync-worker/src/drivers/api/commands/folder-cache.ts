import type { ApiFolder, MailApi } from '@posthorn/backends/mail-api'
import { TtlCache } from '@posthorn/flow'

/** Long enough for the requests of one client. Changes by other clients appear later. */
const ttlMs = 30_000
/** About 50 MB of folders. */
const maxFolders = 100_000

interface FolderRequest {
  api: Pick<MailApi, 'folders'>
  account: string
  signal: AbortSignal
}

/** Folders of accounts with recent commands. */
export class FolderCache {
  readonly #cache = new TtlCache<string, readonly ApiFolder[]>({
    ttlMs,
    maxSize: maxFolders,
    sizeOf: (folders) => folders.length,
  })

  /** Folders of the account. `isCached` is false if they were read now. */
  async get({
    api,
    account,
    signal,
  }: FolderRequest): Promise<{ folders: readonly ApiFolder[]; isCached: boolean }> {
    const cached = this.#cache.get(account)
    if (cached) return { folders: cached, isCached: true }
    const folders = await api.folders(signal)
    this.#cache.set(account, folders)
    return { folders, isCached: false }
  }

  /** True if `get` makes no request. */
  has(account: string): boolean {
    return this.#cache.has(account)
  }

  /** Makes the next command read the folders again. */
  delete(account: string): void {
    this.#cache.delete(account)
  }
}

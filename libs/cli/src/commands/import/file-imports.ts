import type { Entry, readExportFile } from '@posthorn/emailengine'
import type { KindImport } from './import-kind.ts'
import {
  type AccountMode,
  accountWriter,
  type ImportAccess,
  readAccounts,
  tokenWriter,
} from './kind-imports.ts'

type FileEntry = ReturnType<typeof readExportFile> extends AsyncIterable<infer E> ? E : never

/**
 * Imports of EmailEngine's accounts and tokens in files, which are read once: a file can be a pipe.
 * Accounts are first, because tokens can be bound to accounts.
 */
export async function fileImports(
  read: () => AsyncIterable<FileEntry>,
  parts: AccountMode & ImportAccess,
): Promise<KindImport<never>[]> {
  const all = await Array.fromAsync(read())
  const existing = await readAccounts(parts)
  const entries = (kind: FileEntry['kind']) => {
    const ofKind = all.filter((entry) => entry.kind === kind) as Entry<never>[]
    return { entries: asyncOf(ofKind), total: ofKind.length }
  }
  return [
    { kind: 'accounts', ...entries('account'), write: accountWriter(parts, existing) },
    { kind: 'tokens', ...entries('token'), ...tokenWriter(parts) },
  ] as KindImport<never>[]
}

// oxlint-disable-next-line require-await -- the entries of a store are read asynchronously
async function* asyncOf<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

import type { Entry, readExportFile } from '@posthorn/emailengine'
import type { Posthorn } from '@posthorn/client'
import type { KindImport } from './import-kind.ts'
import { readAccounts, type AccountMode, accountWriter, tokenWriter } from './kind-imports.ts'

type FileEntry = ReturnType<typeof readExportFile> extends AsyncIterable<infer E> ? E : never

/**
 * Imports of the entities in files. The files are read once per kind: accounts first, because
 * tokens can be bound to accounts.
 */
export async function fileImports(
  read: () => AsyncIterable<FileEntry>,
  parts: AccountMode & { posthorn: Posthorn },
): Promise<KindImport<never>[]> {
  const existing = await readAccounts(parts.posthorn)
  const entries = (kind: FileEntry['kind']) => only(read(), kind) as AsyncIterable<Entry<never>>
  return [
    { kind: 'accounts', entries: entries('account'), write: accountWriter(parts, existing) },
    { kind: 'tokens', entries: entries('token'), ...tokenWriter(parts) },
  ] as KindImport<never>[]
}

async function* only(entries: AsyncIterable<FileEntry>, kind: FileEntry['kind']) {
  for await (const entry of entries) if (entry.kind === kind) yield entry
}

/** Folder that an export may read. */
export interface ExportableFolder {
  specialUse?: string | null | undefined
}

/** Special uses of folders that an export leaves out unless the request names them. */
const leftOut: ReadonlySet<string> = new Set(['\\junk', '\\trash'])

/**
 * Selects the folders of an export that names no folders: the folder of all messages if it exists,
 * otherwise all folders except junk and trash. Pure.
 */
export function defaultExportFolders<F extends ExportableFolder>(folders: readonly F[]): F[] {
  const useOf = ({ specialUse }: F) => specialUse?.toLowerCase() ?? ''
  const all = folders.find((folder) => useOf(folder) === '\\all')
  return all ? [all] : folders.filter((folder) => !leftOut.has(useOf(folder)))
}

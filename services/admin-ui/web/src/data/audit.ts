import type { AuditPage } from './admin-types.ts'
import { formatAuditQuery } from './audit-query.ts'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { saveFile } from './save-file.ts'
import { useLoad } from './use-load.ts'

const pageSize = 50

/**
 * Downloads the audit log entries that the filters select, as a file with one JSON text per line.
 * The server refuses plain links, which other sites could contain.
 */
export async function downloadAudit(query: Readonly<Record<string, string>>): Promise<void> {
  const { cursor: _cursor, ...filters } = formatAuditQuery(query)
  const file = await calls.readFile('GET /admin/audit/download', filters)
  saveFile(file, 'audit.ndjson')
}

/** Loads the page of the audit log that the filters in the page's address select. */
export function useAudit(query: Readonly<Record<string, string>>): Load<AuditPage> {
  const filters = formatAuditQuery(query)
  return useLoad(['audit', filters], () =>
    calls.admin('GET /admin/audit', { ...filters, pageSize }),
  )
}

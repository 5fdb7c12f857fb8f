import type { AuditPage } from './admin-types.ts'
import { formatAuditQuery } from './audit-query.ts'
import type { Load } from './load-state.ts'
import { calls } from './query-client.ts'
import { useLoad } from './use-load.ts'

const pageSize = 50

/** Page of the audit log that the filters of an address select. */
export function useAudit(query: Readonly<Record<string, string>>): Load<AuditPage> {
  const filters = formatAuditQuery(query)
  return useLoad(['audit', filters], () =>
    calls.admin('GET /admin/audit', { ...filters, pageSize }),
  )
}

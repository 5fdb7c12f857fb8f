import { filtersOf, timeFiltersOf } from './query-filters.ts'

/** Query of the audit log from the filters in the address of the page. */
export function formatAuditQuery(query: Readonly<Record<string, string>>) {
  return {
    ...filtersOf(query, ['person', 'operation', 'account', 'cursor']),
    ...timeFiltersOf(query, ['from', 'to']),
  }
}

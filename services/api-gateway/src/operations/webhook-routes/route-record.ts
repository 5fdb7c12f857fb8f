import type { RouteListRow, RouteRow } from '../../store/webhook-routes.ts'
import { maskHeaders, maskUrl } from '../../http/masks.ts'

/** A route as it may be shown: a password in its address and the values of its headers are masked. */
export function describeListedRoute(row: RouteListRow) {
  return {
    id: row.id,
    name: row.name,
    description: row.description ?? '',
    created: row.createdAt.toISOString(),
    updated: row.updatedAt.toISOString(),
    enabled: row.enabled,
    targetUrl: maskUrl(row.targetUrl),
    tcount: row.tcount,
    webhookErrorFlag: row.errorFlag,
    customHeaders: maskHeaders(row.customHeaders),
  }
}

export function describeRoute(row: RouteRow) {
  const content = { fn: row.filter, map: row.map }
  return { ...describeListedRoute(row), v: row.version, content }
}

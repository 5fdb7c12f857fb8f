import type { AppListRow, AppRow } from '../../store/oauth2-apps.ts'
import { mask } from '../../http/masks.ts'

/** An application in a list, its secrets masked. */
export function describeListed(row: AppListRow) {
  const { id, name, provider, enabled, config, secrets, createdAt, updatedAt, lastError } = row
  const { authority } = config
  return {
    includeInListing: false,
    ...config,
    ...(authority === undefined || !provider.startsWith('outlook') ? {} : { tenant: authority }),
    ...Object.fromEntries(secrets.map((kind) => [kind, mask])),
    id,
    name,
    provider,
    enabled,
    created: createdAt.toISOString(),
    updated: updatedAt.toISOString(),
    lastError,
  }
}

/** An application as it is read back. */
export function describeApp(row: AppRow) {
  return { ...describeListed(row), accounts: row.accounts }
}

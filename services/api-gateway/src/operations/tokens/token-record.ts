import type { TokenLogEntry, TokenRecord } from '@posthorn/contracts'
import type { TokenLogRow } from '../../store/token-log.ts'
import type { TokenRecordRow } from '../../store/tokens.ts'

/** A token as it is shown. What was not given is absent. */
export function describeToken(row: TokenRecordRow): TokenRecord {
  const { id, account, scopes, restrictions, permissions } = row
  const { description, metadata, ip, remoteAddress, expiresAt } = row
  return {
    ...present({ description, metadata, ip, remoteAddress }),
    id,
    account,
    scopes,
    restrictions,
    permissions,
    created: row.createdAt.toISOString(),
    ...present({ expires: expiresAt?.toISOString() ?? null }),
    access: { time: row.lastUsedAt?.toISOString() ?? null, ip: row.lastUsedIp },
  }
}

function present<K extends string>(texts: Record<K, string | null>): Partial<Record<K, string>> {
  const given = Object.entries(texts).filter(([, text]) => text !== null)
  return Object.fromEntries(given) as Partial<Record<K, string>>
}

export function describeLogEntry({ at, actionGroup, denied, ...row }: TokenLogRow): TokenLogEntry {
  return {
    time: at.toISOString(),
    ...row,
    group: actionGroup,
    status: denied === null ? 'allowed' : 'denied',
    reason: denied,
  }
}

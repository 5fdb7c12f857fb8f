import type { Permissions, Restrictions } from '@posthorn/contracts'
import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/** Access tokens by the SHA-256 (hex) of their value. Written by api-gateway; the last use by whoever checks. */
export interface Tokens {
  id: string
  account: string | null
  scopes: string[]
  description: string | null
  metadata: string | null
  restrictions: JsonOrNull<Restrictions>
  permissions: JsonOrNull<Permissions>
  ip: string | null
  remoteAddress: string | null
  createdAt: Generated<Date>
  expiresAt: Date | null
  lastUsedAt: Date | null
  lastUsedIp: string | null
}

/** Requests of a token within a window, counted across replicas. Written by api-gateway and smtp-proxy. */
export interface TokenWindows {
  token: string
  windowStart: Date
  requests: number
}

/** What tokens were used for. Inserted by api-gateway, imap-proxy and smtp-proxy; cut down by api-gateway. */
export interface TokenLogTable {
  id: Generated<string>
  token: string
  at: Date
  ip: string | null
  method: string | null
  path: string | null
  action: string | null
  actionGroup: string | null
  account: string | null
  /** Why it was refused; null where it was not. */
  denied: string | null
}

import type { Permissions, Restrictions } from '@posthorn/contracts/schemas/token'
import type { Generated } from 'kysely'
import type { JsonOrNull } from './json.ts'

/**
 * Access tokens, identified by the SHA-256 hash (hex) of their value. Written by api-gateway. The
 * time of the last use is also written by the proxies.
 */
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
  /**
   * True for an access token that was imported from EmailEngine: the id is the hash of the 32 raw
   * bytes of the value, instead of the hash of the text.
   */
  imported: Generated<boolean>
}

/**
 * Ids of imported access tokens that were deleted by the API. A later import does not store them
 * again. Written by api-gateway.
 */
export interface DeletedTokenImports {
  id: string
  deletedAt: Generated<Date>
}

/**
 * Number of requests per access token and rate limit window. Written by api-gateway and smtp-proxy.
 */
export interface TokenWindows {
  token: string
  windowStart: Date
  requests: number
}

/**
 * Audit log of the use of access tokens. Rows are inserted by api-gateway and the proxies, and
 * deleted by api-gateway.
 */
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
  /** Reason for which the use of an access token was rejected. Null if the use was allowed. */
  denied: string | null
}

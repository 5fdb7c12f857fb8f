import { ImportedToken } from '@posthorn/contracts/schemas/token-import'
import type { StoredObject } from '../decode.ts'
import type { Entry } from '../entry.ts'
import { fitInput } from './fit-input.ts'
import { compact, isUnset, toDate, toList, toStructure, toText } from './values.ts'

/** Scopes of EmailEngine's access tokens that have the same meaning in Posthorn. */
const sameScopes = new Set(['*', 'api', 'smtp', 'imap-proxy'])

/**
 * An imported access token must not become valid for more accounts, clients or operations than in
 * EmailEngine.
 */
const essential = {
  valid: /^(?:id|scopes)(?:\.|$)/,
  complete: /^(?:account|restrictions|permissions|expires)(?:\.|$)/,
}

/** Maps an access token of EmailEngine to an item of `importTokens`. */
export function mapToken(id: string, record: StoredObject): Entry<ImportedToken> {
  const scopes = scopesOf(record)
  const unknown = scopes.filter((scope) => !sameScopes.has(scope))
  const kept = scopes.filter((scope) => sameScopes.has(scope))
  if (kept.length === 0)
    return { kind: 'token', id, skipped: `no scope has a meaning: ${list(scopes) || 'none'}` }
  const expires = toDate(record['expires'])
  if (typeof expires === 'string' && Date.parse(expires) <= Date.now())
    return { kind: 'token', id, skipped: 'the token has expired' }
  return fitInput(
    { kind: 'token', id, schema: ImportedToken, essential },
    {
      candidate: compact({
        id: id.toLowerCase(),
        scopes: kept,
        account: toText(record['account']),
        description: toText(record['description']),
        metadata: metadataOf(record['metadata']),
        restrictions: toStructure(record['restrictions']),
        permissions: toStructure(record['permissions']),
        created: toDate(record['created']),
        ip: toText(record['ip']),
        remoteAddress: toText(record['remoteAddress']),
        expires,
      }),
      omitted: unknown.length > 0 ? [`scopes: ${list(unknown)}`] : [],
    },
  )
}

function scopesOf({ scopes }: StoredObject): string[] {
  const parsed = toList(scopes)
  return Array.isArray(parsed) ? [...new Set(parsed.map(String))] : []
}

/**
 * Text with an access token's scopes for a report. Scopes of broken records can have any length.
 */
const list = (scopes: readonly string[]) => scopes.join(', ').slice(0, 200)

function metadataOf(value: unknown): unknown {
  if (isUnset(value)) return undefined
  return typeof value === 'object' ? JSON.stringify(value) : value
}

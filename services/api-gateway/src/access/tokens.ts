import type { TokenLog } from '@posthorn/access'
import type { Operation } from '@posthorn/contracts/define'
import { batchStatements, type Db } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Clock, runPeriodically, TtlCache } from '@posthorn/flow'
import { type TokenIds, tokenIds } from '@posthorn/secrets'
import type { Logger } from '@posthorn/telemetry'
import { findTokens, markTokensUsed, type Token, type TokenUse } from '../store/access/tokens.ts'

/**
 * Lifetime of a cached access token. Revoked tokens must stop working within a second, even if the
 * broadcast of the revocation is lost.
 */
const ttlMs = 900
const maxEntries = 10_000
/**
 * Maximum access tokens that one query looks up. A flood of invalid tokens occupies only one
 * Postgres connection.
 */
const maxBatch = 1_000

export interface TokenCache {
  /**
   * Finds an access token by both ids of its value, even if expired; undefined if the token is
   * missing.
   */
  find(value: string): Promise<Token | undefined>
  /**
   * Invalidates the cached access token with an id. Without an id, invalidates all cached tokens.
   */
  invalidate(id?: string): void
}

/**
 * Caches access tokens for less than a second and batches lookups. Missing tokens are not cached,
 * because they may be created or imported at any moment.
 */
export function cacheTokens(db: Db, clock: Clock = Date.now): TokenCache {
  const lookUp = batchStatements((ids: TokenIds[]) => findTokens(db, ids), { max: maxBatch })
  const cache = new TtlCache<string, Token | undefined>({ ttlMs, max: maxEntries, clock })
  // Keys of cached tokens by the id that an imported token with the same value has.
  const keys = new TtlCache<string, string>({ ttlMs, max: maxEntries, clock })
  const load = (ids: TokenIds) => {
    if (ids.imported !== undefined) keys.set(ids.imported, ids.own)
    return lookUp(ids)
  }
  return {
    find(value) {
      const ids = tokenIds(value)
      return cache.load(ids.own, () => load(ids), { storeIf: (token) => token !== undefined })
    },
    invalidate(id) {
      if (id === undefined) cache.clear()
      else cache.delete(keys.get(id) ?? id)
    },
  }
}

export interface LastUseTracker extends AsyncDisposable {
  record(token: string, address: string): void
}

/**
 * Interval at which last uses of access tokens are written in batches: at most one write per token
 * and minute.
 */
const everyMs = 60_000

/**
 * Tracks time and address of the last use of access tokens. A crash loses the uses of at most one
 * minute.
 */
export function trackLastUse(db: Db, log: Logger): LastUseTracker {
  let uses = new Map<string, TokenUse>()
  const flush = async () => {
    const batch = uses
    uses = new Map()
    await markTokensUsed(db, [...batch.values()])
  }
  const loop = runPeriodically({ everyMs, log, name: 'last use of tokens' }, flush)
  return {
    record: (token, address) => void uses.set(token, { token, address, at: new Date() }),
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]()
      await flush().catch((err: unknown) =>
        log.warn({ err }, 'storing the last use of tokens failed'),
      )
    },
  }
}

/** API request with an existing access token, as recorded in the log of that token. */
export interface AuditedRequest {
  operation: Operation
  token: Pick<Token, 'id' | 'account'>
  /** Account that the API request names in its path or query, if any. */
  account: string | undefined
  address: string
  /** Path of the API request as sent, without the query, for the log of the access token. */
  path: string
}

/**
 * Records the result of an API request in the log of its access token. `denied` is the reason of a
 * rejection.
 */
export function auditRequest(log: TokenLog, request: AuditedRequest, denied: string | null): void {
  log.record(() => {
    const { operation, token, account, address, path } = request
    const { action, group } = operation.permission
    return {
      token: token.id,
      ip: address,
      method: operation.method.toUpperCase(),
      path: withoutTokens(operation.path, path),
      action,
      group,
      account: account ?? token.account,
      denied,
    }
  })
}

/** Replaces token values in the path of an API request, such as the deletion of a token. */
function withoutTokens(pattern: string, path: string): string {
  const segments = pattern.split('/')
  return path
    .split('/')
    .map((part, index) => (segments[index] === ':token' ? '{token}' : part))
    .join('/')
}

/**
 * Returns why an error of authorization or of an operation rejected the access token; null if the
 * error is unrelated to the token.
 */
export function denialOf(error: unknown): string | null {
  if (!(error instanceof AppError)) return null
  const { kind, code, message } = error
  const isTokenError = code === undefined || code === 'MintWidensRestrictions'
  return kind === 'forbidden' && isTokenError ? message : null
}

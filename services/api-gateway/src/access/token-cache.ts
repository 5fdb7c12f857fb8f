import { batchStatements, type Db } from '@posthorn/db'
import { type Clock, TtlCache } from '@posthorn/flow'
import { hashToken } from '@posthorn/secrets'
import { findTokens, type Token } from '../store/tokens.ts'

/** Revoked tokens must stop working within a second, even if the broadcast is lost. */
const ttlMs = 900
const maxEntries = 10_000
/** Maximum tokens per query. A flood of invalid tokens occupies one connection only. */
const maxBatch = 1_000

export interface TokenCache {
  /** Finds the token with a value, even if it has expired; undefined if the token is missing. */
  find(value: string): Promise<Token | undefined>
  /** Invalidates the token with this id, or all tokens without an id. */
  invalidate(id?: string): void
}

/**
 * Caches tokens for less than a second and batches lookups. Missing tokens are not cached, because
 * they may be created at any moment.
 */
export function cacheTokens(db: Db, clock: Clock = Date.now): TokenCache {
  const lookUp = batchStatements((ids: string[]) => findTokens(db, ids), { max: maxBatch })
  const cache = new TtlCache<string, Token | undefined>({ ttlMs, max: maxEntries, clock })
  return {
    find(value) {
      const id = hashToken(value)
      return cache.load(id, () => lookUp(id), { storeIf: (token) => token !== undefined })
    },
    invalidate(id) {
      if (id === undefined) cache.clear()
      else cache.delete(id)
    },
  }
}

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
  /** Returns the token of a value, also an expired one; undefined if there is none. */
  find(value: string): Promise<Token | undefined>
  /** Invalidates one token by id, or all. */
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

import { type Db, batchStatements } from '@posthorn/db'
import { hashToken } from '@posthorn/secrets'
import { findTokens, type Token } from '../store/tokens.ts'

/** Revoked tokens stop working everywhere within a second, also when the broadcast is lost: nothing is believed for longer. */
const ttlMs = 900
const maxEntries = 10_000
/** Looked up in one question: whoever makes up tokens by the thousand takes one connection to Postgres, and not all of them. */
const maxAtOnce = 1_000

export interface TokenCache {
  /** The token of that value; undefined when there is none. One that expired is returned. */
  find(value: string): Promise<Token | undefined>
  /** Forgets one token, by its id, or all. */
  invalidate(id?: string): void
}

/** Tokens kept in memory for less than a second: bursts ask Postgres once. */
export function cacheTokens(db: Db, now: () => number = Date.now): TokenCache {
  const look = batchStatements((ids: string[]) => findTokens(db, ids), { max: maxAtOnce })
  const known = new Map<string, { token: Promise<Token | undefined>; until: number }>()
  return {
    find(value) {
      const id = hashToken(value)
      const hit = known.get(id)
      if (hit && hit.until > now()) return hit.token
      // Counted from before the question: the answer may be as old as that.
      const entry = { token: look(id), until: now() + ttlMs }
      if (known.size >= maxEntries) known.clear()
      known.set(id, entry)
      // What is not there may be made any moment, here or elsewhere: only tokens are remembered.
      const forget = () => known.get(id) === entry && known.delete(id)
      entry.token.then((token) => token ?? forget(), forget)
      return entry.token
    },
    invalidate(id) {
      if (id === undefined) known.clear()
      else known.delete(id)
    },
  }
}

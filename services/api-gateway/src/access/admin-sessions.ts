import type { IncomingHttpHeaders } from 'node:http'
import type { RightsInput } from '@posthorn/contracts/admin/input-rights'
import type { Operation } from '@posthorn/contracts/define'
import { batchStatements, type Db } from '@posthorn/db'
import { type Clock, TtlCache } from '@posthorn/flow'
import { hashToken } from '@posthorn/secrets'
import { type AdminSession, findAdminSessions } from '../store/access/admin-sessions.ts'
import type { Token } from '../store/access/tokens.ts'
import { badToken, type Caller, readBearerToken } from './authenticate.ts'
import { authorizePerson } from './authorize-person.ts'

/**
 * Lifetime of a cached session of the administration pages. Ended sessions and removed rights must
 * stop working within a second, even if the broadcast of the change is lost.
 */
const ttlMs = 900
const maxEntries = 1_000

export interface AdminSessionCache {
  /**
   * Finds the session at the administration pages that belongs to a credential; undefined if the
   * session has ended.
   */
  find(credential: string): Promise<AdminSession | undefined>
  /**
   * Invalidates all cached sessions of the administration pages. The sessions are so few that an id
   * is not needed.
   */
  invalidate(): void
}

/**
 * Caches sessions of the administration pages for less than a second and batches lookups. Ended
 * sessions are not cached, because a flood of invalid credentials would displace the sessions of
 * people.
 */
export function cacheAdminSessions(db: Db, clock?: Clock): AdminSessionCache {
  const lookUp = batchStatements((hashes: string[]) => findAdminSessions(db, hashes), {
    max: maxEntries,
  })
  const options = { ttlMs, max: maxEntries, ...(clock && { clock }) }
  const cache = new TtlCache<string, AdminSession | undefined>(options)
  return {
    find(credential) {
      const hash = hashToken(credential)
      return cache.load(hash, () => lookUp(hash), { storeIf: (session) => session !== undefined })
    },
    invalidate: () => cache.clear(),
  }
}

/** API request with the credential of a session at the administration pages. */
export interface SessionRequest {
  operation: Operation
  credential: string
  headers: IncomingHttpHeaders
  address: string
}

/**
 * Authenticates the person whose session an API request names, and authorizes the request. The
 * credential must be in the header `Authorization`, because queries are often logged.
 *
 * @throws AppError `unauthorized` or `forbidden`
 */
export async function authorizeSession(
  sessions: AdminSessionCache,
  { operation, credential, headers, address }: SessionRequest,
): Promise<{ caller: Caller; assertInput: (input: RightsInput) => void }> {
  if (readBearerToken(headers, undefined) !== credential) throw badToken('unknown token')
  const person = await sessions.find(credential)
  if (!person) throw badToken('unknown token')
  authorizePerson(operation.id, person)
  return {
    caller: { token: tokenOf(person), person, address },
    assertInput: (input) => authorizePerson(operation.id, person, input),
  }
}

/**
 * Access token that stands for a person at the administration pages after the check of the role.
 * The token has the rights of an operator. Its id is not the id of a stored token, and is only used
 * in logs and as owner of memory.
 */
function tokenOf({ person }: AdminSession): Token {
  const unrestricted = { account: null, restrictions: null, permissions: null, expiresAt: null }
  return { id: `person ${person}`, scopes: ['*'], ...unrestricted }
}

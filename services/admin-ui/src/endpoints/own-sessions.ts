import type { EndedSessions, SessionEntry } from '@posthorn/contracts/admin/session'
import type { Router } from 'express'
import type { Identity } from '../identity/create-identity.ts'
import { type ListedSession, listSessions } from '../store/open-sessions.ts'
import { entryOf, pathId, signedInEndpoint } from './endpoint.ts'

/** Mounts the endpoints with which a signed-in person lists and ends the own sessions. */
export function mountOwnSessions(router: Router, identity: Identity): void {
  const { db, sessions, audit } = identity
  router.get(
    '/admin/session/sessions',
    signedInEndpoint(identity, async (_exchange, { person, session }) => {
      const rows = await listSessions(db, person.id)
      return { sessions: rows.map((row) => describeEntry(row, session.id)) }
    }),
  )
  router.delete(
    '/admin/session/sessions/:id',
    signedInEndpoint(identity, async (exchange, signedIn) => {
      const id = pathId(exchange.request)
      const entry = entryOf(exchange, signedIn, { operation: 'endSession' })
      const end = () => sessions.end({ id, person: signedIn.person.id })
      return { ended: await audit.change(entry, end) } satisfies EndedSessions
    }),
  )
  router.delete(
    '/admin/session/sessions',
    signedInEndpoint(identity, async (exchange, signedIn) => {
      const { person, session } = signedIn
      const entry = entryOf(exchange, signedIn, { operation: 'endSessions' })
      const end = () => sessions.end({ person: person.id, except: session.id })
      return { ended: await audit.change(entry, end) } satisfies EndedSessions
    }),
  )
}

/**
 * Describes a session in a list of sessions. `current` is the id of the session that requested the
 * list.
 */
export function describeEntry(row: ListedSession, current: string): SessionEntry {
  const { id, createdAt, seenAt, expiresAt, address, browser } = row
  return {
    id,
    createdAt: createdAt.toISOString(),
    seenAt: seenAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    address,
    browser,
    current: id === current,
  }
}

import type { EndedSessions } from '@posthorn/contracts/admin/session'
import type { Router } from 'express'
import type { Identity } from '../../identity/create-identity.ts'
import { listSessions } from '../../store/open-sessions.ts'
import { entryOf, ownerEndpoint, pathId } from '../endpoint.ts'
import { describeEntry } from '../own-sessions.ts'

/** Mounts the endpoints with which owners list and end the sessions of all people. */
export function mountPeopleSessions(router: Router, identity: Identity): void {
  const { db, audit, sessions } = identity
  router.get(
    '/admin/people/sessions',
    ownerEndpoint(identity, async (_exchange, { session }) => {
      const rows = await listSessions(db)
      return {
        sessions: rows.map((row) => ({
          ...describeEntry(row, session.id),
          person: { id: row.person, email: row.email, name: row.name },
        })),
      }
    }),
  )
  router.delete(
    '/admin/people/sessions/:id',
    ownerEndpoint(identity, async (exchange, signedIn) => {
      const id = pathId(exchange.request)
      const entry = entryOf(exchange, signedIn, { operation: 'endPersonSession' })
      return {
        ended: await audit.change(entry, () => sessions.end({ id })),
      } satisfies EndedSessions
    }),
  )
  router.delete(
    '/admin/people/:id/sessions',
    ownerEndpoint(identity, async (exchange, signedIn) => {
      const person = pathId(exchange.request)
      const entry = entryOf(exchange, signedIn, { operation: 'endPersonSessions' })
      const end = () => sessions.end({ person, except: signedIn.session.id })
      return { ended: await audit.change(entry, end) } satisfies EndedSessions
    }),
  )
}

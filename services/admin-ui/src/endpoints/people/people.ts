import { type PersonRecord, PersonUpdate } from '@posthorn/contracts/admin/people'
import { defined } from '@posthorn/contracts/defined'
import type { Router } from 'express'
import { readJsonBody } from '../../http/read-body.ts'
import { changePerson, removePerson, resetFactors } from '../../identity/change-people.ts'
import type { Identity } from '../../identity/create-identity.ts'
import { factorsOf } from '../../identity/describe-session.ts'
import { invitationUrl } from '../../identity/set-up-link.ts'
import type { SignedIn } from '../../identity/signed-in.ts'
import { listPeople, type StoredPerson } from '../../store/people.ts'
import { entryOf, ownerEndpoint, type PageExchange, pathId } from '../endpoint.ts'

export interface PeopleDeps {
  identity: Identity
  /** Returns the origin of the administration pages for links. */
  originOf: (exchange: PageExchange) => string
}

/** Mounts the endpoints with which owners manage people. */
export function mountPeople(router: Router, { identity, originOf }: PeopleDeps): void {
  const { db, audit, sessions } = identity
  router.get(
    '/admin/people',
    ownerEndpoint(identity, async () => ({ people: (await listPeople(db)).map(describePerson) })),
  )
  router.put(
    '/admin/people/:id',
    ownerEndpoint(identity, async (exchange, signedIn) => {
      const changes = await readJsonBody(exchange.request, PersonUpdate)
      const keys = Object.keys(changes)
      const entry = entryOf(exchange, signedIn, { operation: 'updatePerson', keys })
      const change = () => changePerson(db, target(exchange, signedIn), changes)
      sessions.broadcastEnd(await audit.change(entry, change))
    }),
  )
  router.delete(
    '/admin/people/:id',
    ownerEndpoint(identity, async (exchange, signedIn) => {
      const entry = entryOf(exchange, signedIn, { operation: 'deletePerson' })
      const remove = () => removePerson(db, target(exchange, signedIn).id)
      sessions.broadcastEnd(await audit.change(entry, remove))
    }),
  )
  router.post(
    '/admin/people/:id/reset-factors',
    ownerEndpoint(identity, async (exchange, signedIn) => {
      const entry = entryOf(exchange, signedIn, { operation: 'resetFactors' })
      const reset = () => resetFactors(db, target(exchange, signedIn), signedIn.person.id)
      const { id, token, expiresAt, ended } = await audit.change(entry, reset)
      sessions.broadcastEnd(ended)
      const link = invitationUrl(originOf(exchange), token)
      return { id, link, expiresAt: expiresAt.toISOString() }
    }),
  )
}

/**
 * Person whom the path of a request names. For owners who change themselves, also the session that
 * sends the request, which the change does not end.
 */
function target({ request }: PageExchange, { person, session }: SignedIn) {
  const id = pathId(request)
  return { id, ...(id === person.id && { ownSession: session.id }) }
}

function describePerson(person: StoredPerson): PersonRecord {
  const { id, email, name, role, mayReadMail, disabled, createdAt, createdBy, signedInAt } = person
  return defined({
    id,
    email,
    name,
    role,
    mayReadMail,
    disabled,
    factors: factorsOf(person),
    createdAt: createdAt.toISOString(),
    createdBy: createdBy ?? undefined,
    signedInAt: signedInAt?.toISOString(),
  })
}

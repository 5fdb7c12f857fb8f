import {
  type InvitationEntry,
  InvitationRequest,
  type NewLink,
} from '@posthorn/contracts/admin/people'
import { defined } from '@posthorn/contracts/defined'
import { AppError } from '@posthorn/errors'
import type { Router } from 'express'
import { readJsonBody } from '../../http/read-body.ts'
import { createInvitation } from '../../identity/change-people.ts'
import { invitationUrl } from '../../identity/set-up-link.ts'
import type { SignedIn } from '../../identity/signed-in.ts'
import { listInvitations, revokeLinks, type StoredLink } from '../../store/links.ts'
import { requirePasswords } from '../check-password.ts'
import { entryOf, ownerEndpoint, type PageExchange, pathId } from '../endpoint.ts'
import type { PeopleDeps } from './people.ts'

/** Mounts the endpoints with which owners invite people. */
export function mountPeopleInvitations(router: Router, deps: PeopleDeps): void {
  const { identity } = deps
  const { db, audit } = identity
  router.get(
    '/admin/people/invitations',
    ownerEndpoint(identity, async () => {
      const links = await listInvitations(db)
      return { invitations: links.map(describeInvitation) }
    }),
  )
  router.post(
    '/admin/people/invitations',
    ownerEndpoint(identity, (exchange, signedIn) => invite(deps, exchange, signedIn)),
  )
  router.delete(
    '/admin/people/invitations/:id',
    ownerEndpoint(identity, async (exchange, signedIn) => {
      const id = pathId(exchange.request)
      const entry = entryOf(exchange, signedIn, { operation: 'deleteInvitation' })
      await audit.change(entry, async () => {
        if ((await revokeLinks(db, { id, kind: 'invitation' })) === 0)
          throw new AppError('not-found', 'The invitation does not exist or was used')
      })
    }),
  )
}

async function invite(
  { identity, originOf }: PeopleDeps,
  exchange: PageExchange,
  signedIn: SignedIn,
): Promise<NewLink> {
  requirePasswords(identity)
  const { db, audit } = identity
  const request = await readJsonBody(exchange.request, InvitationRequest)
  const keys = Object.keys(request)
  const entry = entryOf(exchange, signedIn, { operation: 'createInvitation', keys })
  const create = () => createInvitation(db, request, signedIn.person.id)
  const { id, token, expiresAt } = await audit.change(entry, create)
  const link = invitationUrl(originOf(exchange), token)
  return { id, link, expiresAt: expiresAt.toISOString() }
}

function describeInvitation(link: StoredLink): InvitationEntry {
  const { id, email, role, mayReadMail, createdAt, createdBy, expiresAt } = link
  return defined({
    id,
    email: email ?? '',
    role,
    mayReadMail,
    createdAt: createdAt.toISOString(),
    createdBy: createdBy ?? undefined,
    expiresAt: expiresAt.toISOString(),
  })
}

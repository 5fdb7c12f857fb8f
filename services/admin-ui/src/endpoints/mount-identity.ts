import type { Router } from 'express'
import type { Identity } from '../identity/create-identity.ts'
import type { PageExchange } from './endpoint.ts'
import { mountMailReading } from './mail-reading.ts'
import { mountOwnPassword } from './own-password.ts'
import { mountOwnSessions } from './own-sessions.ts'
import { mountPeople } from './people/people.ts'
import { mountPeopleInvitations } from './people/invitations.ts'
import { mountPeopleSessions } from './people/sessions.ts'
import { mountSession } from './session.ts'
import { mountSessionLinks } from './session-links.ts'
import { mountSignIn } from './sign-in.ts'
import { mountStepUp } from './step-up.ts'

export interface IdentityEndpoints {
  identity: Identity
  /**
   * Origin of the administration pages for links. If undefined, the origin of the request is used.
   */
  adminUrl: string | undefined
}

/** Mounts all endpoints of admin-ui for sign-ins, sessions and people. */
export function mountIdentity(router: Router, { identity, adminUrl }: IdentityEndpoints): void {
  const originOf = (exchange: PageExchange) => adminUrl ?? ownOrigin(exchange)
  mountSession(router, identity)
  mountSignIn(router, identity)
  mountSessionLinks(router, identity)
  mountStepUp(router, identity)
  mountMailReading(router, identity)
  mountOwnSessions(router, identity)
  mountOwnPassword(router, identity)
  mountPeople(router, { identity, originOf })
  mountPeopleInvitations(router, { identity, originOf })
  mountPeopleSessions(router, identity)
}

/**
 * Origin of the administration pages that a request names. Requests from pages of other origins
 * were rejected before.
 */
function ownOrigin({ request }: PageExchange): string {
  const { origin, host } = request.headers
  return origin ?? `${request.protocol}://${host ?? 'localhost'}`
}

import type { Router } from 'express'
import { callPrefix, findForwardTarget } from '../forwarding/forward-target.ts'
import type { Forwarder } from '../forwarding/forwarder.ts'
import type { Authenticate } from '../identity/signed-in.ts'

export interface CallDeps {
  authenticate: Authenticate
  forwarder: Pick<Forwarder, 'forward'>
}

/** Mounts the endpoint that forwards calls of signed-in people to api-gateway. */
export function mountCalls(router: Router, { authenticate, forwarder }: CallDeps): void {
  router.all(`${callPrefix}/*path`, async (request, response) => {
    const signedIn = await authenticate(request)
    const target = findForwardTarget(request.method, request.originalUrl)
    const requestId = String(response.locals['requestId'] ?? '')
    await forwarder.forward({ signedIn, target, request, response, requestId })
  })
}

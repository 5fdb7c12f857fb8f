import type { Logger } from '@posthorn/telemetry'
import type { Router } from 'express'
import { callPrefix, findForwardTarget } from '../forwarding/forward-target.ts'
import type { Forwarder } from '../forwarding/forwarder.ts'
import { presentMessage } from '../forwarding/present-message.ts'
import type { Authenticate } from '../identity/signed-in.ts'
import { sendFrameProblem } from './frame-problem.ts'

export interface MessageFrameDeps {
  authenticate: Authenticate
  forwarder: Pick<Forwarder, 'forward'>
  log: Pick<Logger, 'error'>
}

/**
 * Maximum size in bytes of a message's HTML with remote images, which admin-ui sanitises.
 * sync-worker cuts larger HTML.
 */
const maxRemoteBytes = 1_048_576

/**
 * Mounts the endpoint of the frame that shows the HTML of a message. A forwarded call reads the
 * message. The frame therefore needs the rights of any call that reads mail, and the audit log
 * records each read.
 */
export function mountMessageFrame(
  router: Router,
  { authenticate, forwarder, log }: MessageFrameDeps,
): void {
  router.get('/admin/frame/message/:account/:message', async (request, response) => {
    const remoteImages = request.query['images'] === 'remote'
    try {
      const signedIn = await authenticate(request)
      const { account, message } = request.params
      const path = `/v1/account/${encodeURIComponent(account)}/message/${encodeURIComponent(message)}`
      const query = remoteImages ? `textType=html&maxBytes=${maxRemoteBytes}` : 'webSafeHtml=true'
      const target = findForwardTarget('GET', `${callPrefix}${path}?${query}`)
      const requestId = String(response.locals['requestId'] ?? '')
      const present = presentMessage({ remoteImages })
      await forwarder.forward({ signedIn, target, request, response, requestId, present })
    } catch (error) {
      sendFrameProblem(response, error, log)
    }
  })
}

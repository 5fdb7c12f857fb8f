import { describeProblem } from '@posthorn/http'
import type { Logger } from '@posthorn/telemetry'
import type { Router } from 'express'
import { callPrefix, findForwardTarget } from '../forwarding/forward-target.ts'
import type { Forwarder } from '../forwarding/forwarder.ts'
import { presentMessage, sendDocument } from '../forwarding/present-message.ts'
import type { Authenticate } from '../identity/signed-in.ts'
import { textToHtml } from '../pages/message-document.ts'

export interface MessageFrameDeps {
  authenticate: Authenticate
  forwarder: Pick<Forwarder, 'forward'>
  log: Pick<Logger, 'error'>
}

/**
 * Maximum size in bytes of HTML with remote images, which is sanitised in this process. Larger HTML
 * is cut.
 */
const maxRemoteBytes = 1_048_576

/**
 * Mounts the frame that shows the HTML of a message. The message is read by a forwarded call, so
 * that the frame needs the same rights as any call that reads mail, and each read is in the audit
 * log.
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
      if (response.headersSent) throw error
      const { status, body } = describeProblem(error)
      if (status === 500) log.error({ err: error }, 'message frame failed')
      sendDocument(response, { status, html: textToHtml(body.message), remoteImages: false })
    }
  })
}

import type { LinkKeys } from '@posthorn/links'
import type { RequestHandler } from 'express'
import type { Hits } from './hits.ts'
import { isVisit, readSigned, resolveVisitor } from './link-request.ts'
import type { Branding } from './page-layout.ts'
import { pageTheme } from './page-theme.ts'
import { sendLinkProblem } from './send-link-problem.ts'
import { sendText, sendTrackingPixel } from './send-page.ts'

export interface TrackingDeps {
  links: LinkKeys
  hits: Hits
  trustedProxies: readonly string[]
  branding: () => Promise<Branding>
  /** Called for a request of a tracking link that is not recorded as open or click. */
  onRejected: (kind: 'open' | 'click', reason: 'signature' | 'unavailable') => void
}

/**
 * Handles requests of the tracking image in a message. The response does not wait until the hit
 * (open) is recorded.
 */
export function onOpen(deps: TrackingDeps): RequestHandler {
  const { links, hits, trustedProxies, onRejected } = deps
  return async (request, response) => {
    try {
      const signed = await readSigned(links, 'open', request.query)
      if (!signed) {
        onRejected('open', 'signature')
        const { language } = await pageTheme(deps, request)
        return sendText(response, 403, { text: language.texts.links.invalid.title, language })
      }
      if (isVisit(request)) hits.record(signed.link, resolveVisitor(request, trustedProxies))
    } catch {
      // If the signing keys are unavailable, the signature cannot be verified. The reader gets the
      // tracking image nevertheless, not a broken image.
      onRejected('open', 'unavailable')
    }
    sendTrackingPixel(response)
  }
}

/**
 * Handles requests of a rewritten link in a message. Redirects only to signed URLs, and does not
 * wait until the hit (click) is recorded.
 */
export function onClick(deps: TrackingDeps): RequestHandler {
  const { links, hits, trustedProxies, onRejected } = deps
  return async (request, response) => {
    const signed = await readSigned(links, 'click', request.query).catch(
      () => 'unavailable' as const,
    )
    if (signed === 'unavailable') {
      onRejected('click', 'unavailable')
      response.setHeader('Retry-After', '5')
      return sendLinkProblem(deps, 'unavailable', { request, response })
    }
    const target = signed && URL.parse(signed.link.url)
    if (!target || !/^https?:$/.test(target.protocol)) {
      onRejected('click', 'signature')
      return sendLinkProblem(deps, 'invalid', { request, response })
    }
    if (isVisit(request)) hits.record(signed.link, resolveVisitor(request, trustedProxies))
    response.setHeader('X-Robots-Tag', 'noindex, nofollow')
    response.status(302).setHeader('Location', target.href)
    response.end()
  }
}

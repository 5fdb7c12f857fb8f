import type { RequestHandler } from 'express'
import type { LinkKeys } from '@posthorn/links'
import { sendPage, sendTrackingPixel, sendText } from './send-page.ts'
import type { Hits } from './hits.ts'
import type { Branding } from './page-layout.ts'
import { notePage } from './link-pages.ts'
import { readSigned } from './link-request.ts'
import { isVisit, resolveVisitor } from './visitor.ts'

export interface TrackingDeps {
  links: LinkKeys
  hits: Hits
  trustedProxies: readonly string[]
  branding: () => Promise<Branding>
  /** Told of requests that lead to no hit. */
  onRejected: (kind: 'open' | 'click', why: 'signature' | 'unavailable') => void
}

/** The picture in a message: shown at once, whatever becomes of the note that it was. */
export function onOpen({
  links,
  hits,
  trustedProxies,
  onRejected: refused,
}: TrackingDeps): RequestHandler {
  return async (request, response) => {
    try {
      const signed = await readSigned(links, 'open', request.query)
      if (!signed) {
        refused('open', 'signature')
        return sendText(response, 403, 'This link does not work')
      }
      if (isVisit(request)) hits.record(signed.link, resolveVisitor(request, trustedProxies))
    } catch {
      // Nobody can say whether it is ours; a broken picture would help nobody.
      refused('open', 'unavailable')
    }
    sendTrackingPixel(response)
  }
}

/** A rewritten link: leads on at once, and only to where we signed. */
export function onClick(deps: TrackingDeps): RequestHandler {
  const { links, hits, trustedProxies, branding, onRejected: refused } = deps
  return async (request, response) => {
    const signed = await readSigned(links, 'click', request.query).catch(
      () => 'unavailable' as const,
    )
    if (signed === 'unavailable') {
      refused('click', 'unavailable')
      response.setHeader('Retry-After', '5')
      return sendPage(response, 503, notePage('unavailable', await branding()))
    }
    const target = signed && URL.parse(signed.link.url)
    if (!target || !/^https?:$/.test(target.protocol)) {
      refused('click', 'signature')
      return sendPage(response, 403, notePage('invalid', await branding()))
    }
    if (isVisit(request)) hits.record(signed.link, resolveVisitor(request, trustedProxies))
    response.setHeader('X-Robots-Tag', 'noindex, nofollow')
    response.status(302).setHeader('Location', target.href)
    response.end()
  }
}

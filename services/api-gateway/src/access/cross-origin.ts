import type { IncomingHttpHeaders } from 'node:http'

/**
 * Whether a browser sends a request for a page from elsewhere. Where no token is needed, any page that is open in the browser of somebody
 * inside the network could else use us in his name: a POST without a Content-Type needs no preflight.
 */
export function isCrossOrigin({
  origin,
  host,
  'sec-fetch-site': site,
}: IncomingHttpHeaders): boolean {
  if (origin === undefined || site === 'same-origin') return false
  return URL.parse(origin)?.host !== host?.toLowerCase()
}

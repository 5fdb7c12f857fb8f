import type { IncomingHttpHeaders } from 'node:http'

/**
 * True if a page of another origin sends the request. Without required tokens, any page in a
 * browser inside the network could otherwise call the API: a POST without a Content-Type needs no
 * preflight.
 */
export function isCrossOrigin({
  origin,
  host,
  'sec-fetch-site': site,
}: IncomingHttpHeaders): boolean {
  if (origin === undefined || site === 'same-origin') return false
  return URL.parse(origin)?.host !== host?.toLowerCase()
}

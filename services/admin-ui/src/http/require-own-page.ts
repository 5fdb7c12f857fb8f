import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '@posthorn/errors'
import type { RequestHandler } from 'express'

/**
 * Header that the administration pages send with every call. Forms and images of other pages cannot
 * send it, and their scripts need a CORS preflight, which fails.
 */
export const ownPageHeader = 'x-svc-admin'

/** Paths below `/admin` to which browsers navigate during a sign-in at the OpenID provider. */
const navigations = /^\/session\/oidc(?:\/callback)?$/

/** Paths below `/admin` that the pages show in frames, to which a script cannot add a header. */
const frames = /^\/frame\//
/** Path of the frame that a form of the pages opens, with HTML that is too long for an address. */
const formFrame = '/frame/template'

/**
 * Creates the handler that rejects forged requests: requests that do not come from the
 * administration pages of this host. Mounted at `/admin`, before all JSON endpoints, the sign-in
 * included.
 *
 * @param adminUrl origin of the pages, for proxies that replace the Host header
 */
export function requireOwnPage(adminUrl: string | undefined): RequestHandler {
  return ({ method, path, headers }, _response, next) => {
    const isRead = method === 'GET' || method === 'HEAD'
    if (isRead && navigations.test(path)) return next()
    if (frames.test(path)) {
      const expected = path === formFrame ? 'POST' : 'GET'
      if (method === expected && isOwnFrame(headers)) return next()
      throw new AppError('forbidden', 'This address can only be opened in the administration pages')
    }
    if (headers[ownPageHeader] !== '1' || !isOwnOrigin(headers, { adminUrl, isRead }))
      throw new AppError(
        'forbidden',
        'Requests must come from the administration pages of this host, with the header X-SVC-Admin: 1',
      )
    next()
  }
}

/**
 * True if a browser sent the request for one of the administration pages. Browsers send
 * `Sec-Fetch-Site` to HTTPS and loopback only. Without it, the header `Origin` decides, which
 * browsers omit in GET requests of the same origin.
 */
function isOwnOrigin(
  { 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders,
  { adminUrl, isRead }: { adminUrl: string | undefined; isRead: boolean },
): boolean {
  if (site !== undefined) return site === 'same-origin'
  if (origin === undefined) return isRead
  return origin === adminUrl || URL.parse(origin)?.host === host?.toLowerCase()
}

/**
 * True if a page of the same origin loads a frame. False for links and forms of a document in a
 * sandboxed frame, because such a document has an opaque origin. Browsers send these headers to
 * HTTPS and loopback, the only addresses at which the session cookie works.
 */
function isOwnFrame(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-site'] === 'same-origin' && headers['sec-fetch-dest'] === 'iframe'
}

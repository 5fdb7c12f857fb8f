import type { RequestHandler } from 'express'

export interface CorsOptions {
  /**
   * Origins that may send cross-origin requests, as in the header `Origin`. `*` allows all origins.
   */
  origins: readonly string[]
  /** Time for which browsers may cache the response to a CORS preflight. */
  maxAgeSeconds: number
  methods: readonly string[]
  /**
   * Request headers that cross-origin requests may contain, in addition to the CORS-safelisted
   * headers.
   */
  requestHeaders: readonly string[]
  /**
   * Response headers that pages of other origins may read, in addition to the CORS-safelisted
   * headers.
   */
  responseHeaders: readonly string[]
}

/**
 * Creates the handler that allows cross-origin requests from browsers (Fetch standard, "CORS
 * protocol"). The handler itself answers preflight requests, because they contain no access token.
 * Credentials such as cookies are never allowed. A request from another origin is not rejected: the
 * browser withholds the response from the page.
 */
export function cors(options: CorsOptions): RequestHandler {
  const { origins, maxAgeSeconds } = options
  const methods = options.methods.join(', ')
  const requestHeaders = options.requestHeaders.join(', ')
  const responseHeaders = options.responseHeaders.join(', ')
  const allowsAll = origins.includes('*')
  return (request, response, next) => {
    // The header `Vary: Origin` tells caches not to serve the response for one origin to another
    // origin.
    if (!allowsAll) response.vary('Origin')
    const { origin } = request.headers
    if (origin === undefined || !(allowsAll || origins.includes(origin))) return next()
    response.setHeader('Access-Control-Allow-Origin', allowsAll ? '*' : origin)
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
    if (!isPreflight) {
      response.setHeader('Access-Control-Expose-Headers', responseHeaders)
      return next()
    }
    response.setHeader('Access-Control-Allow-Methods', methods)
    response.setHeader('Access-Control-Allow-Headers', requestHeaders)
    response.setHeader('Access-Control-Max-Age', String(maxAgeSeconds))
    response.status(204).end()
  }
}

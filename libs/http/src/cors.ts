import type { RequestHandler } from 'express'

export interface CorsOptions {
  /** Allowed origins of cross-origin requests, as browsers send them; `*` allows all origins. */
  origins: readonly string[]
  /** Time for which browsers may cache the response to a CORS preflight. */
  maxAgeSeconds: number
  methods: readonly string[]
  /**
   * Request headers allowed in cross-origin requests in addition to the CORS-safelisted headers.
   */
  requestHeaders: readonly string[]
  /**
   * Response headers exposed to pages of other origins in addition to the CORS-safelisted headers.
   */
  responseHeaders: readonly string[]
}

/**
 * Allows cross-origin calls from browsers (Fetch standard, "CORS protocol"). Preflights are
 * answered here, because they carry no token. Credentials such as cookies are never allowed. A page
 * of another origin is not rejected; its browser withholds the response.
 */
export function cors(options: CorsOptions): RequestHandler {
  const { origins, maxAgeSeconds } = options
  const methods = options.methods.join(', ')
  const requestHeaders = options.requestHeaders.join(', ')
  const responseHeaders = options.responseHeaders.join(', ')
  const allowsAll = origins.includes('*')
  return (request, response, next) => {
    // A cache must not serve the response for one origin to another origin.
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

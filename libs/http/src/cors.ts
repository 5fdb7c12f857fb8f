import type { RequestHandler } from 'express'

export interface CorsOptions {
  /** Whose pages may call us from a browser, as browsers write them; `*` for all. */
  origins: readonly string[]
  /** How long browsers may remember what a preflight said. */
  maxAgeSeconds: number
  methods: readonly string[]
  /** Headers pages may send, beside those that they always may. */
  requestHeaders: readonly string[]
  /** Headers pages may read, beside those that they always may. */
  responseHeaders: readonly string[]
}

/**
 * Cross-origin calls from browsers (Fetch standard, "CORS protocol"). Preflights are answered here, for they never carry a token.
 * Cookies are never let through: who calls from a page brings a token. A page from elsewhere gets an answer that its browser keeps from it.
 */
export function cors(options: CorsOptions): RequestHandler {
  const { origins, maxAgeSeconds } = options
  const methods = options.methods.join(', ')
  const requestHeaders = options.requestHeaders.join(', ')
  const responseHeaders = options.responseHeaders.join(', ')
  const toAll = origins.includes('*')
  return (request, response, next) => {
    // Caches must not show one page's answer to another.
    if (!toAll) response.vary('Origin')
    const { origin } = request.headers
    if (origin === undefined || !(toAll || origins.includes(origin))) return next()
    response.setHeader('Access-Control-Allow-Origin', toAll ? '*' : origin)
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

import type { RequestHandler } from 'express'

/**
 * Headers of HTTP responses that contain data. Such responses must not be cached, sniffed, framed,
 * embedded or executed. HTML pages replace some of these headers.
 */
export const dataHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Permitted-Cross-Domain-Policies': 'none',
} as const

/** Value of the header Strict-Transport-Security: 1 year (RFC 6797 §6.1). */
const strictTransport = 'max-age=31536000'

/**
 * Creates the handler that adds security headers to HTTP responses.
 *
 * @param secure true if this server terminates TLS; the headers then include HSTS
 */
export function securityHeaders(secure: boolean): RequestHandler {
  const headers = Object.entries({
    ...dataHeaders,
    ...(secure ? { 'Strict-Transport-Security': strictTransport } : {}),
  })
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value)
    next()
  }
}

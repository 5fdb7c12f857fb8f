import type { RequestHandler } from 'express'

/** For answers that are data and not pages: nothing may keep, sniff, frame, embed or run them. Pages loosen what they need. */
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

/** A year, and what browsers take for a promise. RFC 6797 §6.1. */
const strictTransport = 'max-age=31536000'

/** @param secure whether we speak TLS ourselves: then browsers shall never ask in clear again */
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

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

/**
 * Request headers that admin-ui forwards to api-gateway. All others are dropped, cookies included.
 */
const requestHeaders = [
  'accept',
  'accept-language',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'last-event-id',
  'range',
  'x-svc-timeout',
] as const

/** Person and client for which a call is forwarded to api-gateway. */
export interface ForwardedCaller {
  credential: string
  /** Network address of the client that sent the call. */
  address: string
  requestId: string
}

/**
 * Request headers of a forwarded call: permitted headers of the client, the credential of the
 * person and the client's address. Headers that delimit the body are not included.
 */
export function forwardedHeaders(
  headers: IncomingHttpHeaders,
  { credential, address, requestId }: ForwardedCaller,
): Record<string, string> {
  const forwarded: Record<string, string> = {
    // Response bodies of api-gateway are forwarded as they are, without decoding.
    'accept-encoding': 'identity',
    authorization: `Bearer ${credential}`,
    'x-forwarded-for': address,
    'x-request-id': requestId,
  }
  for (const name of requestHeaders) {
    const value = headers[name]
    if (typeof value === 'string') forwarded[name] = value
  }
  return forwarded
}

/**
 * Response headers that apply to a connection (RFC 9110 §7.6.1) or to the whole host. A response of
 * api-gateway must not set them for the host of the administration pages.
 */
const droppedHeaders = new Set([
  'alt-svc',
  'clear-site-data',
  'connection',
  'keep-alive',
  'nel',
  'proxy-authenticate',
  'proxy-connection',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'strict-transport-security',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Copies the headers of api-gateway's response. The security headers that admin-ui has already set
 * remain, except `Cache-Control`.
 */
export function copyResponseHeaders(headers: IncomingHttpHeaders, response: ServerResponse): void {
  const named = new Set(
    (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()),
  )
  // If the HTTP client has decoded the body of api-gateway's response, the length of the body is
  // unknown.
  const isDecoded = (headers['content-encoding'] ?? 'identity') !== 'identity'
  const isDropped = (name: string) =>
    droppedHeaders.has(name) ||
    named.has(name) ||
    name.startsWith('access-control-') ||
    (isDecoded && /^content-(?:encoding|length)$/.test(name)) ||
    (response.hasHeader(name) && name !== 'cache-control')
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !isDropped(name)) response.setHeader(name, value)
}

import { isPermanent, messageOf } from '@posthorn/errors'

/**
 * Class of an HTTP call's result. Only `2xx` is a success. `aborted`: the caller cancelled the
 * call.
 */
export type HttpOutcome =
  | '2xx'
  | 'http-4xx'
  | 'http-5xx'
  | 'redirect-refused'
  | 'egress-blocked'
  | 'dns'
  | 'refused'
  | 'unreachable'
  | 'connect-timeout'
  | 'response-timeout'
  | 'tls'
  | 'reset'
  | 'protocol'
  /** Outcome of an HTTP call whose streamed response body exceeds its size limit. */
  | 'too-large'
  /**
   * Outcome of an HTTP call whose proxy could not be reached or reported an error. Such a failure
   * is not a fault of the HTTP server.
   */
  | 'proxy-fault'
  | 'aborted'

/**
 * Classifies an HTTP response by its status. Unusual statuses below 500 count as 4xx, all statuses
 * from 500 on as 5xx.
 */
export function outcomeOfStatus(status: number): HttpOutcome {
  if (status >= 200 && status < 300) return '2xx'
  if (status >= 300 && status < 400 && status !== 304) return 'redirect-refused'
  return status >= 500 ? 'http-5xx' : 'http-4xx'
}

const codes: Readonly<Record<string, HttpOutcome>> = {
  EEGRESSBLOCKED: 'egress-blocked',
  EPROXY: 'proxy-fault',
  ENOTFOUND: 'dns',
  ENODATA: 'dns',
  EBADNAME: 'dns',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EACCES: 'unreachable',
  EPROTO: 'tls',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ERR_STREAM_PREMATURE_CLOSE: 'reset',
  ERR_HTTP_CONTENT_LENGTH_MISMATCH: 'reset',
}

const prefixes: readonly [prefix: string, outcome: HttpOutcome][] = [
  ['EAI_', 'dns'],
  ['HPE_', 'protocol'],
  ['ERR_TLS_', 'tls'],
  ['ERR_SSL_', 'tls'],
  ['CERT_', 'tls'],
  ['UNABLE_TO_', 'tls'],
  ['SELF_SIGNED_', 'tls'],
  ['DEPTH_ZERO_', 'tls'],
  ['HOSTNAME_MISMATCH', 'tls'],
]

/**
 * Classifies the error of an HTTP call. `connected` decides whether a timeout counts as a timeout
 * of the connection or of the response.
 */
export function outcomeOfError(error: unknown, connected: boolean): HttpOutcome {
  const code = codeOf(error)
  if (code === 'ETIMEDOUT') return connected ? 'response-timeout' : 'connect-timeout'
  if (code === 'ABORT_ERR' || code === 'ERR_ABORTED') return 'aborted'
  const byPrefix = prefixes.find(([prefix]) => code.startsWith(prefix))
  return codes[code] ?? byPrefix?.[1] ?? (isPermanent(error) ? 'egress-blocked' : 'protocol')
}

/**
 * Returns the error code of a failed HTTP call. If the error has no code of its own, returns the
 * code of its cause.
 */
function codeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  if (
    typeof code === 'string' &&
    code !== 'ERR_GOT_REQUEST_ERROR' &&
    code !== 'ERR_READING_RESPONSE_STREAM'
  )
    return code
  if (cause !== undefined) return codeOf(cause)
  return /socket hang up|aborted/i.test(messageOf(error)) ? 'ECONNRESET' : ''
}

import { isPermanent, messageOf } from '@posthorn/errors'

/** What became of a call, in one word. `2xx` is the only success; `aborted` means that the caller gave up. */
export type Outcome =
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
  /** Between us and the proxy, or said by it: no fault of the server's. */
  | 'proxy-fault'
  | 'aborted'

/** The class of an answered call. Whatever is neither 2xx nor a redirect counts as a refusal: 4xx, or 5xx from 500 up. */
export function outcomeOfStatus(status: number): Outcome {
  if (status >= 200 && status < 300) return '2xx'
  if (status >= 300 && status < 400 && status !== 304) return 'redirect-refused'
  return status >= 500 ? 'http-5xx' : 'http-4xx'
}

const codes: Readonly<Record<string, Outcome>> = {
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

const prefixes: readonly [prefix: string, outcome: Outcome][] = [
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

/** The class of a call that ended in an error. `connected` tells a connection that was not made from an answer that did not come. */
export function outcomeOfError(error: unknown, connected: boolean): Outcome {
  const code = codeOf(error)
  if (code === 'ETIMEDOUT') return connected ? 'response-timeout' : 'connect-timeout'
  if (code === 'ABORT_ERR' || code === 'ERR_ABORTED') return 'aborted'
  const byPrefix = prefixes.find(([prefix]) => code.startsWith(prefix))
  return codes[code] ?? byPrefix?.[1] ?? (isPermanent(error) ? 'egress-blocked' : 'protocol')
}

/** The code of an error, or of what it was made from. */
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

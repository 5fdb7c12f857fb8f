import type { PosthornError } from '@posthorn/client'

/** Remedy for an error response of the API. Undefined if the message of the response suffices. */
export function remedyOf(error: PosthornError): string | undefined {
  const { status, code } = error
  if (status === 401) return 'Run `posthorn login` with a token that is valid.'
  if (status === 403 && code === undefined) return accessRemedy(error)
  if (status >= 300 && status < 400)
    return 'The URL redirects to another URL: use the other URL, often the same URL with https.'
  return undefined
}

/** Remedy for an access token that is valid, but does not have the rights for the request. */
function accessRemedy({ message, problem }: PosthornError): string {
  const { requestedScope, requiredPermission, remoteAddress } = problem
  if (requestedScope !== undefined)
    return `The token has no scope \`${requestedScope}\`: use another token.`
  if (requiredPermission !== undefined) {
    const { action, group } = requiredPermission
    return `The token does not permit the action \`${action}\` of the group \`${group}\`: use another token.`
  }
  if (remoteAddress !== undefined) return `The token must not be used from ${remoteAddress}.`
  if (message === 'Unauthorized account')
    return 'The token is bound to another account, or the command is not for bound tokens: use another token.'
  return 'The token does not permit the command: use another token.'
}

/** Error codes of TLS connections to servers whose certificate authority Node does not trust. */
const untrustedCodes = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])

/** Lines for the user about an API call without a complete response: the reason and the remedy. */
export function connectionLines(cause: unknown): string[] {
  const { name, code, message } = rootOf(cause)
  if (name === 'SyntaxError')
    return [
      'the response is not JSON',
      'Check the URL: another program than the server may have responded.',
    ]
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER')
    return [
      'no connection to the server: the port of the URL does not use TLS',
      'Use a URL with http, or another port.',
    ]
  if (untrustedCodes.has(code ?? ''))
    return [
      `no connection to the server: ${message.split(';')[0]}`,
      'Set NODE_EXTRA_CA_CERTS to a file with the certificate of the authority.',
    ]
  return [
    `no connection to the server: ${message || (code ?? name)}`,
    'Check the URL and the network.',
  ]
}

/** Innermost cause of an error of an API call. */
function rootOf(error: unknown): NodeJS.ErrnoException {
  if (!(error instanceof Error)) return new Error(String(error))
  return error.cause instanceof Error ? rootOf(error.cause) : error
}

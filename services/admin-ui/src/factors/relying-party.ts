import type { IncomingMessage } from 'node:http'
import { AppError } from '@posthorn/errors'
import { isLoopback } from '@posthorn/net/addresses'

/** Relying party of passkeys (WebAuthn §4). Its id is the host name of the administration pages. */
export interface RelyingParty {
  id: string
  origin: string
}

/**
 * Relying party of passkeys for a request. Without SVC_ADMIN_URL, only hosts on this machine are
 * accepted: the Host header of other requests could be forged.
 *
 * @throws AppError `invalid` for another host without SVC_ADMIN_URL
 */
export function relyingPartyOf(
  request: IncomingMessage,
  adminUrl: string | undefined,
): RelyingParty {
  if (adminUrl !== undefined) {
    const { hostname, origin } = new URL(adminUrl)
    return { id: hostname, origin }
  }
  const { origin: sent, host = '' } = request.headers
  const url = URL.parse(sent ?? `http://${host}`)
  const name = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (url?.host === host && (name === 'localhost' || isLoopback(name)))
    return { id: url.hostname, origin: url.origin }
  throw new AppError('invalid', 'The address of the pages is unknown. Set SVC_ADMIN_URL')
}

import { addressAllowed, addressOf } from '@posthorn/access'
import { AppError } from '@posthorn/errors'
import type { RequestHandler } from 'express'

export interface AddressOptions {
  /**
   * Network addresses and ranges of clients that have access to admin-ui. Undefined: all clients
   * have access.
   */
  readonly addresses: readonly string[] | undefined
  /** IP addresses of proxies whose X-Forwarded-For is used. */
  readonly trustedProxies: readonly string[]
}

/**
 * Creates the handler that rejects clients outside the allowed network addresses, before other
 * parts of a request are read.
 */
export function allowAddresses({ addresses, trustedProxies }: AddressOptions): RequestHandler {
  return (request, _response, next) => {
    if (addresses !== undefined && !isAllowed(addresses, addressOf(request, trustedProxies)))
      throw new AppError('forbidden', 'The administration pages are closed to this network address')
    next()
  }
}

/**
 * True if the list of allowed addresses contains a client's address. An empty list, such as `,`,
 * contains none.
 */
function isAllowed(addresses: readonly string[], address: string): boolean {
  return addresses.length > 0 && addressAllowed(addresses, address)
}

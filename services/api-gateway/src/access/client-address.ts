import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { addressAllowed } from '@posthorn/access'

/**
 * Returns the address of the client. `X-Forwarded-For` is read from the right up to the first
 * address outside `trustedProxies`; clients can forge everything further left.
 */
export function clientAddress(
  remote: string,
  forwardedFor: string | undefined,
  trustedProxies: readonly string[],
): string {
  // An empty list of trusted proxies trusts no address, unlike an empty list of a token
  // restriction, which allows all addresses.
  const isTrusted = (address: string) =>
    trustedProxies.length > 0 && addressAllowed(trustedProxies, address)
  let client = plain(remote)
  for (const hop of (forwardedFor ?? '').split(',').reverse()) {
    const address = plain(hop.trim())
    if (!isTrusted(client) || isIP(address) === 0) break
    client = address
  }
  return client
}

/** Variant of `clientAddress` for a request. */
export function addressOf(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: readonly string[],
): string {
  const forwarded = headers['x-forwarded-for']?.toString()
  return clientAddress(socket.remoteAddress ?? '', forwarded, trustedProxies)
}

/** Removes zone ids and unwraps IPv4-mapped addresses (RFC 4291 §2.5.5.2). */
function plain(address: string): string {
  const [bare = ''] = address.split('%')
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare
}

import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { addressAllowed } from './address-ranges.ts'

/**
 * Returns the IP address of the client that sent an HTTP request. `X-Forwarded-For` is read from
 * the right up to the first address outside `trustedProxies`; clients can forge all addresses
 * further left.
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

/**
 * Returns the IP address of the client of an HTTP request. Reads `X-Forwarded-For` like
 * `clientAddress`.
 */
export function addressOf(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: readonly string[],
): string {
  const forwarded = headers['x-forwarded-for']?.toString()
  return clientAddress(socket.remoteAddress ?? '', forwarded, trustedProxies)
}

/** Removes the zone id of an IP address and unwraps IPv4-mapped addresses (RFC 4291 §2.5.5.2). */
function plain(address: string): string {
  const [bare = ''] = address.split('%')
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare
}

/** Address ranges that decide which clients may read `/metrics`. */
export interface ScrapeLimits {
  /** IP addresses that may read `/metrics`. */
  readonly metricsAddresses: readonly string[]
  /** IP addresses of proxies whose X-Forwarded-For is used. */
  readonly trustedProxies: readonly string[]
}

/**
 * True if the client may read `/metrics`: its address is allowed, and the request did not come
 * through an untrusted proxy, which could forward any client. An ingress that forwards all paths
 * therefore exposes no metrics.
 */
export function mayScrape(
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  { metricsAddresses, trustedProxies }: ScrapeLimits,
): boolean {
  const { 'x-forwarded-for': forwardedFor, forwarded, via } = request.headers
  const isForwarded = [forwardedFor, forwarded, via].some((header) => header !== undefined)
  const client = addressOf(request, trustedProxies)
  // If a request has proxy headers, but its client address is the address of the TCP peer, that
  // peer is an untrusted proxy.
  if (isForwarded && client === addressOf(request, [])) return false
  return metricsAddresses.length > 0 && addressAllowed(metricsAddresses, client)
}

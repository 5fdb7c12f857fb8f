import { isIP } from 'node:net'
import { addressAllowed } from '@posthorn/access'

/**
 * The address of the client itself. `X-Forwarded-For` counts only as far as trusted proxies wrote it: from the right, up to the
 * first address that is not one of them. What stands further left anybody can have sent.
 */
export function clientAddress(
  remote: string,
  forwardedFor: string | undefined,
  trustedProxies: readonly string[],
): string {
  // An empty list stands for every address where tokens are concerned, for none here.
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

/** Without the zone of a link-local address, and an IPv4 address as such where the socket speaks both. RFC 4291 §2.5.5.2. */
function plain(address: string): string {
  const [bare = ''] = address.split('%')
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1] ?? bare
}

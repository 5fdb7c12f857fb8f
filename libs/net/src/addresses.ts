import { isIPv6 } from 'node:net'

/**
 * Normalises an IP address of a socket. An IPv4-mapped IPv6 address becomes an IPv4 address, and a
 * zone id is removed.
 */
export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}

/**
 * Returns the network whose addresses count as a single client: the /64 network of an IPv6 address,
 * which usually belongs to one customer, or an IPv4 address itself.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = ''] = address.split('::')
  return head.split(':').slice(0, 4).join(':')
}

/**
 * True for a loopback address. TLS is not required for loopback, because the traffic does not leave
 * the machine.
 */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^127(?:\.\d{1,3}){3}$/.test(address)
}

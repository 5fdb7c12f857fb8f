import { isIPv6 } from 'node:net'

/** Normalises a socket address: IPv4-mapped IPv6 becomes IPv4, a zone id is removed. */
export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}

/** Returns the network of one customer: the /64 of an IPv6 address, or the IPv4 address itself. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = ''] = address.split('::')
  return head.split(':').slice(0, 4).join(':')
}

/** True for a loopback address. Its traffic does not leave the machine, so TLS is not required. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^127(?:\.\d{1,3}){3}$/.test(address)
}

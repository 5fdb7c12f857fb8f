import { BlockList, isIP } from 'node:net'

/** Single IP address, or CIDR range of IP addresses. */
interface Range {
  address: string
  bits: number
  family: 'ipv4' | 'ipv6'
}

/**
 * True if the network `outer` contains all addresses of the network `inner`. Each network is an IP
 * address or a CIDR range.
 */
export function rangeCovers(outer: string, inner: string): boolean {
  const whole = parseRange(outer)
  const part = parseRange(inner)
  if (!whole || !part || whole.family !== part.family || part.bits < whole.bits) return false
  const list = new BlockList()
  list.addSubnet(whole.address, whole.bits, whole.family)
  return list.check(part.address, part.family)
}

/** Parses an address or CIDR range; undefined for any other text. */
export function parseRange(text: string): Range | undefined {
  const [address = '', suffix, ...rest] = text.split('/')
  const family = familyOf(address)
  if (family === undefined || address.includes('%') || rest.length > 0) return undefined
  const width = family === 'ipv4' ? 32 : 128
  if (suffix !== undefined && !/^\d{1,3}$/.test(suffix)) return undefined
  const bits = suffix === undefined ? width : Number(suffix)
  return bits > width ? undefined : { address, bits, family }
}

/** IP family (`ipv4` or `ipv6`) of an address; undefined for any other text. */
export function familyOf(address: string): Range['family'] | undefined {
  const family = isIP(address)
  return family === 0 ? undefined : family === 4 ? 'ipv4' : 'ipv6'
}

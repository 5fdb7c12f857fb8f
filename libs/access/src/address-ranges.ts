import { BlockList, isIP } from 'node:net'

/**
 * True if the IP address is in one of the addresses and CIDR ranges of a list. An absent or empty
 * list contains every address. Malformed entries match nothing.
 */
export function addressAllowed(
  ranges: readonly string[] | null | undefined,
  address: string,
): boolean {
  if (!ranges || ranges.length === 0) return true
  const family = isIP(address)
  if (family === 0) return false
  return blockListOf(ranges).check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/**
 * Compiled forms of lists of addresses and CIDR ranges. An access token may be restricted to 1,000
 * ranges, which are checked with every request.
 */
const compiled = new WeakMap<readonly string[], BlockList>()

function blockListOf(ranges: readonly string[]): BlockList {
  const cached = compiled.get(ranges)
  if (cached) return cached
  const list = new BlockList()
  for (const range of ranges) addRange(list, range)
  compiled.set(ranges, list)
  return list
}

function addRange(list: BlockList, range: string): void {
  const [address = '', prefix, ...rest] = range.trim().split('/')
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return
  const type = family === 6 ? 'ipv6' : 'ipv4'
  if (prefix === undefined) list.addAddress(address, type)
  else if (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32))
    list.addSubnet(address, Number(prefix), type)
}

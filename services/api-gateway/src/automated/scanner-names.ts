import { BlockList, isIP, isIPv6 } from 'node:net'
import type { Resolver } from 'node:dns/promises'
import { LRUCache } from 'lru-cache'

export type Names = Pick<Resolver, 'reverse' | 'resolve4' | 'resolve6'>

/** Networks that look at mail for its recipients and follow all links in it; they publish no addresses. */
const scanners = ['barracuda.com', 'spfbl.net']

const maxKnown = 20_000
const knownMs = 3_600_000
/** Questions under way: beyond that nobody is asked, and the hit counts. */
const maxAsking = 50
/** Of the names of an address, those that are looked at: whoever owns the address can give it any number. */
const maxNames = 5

const notPublic = new BlockList()
for (const [address, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  notPublic.addSubnet(address, bits, 'ipv4')
for (const [address, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  notPublic.addSubnet(address, bits, 'ipv6')

/**
 * Whether an address belongs to a scanner, going by its name. A name counts only if it leads back to the address: whoever owns an
 * address can give it any name. What cannot be found out is not one. Never rejects; takes seconds where DNS does.
 */
export function createScannerCheck(names: Names): (address: string) => Promise<boolean> {
  const known = new LRUCache<string, Promise<boolean>>({ max: maxKnown, ttl: knownMs })
  let asking = 0
  return async (address) => {
    const family = isIP(address)
    if (family === 0 || notPublic.check(address, family === 6 ? 'ipv6' : 'ipv4')) return false
    const earlier = known.get(address)
    if (earlier) return earlier
    if (asking >= maxAsking) return false
    asking += 1
    const answer = lookUp(names, address)
      .catch(() => false)
      .finally(() => (asking -= 1))
    known.set(address, answer)
    return answer
  }
}

async function lookUp(names: Names, address: string): Promise<boolean> {
  const found = (await names.reverse(address)).slice(0, maxNames)
  const candidates = found.filter((name) => isScanner(name.toLowerCase().replace(/\.$/, '')))
  for (const name of candidates) {
    const addresses = isIPv6(address) ? await names.resolve6(name) : await names.resolve4(name)
    if (addresses.some((other) => same(other, address))) return true
  }
  return false
}

function isScanner(name: string): boolean {
  return scanners.some((domain) => name === domain || name.endsWith(`.${domain}`))
}

/** However they are written. */
function same(left: string, right: string): boolean {
  const family = isIPv6(right) ? 'ipv6' : 'ipv4'
  const list = new BlockList()
  list.addAddress(right, family)
  return list.check(left, family)
}

import { BlockList, isIPv6 } from 'node:net'
import type { Resolver } from 'node:dns/promises'
import { TtlCache } from '@posthorn/flow'
import { isSameAddress } from '@posthorn/net/local-addresses'
import { familyOf } from '../access/address-ranges.ts'

export type Names = Pick<Resolver, 'reverse' | 'resolve4' | 'resolve6'>

/** Domains of mail scanners that follow all links and publish no address ranges. */
const scannerDomains = ['barracuda.com', 'spfbl.net']

const maxCached = 20_000
const cacheTtlMs = 3_600_000
/** Maximum concurrent DNS lookups of link visitors; further addresses count as human visitors. */
const maxLookups = 50
/** Maximum DNS names checked per IP address; the owner of an address can publish any number. */
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
 * Creates a check whether an IP address belongs to a mail scanner, by its DNS name. A name counts
 * only if it resolves back to the address, because owners can publish any name. Unresolved
 * addresses are not scanners. Never rejects; may take seconds.
 */
export function createScannerCheck(names: Names): (address: string) => Promise<boolean> {
  const cache = new TtlCache<string, Promise<boolean>>({ max: maxCached, ttlMs: cacheTtlMs })
  let lookups = 0
  return async (address) => {
    const family = familyOf(address)
    if (family === undefined || notPublic.check(address, family)) return false
    const cached = cache.get(address)
    if (cached) return cached
    if (lookups >= maxLookups) return false
    lookups += 1
    const result = lookUp(names, address)
      .catch(() => false)
      .finally(() => (lookups -= 1))
    cache.set(address, result)
    return result
  }
}

async function lookUp(names: Names, address: string): Promise<boolean> {
  const published = (await names.reverse(address)).slice(0, maxNames)
  const candidates = published.filter((name) => isScanner(name.toLowerCase().replace(/\.$/, '')))
  for (const name of candidates) {
    const addresses = isIPv6(address) ? await names.resolve6(name) : await names.resolve4(name)
    if (addresses.some((other) => isSameAddress(other, address))) return true
  }
  return false
}

function isScanner(name: string): boolean {
  return scannerDomains.some((domain) => name === domain || name.endsWith(`.${domain}`))
}

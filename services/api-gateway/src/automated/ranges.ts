import { BlockList, isIP } from 'node:net'

/** Address ranges published by crawler operators. Written by `make crawlers`. */
export interface CrawlerRanges {
  sources: { name: string; url: string; ranges: string[] }[]
}

/**
 * Creates a check whether an address is in one of the ranges.
 *
 * @throws Error if the text is not a valid ranges file
 */
export function createRangeCheck(text: string): (address: string) => boolean {
  const { sources } = JSON.parse(text) as CrawlerRanges
  const list = new BlockList()
  for (const range of sources.flatMap(({ ranges }) => ranges)) {
    const parsed = parseRange(range)
    if (!parsed) throw new Error(`"${range}" is not an address range`)
    list.addSubnet(parsed.address, parsed.bits, parsed.family)
  }
  return (address) => {
    const family = familyOf(address)
    return family !== undefined && list.check(address, family)
  }
}

interface Range {
  address: string
  bits: number
  family: 'ipv4' | 'ipv6'
}

/** Parses an address or CIDR range; undefined if it is neither. */
export function parseRange(text: string): Range | undefined {
  const [address = '', suffix, ...rest] = text.split('/')
  const family = familyOf(address)
  if (family === undefined || rest.length > 0) return undefined
  const width = family === 'ipv4' ? 32 : 128
  if (suffix !== undefined && !/^\d{1,3}$/.test(suffix)) return undefined
  const bits = suffix === undefined ? width : Number(suffix)
  return bits > width ? undefined : { address, bits, family }
}

function familyOf(address: string): Range['family'] | undefined {
  const family = isIP(address)
  return family === 0 ? undefined : family === 4 ? 'ipv4' : 'ipv6'
}

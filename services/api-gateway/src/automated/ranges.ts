import { BlockList, isIP } from 'node:net'

/** Addresses of crawlers, as their operators publish them. Written by `make crawlers`. */
export interface CrawlerRanges {
  sources: { name: string; url: string; ranges: string[] }[]
}

/** Whether an address is in one of the ranges. @throws Error for what is no such file */
export function createRangeCheck(text: string): (address: string) => boolean {
  const { sources } = JSON.parse(text) as CrawlerRanges
  const list = new BlockList()
  for (const range of sources.flatMap(({ ranges }) => ranges)) {
    const parsed = parseRange(range)
    if (!parsed) throw new Error(`"${range}" is no range of addresses`)
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

/** Undefined for what is no address or CIDR range. */
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

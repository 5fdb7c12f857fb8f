import { BlockList } from 'node:net'
import { familyOf, parseRange } from '../access/address-ranges.ts'

/** Address ranges published by crawler operators. Written by `make crawlers`. */
export interface CrawlerRanges {
  sources: { name: string; url: string; ranges: string[] }[]
}

/**
 * Creates a check whether an IP address is in one of the crawler ranges.
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

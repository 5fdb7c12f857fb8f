import { parseRange } from '../access/address-ranges.ts'
import type { CrawlerRanges } from './ranges.ts'

export interface Source {
  name: string
  url: string
}

/**
 * Minimum prefix lengths of crawler address ranges. A wider range must be an error of its source:
 * most visitors would count as crawlers.
 */
const minBits = { ipv4: 10, ipv6: 24 }
const maxRanges = 20_000

/**
 * Extracts addresses and ranges from a crawler operator's published list: strings of a JSON
 * document, or lines.
 *
 * @throws Error if the list has no ranges, too many ranges, or too wide ranges
 */
export function readRanges(text: string): string[] {
  const texts =
    text.trimStart().startsWith('{') || text.trimStart().startsWith('[')
      ? textsIn(JSON.parse(text))
      : text.split('\n')
  const ranges = texts.map((one) => one.trim()).filter((one) => parseRange(one) !== undefined)
  if (ranges.length === 0) throw new Error('contains no address range')
  if (ranges.length > maxRanges) throw new Error(`more than ${maxRanges} ranges`)
  for (const range of ranges) {
    const { bits, family } = parseRange(range) ?? { bits: 0, family: 'ipv4' }
    if (bits < minBits[family]) throw new Error(`${range} is too wide`)
  }
  return [...new Set(ranges)].sort()
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

export interface Refreshed {
  ranges: CrawlerRanges
  /**
   * Reports of the crawler range sources that failed, one line each. A failed source keeps its
   * earlier ranges.
   */
  failures: string[]
}

/** Fetches all sources of crawler address ranges. A failed source keeps its earlier ranges. */
export async function refreshRanges(
  sources: readonly Source[],
  before: CrawlerRanges,
  fetchText: (url: string) => Promise<string>,
): Promise<Refreshed> {
  const failures: string[] = []
  const refreshed = []
  for (const { name, url } of sources) {
    const earlier = before.sources.find((source) => source.name === name)?.ranges ?? []
    try {
      refreshed.push({ name, url, ranges: readRanges(await fetchText(url)) })
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : 'failed'}`)
      refreshed.push({ name, url, ranges: earlier })
    }
  }
  return { ranges: { sources: refreshed }, failures }
}

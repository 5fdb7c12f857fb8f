import { type CrawlerRanges, parseRange } from './ranges.ts'

export interface Source {
  name: string
  url: string
}

/** Wider than any crawler's network: whoever publishes that has made a mistake, and nobody's hits would count. */
const minBits = { ipv4: 10, ipv6: 24 }
const maxRanges = 20_000

/** The addresses and ranges in a published list, whatever its shape: texts of a JSON document, or lines. @throws Error without any */
export function readRanges(text: string): string[] {
  const texts =
    text.trimStart().startsWith('{') || text.trimStart().startsWith('[')
      ? textsIn(JSON.parse(text))
      : text.split('\n')
  const ranges = texts.map((one) => one.trim()).filter((one) => parseRange(one) !== undefined)
  if (ranges.length === 0) throw new Error('no range of addresses in it')
  if (ranges.length > maxRanges) throw new Error(`more than ${maxRanges} ranges`)
  for (const range of ranges) {
    const { bits, family } = parseRange(range) ?? { bits: 0, family: 'ipv4' }
    if (bits < minBits[family]) throw new Error(`${range} is too wide to be true`)
  }
  return [...new Set(ranges)].sort()
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

export interface Refreshed {
  ranges: CrawlerRanges
  /** A line for each source that could not be had, or not be read. It keeps what it had. */
  failures: string[]
}

/** Fetches each source, and keeps what it had where that fails. */
export async function refreshRanges(
  sources: readonly Source[],
  before: CrawlerRanges,
  fetchText: (url: string) => Promise<string>,
): Promise<Refreshed> {
  const failures: string[] = []
  const refreshed = []
  for (const { name, url } of sources) {
    const kept = before.sources.find((source) => source.name === name)?.ranges ?? []
    try {
      refreshed.push({ name, url, ranges: readRanges(await fetchText(url)) })
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.message : 'failed'}`)
      refreshed.push({ name, url, ranges: kept })
    }
  }
  return { ranges: { sources: refreshed }, failures }
}

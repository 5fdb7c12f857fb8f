export type Ranges = readonly (readonly [first: number, last: number])[]

/**
 * Parses a sequence set such as `1:5,9,12:*`. The character `*` means `last`, so `N:*` contains the
 * last number even if N is greater (RFC 9051 §9, seq-range).
 */
export function readSet(text: string, last: number): Ranges {
  return text.split(',').map((range) => {
    const [from = 0, to = from] = range.split(':').map((end) => (end === '*' ? last : Number(end)))
    return from <= to ? ([from, to] as const) : ([to, from] as const)
  })
}

export function isInRanges(ranges: Ranges, number: number): boolean {
  return ranges.some(([first, last]) => number >= first && number <= last)
}

/** Formats ascending UIDs or sequence numbers as an IMAP sequence set. */
export function writeSet(numbers: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range && range[1] + 1 === number) range[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}:${last}`)).join(',')
}

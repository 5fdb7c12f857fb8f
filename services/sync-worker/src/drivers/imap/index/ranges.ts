import type { UidRange } from '@posthorn/backends'

export {
  batchesOf,
  countUids,
  formatSequenceSet,
  normaliseRanges,
  rangesOf,
  uidsIn,
} from '@posthorn/backends/uid-ranges'

// Functions for sets of UIDs, given as ascending ranges without overlap. All functions take linear
// time.

/** UIDs that are in the ranges `from` but not in the ranges `without`. */
export function subtractRanges(
  from: readonly UidRange[],
  without: readonly UidRange[],
): UidRange[] {
  const left: UidRange[] = []
  let at = 0
  for (const [first, last] of from) {
    let start = first
    while ((without[at]?.[1] ?? Infinity) < start) at++
    for (let hole = without[at]; hole && hole[0] <= last; hole = without[at]) {
      if (hole[0] > start) left.push([start, hole[0] - 1])
      start = hole[1] + 1
      // A range of UIDs to remove that ends after the current range may also overlap the next
      // range.
      if (hole[1] > last) break
      at++
    }
    if (start <= last) left.push([start, last])
  }
  return left
}

/** UIDs that are in both sets of UID ranges, `a` and `b`. */
export function intersectRanges(a: readonly UidRange[], b: readonly UidRange[]): UidRange[] {
  const both: UidRange[] = []
  let i = 0
  let j = 0
  for (let x = a[i], y = b[j]; x && y; x = a[i], y = b[j]) {
    const first = Math.max(x[0], y[0])
    const last = Math.min(x[1], y[1])
    if (first <= last) both.push([first, last])
    if (x[1] < y[1]) i++
    else j++
  }
  return both
}

import { defined } from '@posthorn/contracts/defined'
import type { UidRange } from '../mail-session.ts'
import { countUids, maxUid, normaliseRanges, reachesBeyond, uidsIn } from '../uid-ranges.ts'
import { type Line, responseCode, textOf, type Token } from './tokens.ts'

/** Destination UIDs of a copy. */
export interface CopiedUids {
  uidValidity?: bigint
  uidMap?: Map<number, number>
}

/**
 * Parses COPYUID (RFC 4315 §3). The sets correspond by position and are not sorted. Sets of
 * different size, or with UIDs beyond the request, are ignored: a range of 20 bytes could expand to
 * gigabytes.
 */
export function readCopyUid(line: Line, requested: readonly UidRange[]): CopiedUids {
  const [name, uidValidity, from, to] = responseCode(line)
  if (textOf(name)?.toUpperCase() !== 'COPYUID') return {}
  const validity = textOf(uidValidity) ?? ''
  const before = parseOrderedRanges(from)
  const after = parseOrderedRanges(to)
  const count = countUids(before)
  const fits =
    count > 0 &&
    count === countUids(after) &&
    count <= countUids(requested) &&
    !reachesBeyond(normaliseRanges(before), requested)
  return defined({
    uidValidity: /^[1-9]\d{0,19}$/.test(validity) ? BigInt(validity) : undefined,
    uidMap: fits ? pairUids(before, after) : undefined,
  })
}

/** UID ranges in the order of the text. Empty if a range is invalid. */
function parseOrderedRanges(token: Token | undefined): UidRange[] {
  const ranges: UidRange[] = []
  for (const piece of (textOf(token) ?? '').split(',')) {
    const [, first, last = first] = /^(\d{1,10})(?::(\d{1,10}))?$/.exec(piece) ?? []
    const [from, to] = [Number(first), Number(last)].toSorted((a, b) => a - b)
    if (from === undefined || to === undefined || !(from > 0) || to > maxUid) return []
    ranges.push([from, to])
  }
  return ranges
}

function pairUids(before: readonly UidRange[], after: readonly UidRange[]): Map<number, number> {
  const map = new Map<number, number>()
  const target = uidsIn(after)
  for (const uid of uidsIn(before)) map.set(uid, target.next().value ?? 0)
  return map
}

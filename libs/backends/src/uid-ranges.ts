import { AppError } from '@posthorn/errors'
import type { UidRange } from './mail-session.ts'

/** Maximum UID of a message: 32 bits, never zero (RFC 9051 §9). */
export const maxUid = 0xffff_ffff

const colon = 58
const comma = 44
const zero = 48
const nine = 57

/**
 * Parses a sequence set of UIDs such as `1:5,9` in one pass, without allocations per UID. Sorts and
 * merges reversed, unsorted and overlapping ranges, which some servers send. Throws `unreachable`
 * for `*`, zero, numbers beyond 32 bits and other invalid text.
 */
export function parseSequenceSet(text: string): UidRange[] {
  const pieces: UidRange[] = []
  let first = 0
  let number = 0
  for (let at = 0; at <= text.length; at++) {
    const char = at === text.length ? comma : text.charCodeAt(at)
    if (char >= zero && char <= nine) {
      number = number * 10 + (char - zero)
      if (number > maxUid) throw invalidSequenceSet(text)
    } else if (number === 0) {
      throw invalidSequenceSet(text)
    } else if (char === colon && first === 0) {
      first = number
      number = 0
    } else if (char === comma) {
      pieces.push(
        first === 0 ? [number, number] : [Math.min(first, number), Math.max(first, number)],
      )
      first = number = 0
    } else {
      throw invalidSequenceSet(text)
    }
  }
  return normaliseRanges(pieces)
}

/**
 * Formats UID ranges for an IMAP command, such as `1:5,9`. Returns an empty text for an empty list,
 * which no IMAP command accepts.
 */
export function formatSequenceSet(ranges: readonly UidRange[]): string {
  return ranges
    .map(([first, last]) => (first === last ? String(first) : `${first}:${last}`))
    .join(',')
}

/**
 * Sorts UID ranges, merges overlapping ranges and joins adjacent ranges. Takes linear time for
 * sorted ranges.
 */
export function normaliseRanges(ranges: readonly UidRange[]): UidRange[] {
  const inOrder = ranges.every((range, at) => at === 0 || (ranges[at - 1]?.[0] ?? 0) <= range[0])
  const sorted = inOrder ? ranges : ranges.toSorted((a, b) => a[0] - b[0])
  const joined: UidRange[] = []
  let current: [number, number] | undefined
  for (const [first, last] of sorted) {
    if (current && first <= current[1] + 1) {
      if (last > current[1]) current[1] = last
    } else {
      current = [first, last]
      joined.push(current)
    }
  }
  return joined
}

/** Converts single UIDs to UID ranges. The UIDs may be unsorted and repeated. */
export function rangesOf(uids: Iterable<number>): UidRange[] {
  const sorted = Uint32Array.from(uids).sort()
  const ranges: [number, number][] = []
  let current: [number, number] | undefined
  for (const uid of sorted) {
    if (current && uid <= current[1] + 1) current[1] = uid
    else ranges.push((current = [uid, uid]))
  }
  return ranges
}

/** Number of UIDs in the UID ranges. */
export function countUids(ranges: readonly UidRange[]): number {
  let count = 0
  for (const [first, last] of ranges) count += last - first + 1
  return count
}

/** Yields the single UIDs of UID ranges. */
export function* uidsIn(ranges: readonly UidRange[]): Generator<number, void, undefined> {
  for (const [first, last] of ranges) for (let uid = first; uid <= last; uid++) yield uid
}

/** Splits UID ranges into batches of at most `size` UIDs, in order. */
export function* batchesOf(
  ranges: readonly UidRange[],
  size: number,
): Generator<UidRange[], void, undefined> {
  let batch: UidRange[] = []
  let remaining = size
  for (const [first, last] of ranges) {
    for (let from = first; from <= last;) {
      const to = Math.min(last, from + remaining - 1)
      batch.push([from, to])
      remaining -= to - from + 1
      from = to + 1
      if (remaining > 0) continue
      yield batch
      batch = []
      remaining = size
    }
  }
  if (batch.length > 0) yield batch
}

/**
 * Splits UID ranges into pieces of at most `maxLength` characters as text, in order. Never splits a
 * range.
 */
export function* piecesOf(
  ranges: readonly UidRange[],
  maxLength: number,
): Generator<UidRange[], void, undefined> {
  let piece: UidRange[] = []
  let length = 0
  for (const range of ranges) {
    const added = formatSequenceSet([range]).length + 1
    if (piece.length > 0 && length + added > maxLength) {
      yield piece
      piece = []
      length = 0
    }
    piece.push(range)
    length += added
  }
  if (piece.length > 0) yield piece
}

/** Splits UID ranges into two halves. The first half has at most one UID more than the second. */
export function halvesOf(uids: readonly UidRange[]): Iterable<UidRange[]> {
  return batchesOf(uids, Math.ceil(countUids(uids) / 2))
}

/**
 * True if one of the UID ranges `some` is not contained in the UID ranges `all`. Both lists are
 * sorted.
 */
export function reachesBeyond(some: readonly UidRange[], all: readonly UidRange[]): boolean {
  return some.some(([first, last]) => !all.some(([from, to]) => from <= first && last <= to))
}

function invalidSequenceSet(text: string): AppError {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text
  return new AppError(
    'unreachable',
    `The server sent an invalid sequence set: ${JSON.stringify(shown)}`,
  )
}

import type { UidRange } from '@posthorn/backends'
import { AppError } from '@posthorn/errors'

/** UIDs per chunk of a mailbox index, one bit per UID. The lowest bit is the first UID. */
const chunkUids = 8_192
export const chunkBytes = chunkUids / 8

/**
 * Maximum chunks in a mailbox index. Limits the memory of a bitmap to 16 MiB, because a server
 * could report up to four billion UIDs. Real mailboxes need some hundred chunks.
 */
const maxChunks = 16_384

/** Bitmaps of a mailbox index by chunk number, 1,024 bytes each. Empty chunks are absent. */
export type Bitmaps = Map<number, Uint8Array>

export const emptyBitmap: Readonly<Uint8Array> = new Uint8Array(chunkBytes)

export function chunkOf(uid: number): number {
  return Math.floor(uid / chunkUids)
}

export function hasUid(bits: Uint8Array, uid: number): boolean {
  const bit = uid % chunkUids
  return ((bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0
}

export function setUid(bits: Uint8Array, uid: number, on: boolean): void {
  const bit = uid % chunkUids
  const mask = 1 << (bit & 7)
  bits[bit >> 3] = on ? (bits[bit >> 3] ?? 0) | mask : (bits[bit >> 3] ?? 0) & ~mask
}

/**
 * Converts ranges of UIDs to bitmaps.
 *
 * @throws AppError `unreachable` if the UIDs need more than `maxChunks` chunks
 */
export function bitmapsFromRanges(ranges: readonly UidRange[]): Bitmaps {
  const bitmaps: Bitmaps = new Map()
  for (const [first, last] of ranges)
    for (let chunk = chunkOf(first); chunk <= chunkOf(last); chunk++) {
      const start = chunk * chunkUids
      fill(
        bitmapOf(bitmaps, chunk),
        Math.max(first - start, 0),
        Math.min(last - start, chunkUids - 1),
      )
    }
  return bitmaps
}

/** Converts bitmaps to ranges of UIDs. Bitmaps may lack their trailing zero bytes. */
export function rangesFromBitmaps(bitmaps: ReadonlyMap<number, Uint8Array>): UidRange[] {
  const ranges: [number, number][] = []
  for (const chunk of [...bitmaps.keys()].sort((a, b) => a - b))
    appendRanges(ranges, chunk, bitmaps.get(chunk) ?? emptyBitmap)
  return ranges
}

export function isEmpty(bits: Uint8Array): boolean {
  return bits.every((byte) => byte === 0)
}

export function sameBitmap(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(trimBitmap(a), trimBitmap(b)) === 0
}

/**
 * Bitmap without trailing zero bytes, as bitmaps of a mailbox index are stored. Shares the memory
 * of the given bitmap.
 */
export function trimBitmap(bits: Uint8Array): Uint8Array {
  let length = bits.length
  while (length > 0 && bits[length - 1] === 0) length--
  return bits.subarray(0, length)
}

/** Copies a stored bitmap of a mailbox index and restores its trailing zero bytes. */
export function untrimBitmap(stored: Uint8Array): Uint8Array {
  const bits = new Uint8Array(chunkBytes)
  bits.set(stored.subarray(0, chunkBytes))
  return bits
}

/** Iterates over the UIDs whose bits are set in a bitmap, in ascending order. */
export function* uidsInBitmap(chunk: number, bits: Uint8Array): Generator<number, void, undefined> {
  for (let at = 0; at < bits.length; at++) {
    const byte = bits[at] ?? 0
    if (byte === 0) continue
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) yield chunk * chunkUids + at * 8 + bit
  }
}

/** Bitmap of the bits that are set in `a` but not in `b`. */
export function subtractBitmap(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, at) => byte & ~(b[at] ?? 0))
}

/** Bitmap of the bits that are set in both `a` and `b`. */
export function intersectBitmaps(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, at) => byte & (b[at] ?? 0))
}

function bitmapOf(bitmaps: Bitmaps, chunk: number): Uint8Array {
  const existing = bitmaps.get(chunk)
  if (existing) return existing
  if (bitmaps.size >= maxChunks)
    throw new AppError('unreachable', 'The server reports more UIDs than a mailbox can have')
  const bits = new Uint8Array(chunkBytes)
  bitmaps.set(chunk, bits)
  return bits
}

/** Sets the bits of a bitmap from `first` to `last`, inclusive. */
function fill(bits: Uint8Array, first: number, last: number): void {
  const firstByte = first >> 3
  const lastByte = last >> 3
  const head = 0xff << (first & 7)
  const tail = 0xff >> (7 - (last & 7))
  if (firstByte === lastByte) {
    bits[firstByte] = (bits[firstByte] ?? 0) | (head & tail)
    return
  }
  bits[firstByte] = (bits[firstByte] ?? 0) | head
  bits.fill(0xff, firstByte + 1, lastByte)
  bits[lastByte] = (bits[lastByte] ?? 0) | tail
}

/**
 * Appends the UIDs of one chunk of a mailbox index to UID ranges. The existing ranges must end
 * before the chunk.
 */
function appendRanges(ranges: [number, number][], chunk: number, bits: Uint8Array): void {
  const start = chunk * chunkUids
  let open = ranges.at(-1)
  for (let at = 0; at < bits.length; at++) {
    const byte = bits[at] ?? 0
    if (byte === 0) continue
    const uid = start + at * 8
    if (byte === 0xff && open?.[1] === uid - 1) {
      open[1] = uid + 7
      continue
    }
    for (let bit = 0; bit < 8; bit++) {
      if ((byte & (1 << bit)) === 0) continue
      if (open?.[1] === uid + bit - 1) open[1] = uid + bit
      else ranges.push((open = [uid + bit, uid + bit]))
    }
  }
}

import type { ExportEntry } from '../drivers/export-driver.ts'

/**
 * Maximum entries and bytes of a part of a sorted run (piece of an export's message list). A merge
 * holds one part of each run in memory.
 */
export const partLimits = { entries: 4_096, bytes: 128 * 1024 }
/** Maximum entries of a run (piece of an export's message list), which is sorted in memory. */
export const maxRunEntries = 65_536

/**
 * Bytes of a packed message list entry before the message id: sort key (6) and length of the id
 * (1).
 */
const headBytes = 7
const orderBytes = 6

/**
 * Compares two entries of an export's message list: by date, then by id. A shorter id comes first,
 * so that numbers in ids ascend. Pure.
 */
export function compareEntries(one: ExportEntry, other: ExportEntry): number {
  if (one.order !== other.order) return one.order - other.order
  if (one.id.length !== other.id.length) return one.id.length - other.id.length
  return one.id < other.id ? -1 : Number(one.id > other.id)
}

/**
 * Sorts the entries of a run (piece of an export's message list) and packs the entries into parts.
 * Pure.
 */
export function packRun(entries: readonly ExportEntry[]): Buffer[] {
  const parts: Buffer[] = []
  let packed: Buffer[] = []
  let bytes = 0
  const endPart = () => {
    if (packed.length > 0) parts.push(Buffer.concat(packed))
    packed = []
    bytes = 0
  }
  for (const entry of entries.toSorted(compareEntries)) {
    const item = packEntry(entry)
    if (packed.length >= partLimits.entries || bytes + item.length > partLimits.bytes) endPart()
    packed.push(item)
    bytes += item.length
  }
  endPart()
  return parts
}

function packEntry({ order, id }: ExportEntry): Buffer {
  const item = Buffer.alloc(headBytes + id.length)
  item.writeIntBE(Math.trunc(order), 0, orderBytes)
  item.writeUInt8(id.length, orderBytes)
  item.write(id, headBytes, 'latin1')
  return item
}

/**
 * Reads the message list entry at an offset of a packed part. Undefined at the end of the part.
 * Pure.
 */
export function unpackEntry(
  part: Buffer,
  offset: number,
): { entry: ExportEntry; next: number } | undefined {
  if (offset >= part.length) return undefined
  const next = offset + headBytes + part.readUInt8(offset + orderBytes)
  const order = part.readIntBE(offset, orderBytes)
  return { entry: { order, id: part.toString('latin1', offset + headBytes, next) }, next }
}

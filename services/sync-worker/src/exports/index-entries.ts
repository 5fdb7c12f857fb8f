import { setImmediate } from 'node:timers/promises'
import type { ExportEntry } from '../drivers/export-driver.ts'

/**
 * Maximum entries and bytes of a part of a sorted run (piece of an export's message list). A merge
 * holds one part of each run in memory.
 */
export const partLimits = { entries: 4_096, bytes: 128 * 1024 }
/** Maximum entries of a run (piece of an export's message list), which is sorted in memory. */
export const maxRunEntries = 65_536
/**
 * Entries of a run that are sorted or packed in one step of the event loop, which takes a few
 * milliseconds. A complete run in one step would delay all other work of the process by 100 ms.
 */
const entriesPerStep = 4_096

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
 * Other work of the process continues meanwhile.
 */
export async function packRun(entries: readonly ExportEntry[]): Promise<Buffer[]> {
  const slices: ExportEntry[][] = []
  for (let at = 0; at < entries.length; at += entriesPerStep) {
    slices.push(entries.slice(at, at + entriesPerStep).sort(compareEntries))
    await setImmediate()
  }
  const parts = new PartList()
  let count = 0
  for (const entry of mergeSlices(slices)) {
    parts.add(packEntry(entry))
    count += 1
    if (count % entriesPerStep === 0) await setImmediate()
  }
  return parts.end()
}

/**
 * Merges sorted slices of a run (piece of an export's message list) into one sequence of entries in
 * order.
 */
function* mergeSlices(slices: readonly ExportEntry[][]): Generator<ExportEntry> {
  const heads = slices.map((slice) => ({ slice, at: 0 }))
  for (;;) {
    let first: { entry: ExportEntry; head: { at: number } } | undefined
    for (const head of heads) {
      const entry = head.slice[head.at]
      if (entry && (!first || compareEntries(entry, first.entry) < 0)) first = { entry, head }
    }
    if (!first) return
    first.head.at += 1
    yield first.entry
  }
}

/**
 * Parts of a sorted run (piece of an export's message list). Each part keeps the limits of entries
 * and bytes.
 */
class PartList {
  readonly #parts: Buffer[] = []
  #packed: Buffer[] = []
  #bytes = 0

  add(item: Buffer): void {
    const { entries, bytes } = partLimits
    if (this.#packed.length >= entries || this.#bytes + item.length > bytes) this.#endPart()
    this.#packed.push(item)
    this.#bytes += item.length
  }

  /** Returns the parts of the export's sorted run. No entry may be added afterwards. */
  end(): Buffer[] {
    if (this.#packed.length > 0) this.#endPart()
    return this.#parts
  }

  #endPart(): void {
    this.#parts.push(Buffer.concat(this.#packed))
    this.#packed = []
    this.#bytes = 0
  }
}

function packEntry({ order, id }: ExportEntry): Buffer {
  const item = Buffer.alloc(headBytes + id.length)
  item.writeIntBE(Math.trunc(order), 0, orderBytes)
  item.writeUInt8(id.length, orderBytes)
  item.write(id, headBytes, 'latin1')
  return item
}

/**
 * Reads the entry at an offset of a packed part of an export's message list. Undefined at the end
 * of the part. Pure.
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

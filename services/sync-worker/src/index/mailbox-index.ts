import type { UidRange } from '@posthorn/backends'
import { chunkOf, hasUid, rangesFromBitmaps, trimBitmap, untrimBitmap } from './chunk.ts'
import { isLabelEntry, maxLabels } from './labels.ts'

/** What a mailbox may have at most: a hostile server cannot make our rows grow with keywords of its own invention. */
export const maxKeywords = 64

const systemFlags = new Map(
  ['\\Seen', '\\Answered', '\\Flagged', '\\Deleted', '\\Draft'].map((flag) => [
    flag.toLowerCase(),
    flag,
  ]),
)

/** 8,192 UIDs: which exist and which flags (and labels, see `labels.ts`) they have. Every bitmap is 1,024 bytes; a flag that nobody has is left out. */
export interface IndexChunk {
  readonly uids: Uint8Array
  readonly flags: ReadonlyMap<string, Uint8Array>
}

/** A chunk as Postgres keeps it: bitmaps without the zero bytes at their ends. */
export interface StoredChunk {
  chunk: number
  uids: Uint8Array
  flags: string[]
  flagBits: Uint8Array[]
}

export interface FlagChange {
  uid: number
  added: string[]
  removed: string[]
  /** All flags it has now, in the order of the alphabet. */
  value: string[]
}

/** What is different from an index, and the chunks that make it equal: to be stored and then adopted, so that a failed transaction leaves no trace. */
export interface Difference {
  added: UidRange[]
  removed: UidRange[]
  /** Messages known before and after whose flags differ, ascending. */
  changed: FlagChange[]
  /** Chunks to write; undefined where nothing is left of one. */
  dirtyChunks: Map<number, IndexChunk | undefined>
}

/**
 * The name under which a flag is remembered: system flags in the spelling of RFC 9051, keywords as they come. Undefined for `\Recent` and
 * any other backslash flag: there is no search for them, so a full comparison would take back what a delta had told. A flag that looks
 * like a label's entry is none.
 */
export function canonicalFlag(flag: string): string | undefined {
  if (flag.startsWith('\\')) return systemFlags.get(flag.toLowerCase())
  return flag === '' || isLabelEntry(flag) ? undefined : flag
}

/** What we know of one mailbox. Changes only by `adopt`. */
export class MailboxIndex {
  readonly #chunks = new Map<number, IndexChunk>()

  static fromStored(rows: Iterable<StoredChunk>): MailboxIndex {
    const index = new MailboxIndex()
    for (const { chunk, uids, flags, flagBits } of rows) {
      const bits = flags.map(
        (flag, at) => [flag, untrimBitmap(flagBits[at] ?? new Uint8Array())] as const,
      )
      index.#chunks.set(chunk, { uids: untrimBitmap(uids), flags: new Map(bits) })
    }
    return index
  }

  get chunks(): ReadonlyMap<number, IndexChunk> {
    return this.#chunks
  }

  uids(): UidRange[] {
    return rangesFromBitmaps(new Map([...this.#chunks].map(([chunk, { uids }]) => [chunk, uids])))
  }

  /** The UIDs that have a flag. */
  uidsWith(flag: string): UidRange[] {
    const bitmaps = new Map<number, Uint8Array>()
    for (const [chunk, { flags }] of this.#chunks) {
      const bits = flags.get(flag)
      if (bits) bitmaps.set(chunk, bits)
    }
    return rangesFromBitmaps(bitmaps)
  }

  /** Every flag, and entry of a label, that some message has. */
  flags(): Set<string> {
    return new Set([...this.#chunks.values()].flatMap(({ flags }) => [...flags.keys()]))
  }

  /**
   * Which of these flags and labels are remembered, under their canonical names: system flags, what is in use already, and others until there
   * are 64 keywords and 250 labels. The same question before and after a search gets the same answer as long as the index stands.
   */
  trackedNames(names: Iterable<string>): Set<string> {
    const known = this.flags()
    const room = { label: maxLabels, keyword: maxKeywords, system: Infinity }
    for (const name of known) room[kindOf(name)]--
    const kept = new Set<string>()
    for (const given of names) {
      const name = isLabelEntry(given) ? given : canonicalFlag(given)
      if (name === undefined || kept.has(name)) continue
      if (!known.has(name) && --room[kindOf(name)] < 0) continue
      kept.add(name)
    }
    return kept
  }

  /** The flags of one message in the order of the alphabet, or undefined where it is unknown. */
  flagsOf(uid: number): string[] | undefined {
    const chunk = this.#chunks.get(chunkOf(uid))
    return chunk && hasUid(chunk.uids, uid) ? flagsAt(chunk.flags, uid) : undefined
  }

  /** Takes over what was stored. */
  adopt(dirtyChunks: Difference['dirtyChunks']): void {
    for (const [number, chunk] of dirtyChunks) {
      if (chunk) this.#chunks.set(number, chunk)
      else this.#chunks.delete(number)
    }
  }
}

function kindOf(name: string): 'label' | 'keyword' | 'system' {
  if (isLabelEntry(name)) return 'label'
  return name.startsWith('\\') ? 'system' : 'keyword'
}

/** A chunk as a row of `mailbox_chunks` takes it. */
export function toStored(chunk: number, { uids, flags }: IndexChunk): StoredChunk {
  return {
    chunk,
    uids: trimBitmap(uids),
    flags: [...flags.keys()],
    flagBits: [...flags.values()].map(trimBitmap),
  }
}

/** The flags whose bit is set for one UID, in the order of the alphabet. */
function flagsAt(flags: IndexChunk['flags'], uid: number): string[] {
  const set: string[] = []
  for (const [flag, bits] of flags) if (hasUid(bits, uid)) set.push(flag)
  return set.sort()
}

import type { UidRange } from '@posthorn/backends'
import type { Db, Tx } from '@posthorn/db'
import {
  type ChunkOwner,
  deleteChunks,
  listChunks,
  type StoredChunk,
  upsertChunks,
} from '../../../store/chunks.ts'
import { chunkOf, hasUid, rangesFromBitmaps, trimBitmap, untrimBitmap } from './chunk.ts'
import { canonicalFlag, isLabelEntry, maxLabels } from './flag-names.ts'

/** Maximum keywords in a mailbox index, because a hostile server could invent any number. */
export const maxKeywords = 64

/**
 * Chunk of a mailbox index: a bitmap of the existing UIDs, and a bitmap per flag or label in use
 * (see `flag-names.ts`). Each bitmap has 1,024 bytes.
 */
export interface IndexChunk {
  readonly uids: Uint8Array
  readonly flags: ReadonlyMap<string, Uint8Array>
}

export interface FlagChange {
  uid: number
  added: string[]
  removed: string[]
  /** All flags of the message after a change of flags, sorted. */
  value: string[]
}

/**
 * Difference from a mailbox index, and the chunks to store so that the index is up to date. Callers
 * first store the chunks, then call `adopt`, so that a failed transaction leaves the index
 * unchanged.
 */
export interface Difference {
  /** Flag changes of indexed messages that still exist, in the order of UIDs. */
  changed: FlagChange[]
  /** Chunks of the mailbox index to store, by chunk number. Undefined for a chunk to delete. */
  dirtyChunks: Map<number, IndexChunk | undefined>
}

/** Index of one mailbox: the UIDs and flags of its messages. Only `adopt` changes the index. */
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

  /** Names of flags and labels that messages in the mailbox index have. */
  flags(): Set<string> {
    return new Set([...this.#chunks.values()].flatMap(({ flags }) => [...flags.keys()]))
  }

  /**
   * Selects the names of flags and labels that the mailbox index can store: system flags, names in
   * use, and other names up to 64 keywords and 250 labels. The result depends only on the names and
   * the index.
   */
  trackedNames(names: Iterable<string>): Set<string> {
    const inUse = this.flags()
    const remaining = { label: maxLabels, keyword: maxKeywords, system: Infinity }
    for (const name of inUse) remaining[kindOf(name)]--
    const tracked = new Set<string>()
    for (const rawName of names) {
      const name = isLabelEntry(rawName) ? rawName : canonicalFlag(rawName)
      if (name === undefined || tracked.has(name)) continue
      if (!inUse.has(name) && --remaining[kindOf(name)] < 0) continue
      tracked.add(name)
    }
    return tracked
  }

  /** Sorted flags of a message. Undefined if the message is not in the mailbox index. */
  flagsOf(uid: number): string[] | undefined {
    const chunk = this.#chunks.get(chunkOf(uid))
    if (!chunk || !hasUid(chunk.uids, uid)) return undefined
    return [...chunk.flags].flatMap(([flag, bits]) => (hasUid(bits, uid) ? flag : [])).sort()
  }

  /** Replaces chunks of the mailbox index by chunks that have been stored. */
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

/** Converts a chunk of a mailbox index to a row of `mailbox_chunks`. */
export function toStored(chunk: number, { uids, flags }: IndexChunk): StoredChunk {
  return {
    chunk,
    uids: trimBitmap(uids),
    flags: [...flags.keys()],
    flagBits: [...flags.values()].map(trimBitmap),
  }
}

/** Reads the whole index of a mailbox. */
export async function loadIndex(db: Db, mailbox: string): Promise<MailboxIndex> {
  return MailboxIndex.fromStored(await listChunks(db, mailbox))
}

/**
 * Stores changed chunks of a mailbox index. After the commit, callers pass the chunks to `adopt`.
 * Requires the account's lease.
 */
export async function saveChunks(
  tx: Tx,
  owner: ChunkOwner,
  dirty: Difference['dirtyChunks'],
): Promise<void> {
  const empty = [...dirty].flatMap(([number, chunk]) => (chunk ? [] : [number]))
  await deleteChunks(tx, owner.mailbox, empty)
  const changed = [...dirty].flatMap(([number, chunk]) => (chunk ? [toStored(number, chunk)] : []))
  await upsertChunks(tx, owner, changed)
}

import type { MessageFlags, UidRange } from '@posthorn/backends'
import {
  type Bitmaps,
  bitmapsFromRanges,
  intersectBitmaps,
  chunkBytes,
  chunkOf,
  emptyBitmap,
  hasUid,
  isEmpty,
  sameBitmap,
  setUid,
  uidsInBitmap,
  subtractBitmap,
} from './chunk.ts'
import type { Difference, FlagChange, IndexChunk, MailboxIndex } from './mailbox-index.ts'
import { canonicalFlag, isLabelEntry, labelEntry } from './flag-names.ts'
import { intersectRanges } from './ranges.ts'

/** Results of searches in a mailbox: UIDs of all messages, and UIDs for each searched flag. */
export interface SearchResult {
  uids: readonly UidRange[]
  flags: ReadonlyMap<string, readonly UidRange[]>
}

/**
 * Compares the results of searches in a whole mailbox with the mailbox index. Flags that were not
 * searched keep their bits: a full comparison needs a search for each of `index.flags()`, a
 * comparison of UIDs needs none. Without a search of flags, added messages have no flags, so flag
 * deltas must be applied before.
 */
export function compare(index: MailboxIndex, result: SearchResult): Difference {
  const uids = bitmapsFromRanges(result.uids)
  const flags = searchedFlags(index, result)
  const next = new Map<number, IndexChunk>()
  for (const chunk of new Set([...index.chunks.keys(), ...uids.keys()])) {
    const exists = uids.get(chunk) ?? emptyBitmap
    const bits = new Map<string, Uint8Array>()
    for (const [flag, old] of index.chunks.get(chunk)?.flags ?? [])
      if (!flags.has(flag)) bits.set(flag, intersectBitmaps(old, exists))
    for (const [flag, bitmaps] of flags) {
      const now = bitmaps.get(chunk)
      if (now) bits.set(flag, now)
    }
    next.set(chunk, { uids: exists, flags: bits })
  }
  return compareChunks(index, next)
}

/**
 * Applies the flags of single messages (CONDSTORE deltas or fetched messages) to a mailbox index.
 * Adds new UIDs. If a message has no field `labels`, its indexed labels stay unchanged. If a UID
 * occurs several times, the last entry counts.
 */
export function applyFlags(index: MailboxIndex, messages: readonly MessageFlags[]): Difference {
  const tracked = index.trackedNames(new Set(messages.flatMap(namesOf)))
  const next = new Map<number, MutableChunk>()
  for (const message of messages) {
    const { uid } = message
    const chunk = editable(index, next, chunkOf(uid))
    setUid(chunk.uids, uid, true)
    for (const [name, bits] of chunk.flags)
      if (message.labels || !isLabelEntry(name)) setUid(bits, uid, false)
    for (const name of namesOf(message))
      if (tracked.has(name)) setUid(bitsFor(chunk, name), uid, true)
  }
  return compareChunks(index, next)
}

/** Converts the flags and labels of a message to their names in the mailbox index. */
function namesOf({ flags, labels = [] }: MessageFlags): string[] {
  return [
    ...flags.flatMap((flag) => canonicalFlag(flag) ?? []),
    ...labels.flatMap((label) => labelEntry(label) ?? []),
  ]
}

/** Removes messages from a mailbox index by UID. Ignores UIDs that are not in the index. */
export function removeUids(index: MailboxIndex, uids: readonly UidRange[]): Difference {
  const next = new Map<number, MutableChunk>()
  for (const [chunk, removed] of bitmapsFromRanges(intersectRanges(index.uids(), uids))) {
    const { uids, flags } = editable(index, next, chunk)
    for (const bits of [uids, ...flags.values()]) bits.set(subtractBitmap(bits, removed))
  }
  return compareChunks(index, next)
}

interface MutableChunk {
  uids: Uint8Array
  flags: Map<string, Uint8Array>
}

function editable(
  index: MailboxIndex,
  next: Map<number, MutableChunk>,
  number: number,
): MutableChunk {
  let chunk = next.get(number)
  if (!chunk) {
    const old = index.chunks.get(number)
    const flags = [...(old?.flags ?? [])].map(([flag, bits]) => [flag, bits.slice()] as const)
    chunk = { uids: (old?.uids ?? emptyBitmap).slice(), flags: new Map(flags) }
    next.set(number, chunk)
  }
  return chunk
}

function bitsFor({ flags }: MutableChunk, flag: string): Uint8Array {
  let bits = flags.get(flag)
  if (!bits) flags.set(flag, (bits = new Uint8Array(chunkBytes)))
  return bits
}

/**
 * Converts the results of searches for flags to bitmaps. Leaves out flags that the index does not
 * track, and UIDs that are not among the existing messages, which a server may report.
 */
function searchedFlags(index: MailboxIndex, result: SearchResult): Map<string, Bitmaps> {
  const tracked = index.trackedNames(result.flags.keys())
  const flags = new Map<string, Bitmaps>()
  for (const [flag, uids] of result.flags) {
    const name = isLabelEntry(flag) ? flag : canonicalFlag(flag)
    if (name !== undefined && tracked.has(name))
      flags.set(name, bitmapsFromRanges(intersectRanges(result.uids, uids)))
  }
  return flags
}

function compareChunks(index: MailboxIndex, next: ReadonlyMap<number, IndexChunk>): Difference {
  const changed: FlagChange[] = []
  const dirtyChunks: Difference['dirtyChunks'] = new Map()
  for (const chunk of [...next.keys()].sort((a, b) => a - b)) {
    const old = index.chunks.get(chunk) ?? noMessages
    const now = next.get(chunk) ?? noMessages
    if (!same(old, now)) dirtyChunks.set(chunk, withoutUnused(now))
    appendChanges(changed, chunk, { old, now })
  }
  return { changed, dirtyChunks }
}

const noMessages: IndexChunk = { uids: emptyBitmap, flags: new Map() }

function same(old: IndexChunk, now: IndexChunk): boolean {
  return (
    sameBitmap(old.uids, now.uids) &&
    flagNames(old, now).every((flag) => sameBitmap(bits(old, flag), bits(now, flag)))
  )
}

/** Drops flags of an index chunk that no message has; undefined if the chunk has no messages. */
function withoutUnused({ uids, flags }: IndexChunk): IndexChunk | undefined {
  if (isEmpty(uids)) return undefined
  return { uids, flags: new Map([...flags].filter(([, bits]) => !isEmpty(bits))) }
}

/**
 * Appends to a list the messages of an index chunk that existed before and whose flags differ now.
 */
function appendChanges(
  changed: FlagChange[],
  chunk: number,
  { old, now }: { old: IndexChunk; now: IndexChunk },
): void {
  const flags = flagNames(old, now).map((flag) => ({
    flag,
    before: bits(old, flag),
    after: bits(now, flag),
  }))
  const differ = flags.reduce(orDifference, new Uint8Array(chunkBytes))
  for (const uid of uidsInBitmap(
    chunk,
    intersectBitmaps(differ, intersectBitmaps(old.uids, now.uids)),
  ))
    changed.push(changeOf(uid, flags))
}

interface FlagBits {
  flag: string
  before: Uint8Array
  after: Uint8Array
}

function orDifference(differ: Uint8Array, { before, after }: FlagBits): Uint8Array {
  for (let at = 0; at < chunkBytes; at++)
    differ[at] = (differ[at] ?? 0) | ((before[at] ?? 0) ^ (after[at] ?? 0))
  return differ
}

function changeOf(uid: number, flags: readonly FlagBits[]): FlagChange {
  const change: FlagChange = { uid, added: [], removed: [], value: [] }
  for (const { flag, before, after } of flags) {
    const had = hasUid(before, uid)
    const has = hasUid(after, uid)
    if (has) change.value.push(flag)
    if (has && !had) change.added.push(flag)
    if (had && !has) change.removed.push(flag)
  }
  return change
}

function flagNames(old: IndexChunk, now: IndexChunk): string[] {
  return [...new Set([...old.flags.keys(), ...now.flags.keys()])].sort()
}

function bits({ flags }: IndexChunk, flag: string): Uint8Array {
  return flags.get(flag) ?? emptyBitmap
}

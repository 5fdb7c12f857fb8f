import type { IndexedMessage } from './indexed-message.ts'

/**
 * Leaf of the stored message index: a block of messages with sorted ids. A leaf covers the ids from
 * `low` up to the `low` of the next leaf.
 */
export interface Leaf {
  low: string
  messages: readonly IndexedMessage[]
  /**
   * Lowest message id (`low`) of the preceding leaf (block of messages), if that leaf was also
   * loaded because this leaf is small.
   */
  previous?: string
}

/** New states of indexed messages by message id. Undefined for a deleted message. */
export type StateChanges = ReadonlyMap<string, IndexedMessage | undefined>

export interface LeafChange {
  /** New or changed leaves (blocks of messages) of the message index. */
  saved: Leaf[]
  /** Lowest message id (`low`) of each leaf (block of messages) that no longer exists. */
  deleted: string[]
  /** Number of messages added to the message index. Negative if messages are removed. */
  added: number
}

/**
 * Maximum messages in a leaf (block) of the message index. Leaves are read and written as a whole.
 * With larger leaves, a commit of scattered changes is slower. With smaller leaves, the keys of
 * leaves take more bytes per message.
 */
export const maxLeafMessages = 256

/**
 * Applies changes of messages to the leaves (blocks) of the message index that cover the message
 * ids. Splits leaves with too many messages, and deletes empty leaves. Unchanged leaves are not
 * stored. Pure.
 */
export function changeLeaves(
  leaves: readonly Leaf[],
  changes: StateChanges,
  maxMessages: number,
): LeafChange {
  const existing = new Set(leaves.map(({ low }) => low))
  const merged = mergeSmall(leaves, maxMessages)
  const changed = changesByLeaf(merged, changes)
  const result: LeafChange = { saved: [], deleted: [], added: 0 }
  for (const [leaf, ids] of changed) {
    const messages = applyChanges(leaf.messages, ids, changes)
    result.added += messages.length - leaf.messages.length
    if (messages.length > 0)
      result.saved.push(...splitLeaf({ low: leaf.low, messages }, maxMessages))
    else if (existing.has(leaf.low)) result.deleted.push(leaf.low)
    // Leaves (blocks of the message index) that were joined with this leaf do not exist any more,
    // so they are deleted.
    for (const low of leaf.absorbed) result.deleted.push(low)
  }
  return result
}

interface MergedLeaf extends Leaf {
  absorbed: string[]
}

/**
 * Sorts leaves (blocks) of the message index. Joins a small leaf with the preceding leaf if both
 * together are at most 75 % full.
 */
function mergeSmall(leaves: readonly Leaf[], maxMessages: number): MergedLeaf[] {
  const sorted = leaves.toSorted((one, other) => (one.low < other.low ? -1 : 1))
  const merged: MergedLeaf[] = []
  let last: string | undefined
  for (const leaf of sorted) {
    const before = merged.at(-1)
    const fits = before && before.messages.length + leaf.messages.length <= maxMessages * 0.75
    if (before && fits && leaf.previous !== undefined && leaf.previous === last) {
      before.messages = [...before.messages, ...leaf.messages]
      before.absorbed.push(leaf.low)
    } else merged.push({ ...leaf, absorbed: [] })
    last = leaf.low
  }
  return merged
}

/**
 * Groups the ids of changed messages by the leaf (block of messages) that covers the ids. Ids below
 * all loaded leaves are assigned to a new first leaf.
 */
function changesByLeaf(
  leaves: readonly MergedLeaf[],
  changes: StateChanges,
): Map<MergedLeaf, string[]> {
  const result = new Map<MergedLeaf, string[]>()
  const bottom: MergedLeaf = { low: '', messages: [], absorbed: [] }
  let at = -1
  for (const id of [...changes.keys()].sort()) {
    while (at + 1 < leaves.length && (leaves[at + 1]?.low ?? '') <= id) at++
    const leaf = leaves[at] ?? bottom
    const ids = result.get(leaf)
    if (ids) ids.push(id)
    else result.set(leaf, [id])
  }
  return result
}

/**
 * Applies changes to the sorted messages of a leaf (block of the message index). `ids` are sorted
 * ids of changed messages.
 */
function applyChanges(
  messages: readonly IndexedMessage[],
  ids: readonly string[],
  changes: StateChanges,
): IndexedMessage[] {
  const result: IndexedMessage[] = []
  let at = 0
  for (const id of ids) {
    for (let next = messages[at]; next && next.id < id; next = messages[++at]) result.push(next)
    if (messages[at]?.id === id) at++
    const state = changes.get(id)
    if (state) result.push(state)
  }
  return [...result, ...messages.slice(at)]
}

/**
 * Splits a leaf (block) of the message index that has too many messages. The resulting leaves are
 * three quarters full, so that new messages fit. The first leaf keeps `low`, the lowest message id.
 */
function splitLeaf({ low, messages }: Leaf, maxMessages: number): Leaf[] {
  if (messages.length <= maxMessages) return [{ low, messages }]
  const count = Math.ceil(messages.length / Math.max(Math.floor(maxMessages * 0.75), 1))
  const size = Math.ceil(messages.length / count)
  const parts: Leaf[] = []
  for (let from = 0; from < messages.length; from += size) {
    const part = messages.slice(from, from + size)
    parts.push({ low: from === 0 ? low : (part[0]?.id ?? low), messages: part })
  }
  return parts
}

import { setImmediate } from 'node:timers/promises'
import { changeLeaves, type Leaf, maxLeafMessages, type StateChanges } from '../../index/leaves.ts'
import type { IndexedMessage } from '../../index/indexed-message.ts'
import { decodeLeaf, encodeLeaf } from '../../index/leaf-content.ts'
import type { FeedStore, PartChange, StoredLeaf } from './feed-store.ts'

/**
 * Number of leaves (blocks of stored messages) that are packed or unpacked before other work of the
 * process continues: about 10 ms. Ids without an order can concern every leaf of a mailbox.
 */
const leavesAtOnce = 32

/**
 * Name of the part whose leaves (blocks of stored messages) are the message index. Other parts are
 * collected full rounds of feeds.
 */
export const indexPart = ''

/** Leaves of the message index to store, not packed yet. */
export interface UnpackedChange extends Omit<PartChange, 'saved'> {
  saved: readonly Leaf[]
}

/** Packs the leaves of changes to the message index. */
export async function packChanges(changes: readonly UnpackedChange[]): Promise<PartChange[]> {
  const packed: PartChange[] = []
  for (const { saved, ...change } of changes)
    packed.push({ ...change, saved: await mapLeaves(saved, toStored) })
  return packed
}

async function mapLeaves<T, R>(leaves: readonly T[], map: (leaf: T) => R): Promise<R[]> {
  const mapped: R[] = []
  for (const leaf of leaves) {
    mapped.push(map(leaf))
    if (mapped.length % leavesAtOnce === 0) await setImmediate()
  }
  return mapped
}

/** Stored messages between two ids, in order. */
export interface MessageWindow {
  messages: IndexedMessage[]
  /** First id after the window that may exist. Absent at the end of the stored messages. */
  next?: string
}

/** Loaded leaves of the stored message index, and the changes of these leaves. */
export class LoadedMessages {
  /** Stored states of the loaded messages by id. Messages that are not stored are absent. */
  readonly states: ReadonlyMap<string, IndexedMessage>
  readonly #part: string
  readonly #leaves: readonly Leaf[]
  readonly #maxMessages: number

  constructor(part: string, leaves: readonly Leaf[], { ids, maxMessages }: LoadOptions) {
    this.#part = part
    this.#leaves = leaves
    this.#maxMessages = maxMessages
    const wanted = new Set(ids)
    this.states = new Map(
      leaves.flatMap(({ messages }) =>
        messages.flatMap((message) =>
          wanted.has(message.id) ? [[message.id, message] as const] : [],
        ),
      ),
    )
  }

  /** Leaves of the index to store for changed messages, and the change of the message count. */
  change(changes: StateChanges): { part: UnpackedChange; added: number } {
    const { saved, deleted, added } = changeLeaves(this.#leaves, changes, this.#maxMessages)
    return { part: { part: this.#part, deleted, saved }, added }
  }
}

interface LoadOptions {
  ids: Iterable<string>
  maxMessages: number
}

/** Reader of an account's message index and collected full rounds, stored in leaves. */
export class StoredIndex {
  readonly #store: Pick<FeedStore, 'loadLeaves' | 'scanLeaves'>
  readonly #maxMessages: number

  constructor(store: Pick<FeedStore, 'loadLeaves' | 'scanLeaves'>, maxMessages = maxLeafMessages) {
    this.#store = store
    this.#maxMessages = maxMessages
  }

  async load(part: string, ids: readonly string[]): Promise<LoadedMessages> {
    const small = this.#maxMessages / 4
    const stored = ids.length === 0 ? [] : await this.#store.loadLeaves(part, ids, small)
    const leaves = await mapLeaves(stored, toLeaf)
    return new LoadedMessages(part, leaves, { ids, maxMessages: this.#maxMessages })
  }

  /** Leaves (blocks of stored messages) that fill an empty part with these messages. */
  fill(part: string, messages: StateChanges): UnpackedChange {
    const { saved } = changeLeaves([], messages, this.#maxMessages)
    return { part, deleted: 'all', saved }
  }

  /** Messages of the next few leaves of the stored index, from an id on. */
  async scan(part: string, from: string): Promise<MessageWindow> {
    const { leaves, next } = await this.#store.scanLeaves(part, from, leavesPerScan)
    const messages = leaves.flatMap((leaf) => toLeaf(leaf).messages)
    const window = { messages: messages.filter(({ id }) => id >= from) }
    return next === undefined ? window : { ...window, next }
  }
}

/** Leaves of the stored index per scan: at most 512 messages, about a page of changes. */
const leavesPerScan = 2

function toLeaf({ low, content, previous }: StoredLeaf): Leaf {
  const leaf = { low, messages: decodeLeaf(content) }
  return previous === undefined ? leaf : { ...leaf, previous }
}

function toStored({ low, messages }: Leaf): StoredLeaf {
  return { low, messages: messages.length, content: encodeLeaf(messages) }
}

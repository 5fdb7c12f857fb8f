import { setImmediate } from 'node:timers/promises'
import { changeLeaves, type Leaf, maxLeafMessages, type StateChanges } from '../../index/leaves.ts'
import type { IndexedMessage } from '../../index/indexed-message.ts'
import { decodeLeaf, encodeLeaf } from '../../index/leaf-content.ts'
import type { FeedStore, PartChange, StoredLeaf } from './feed-store.ts'

/**
 * Number of leaves (blocks of stored messages) to pack or unpack before other work of the process
 * gets CPU time. Takes about 10 ms. The limit is needed because unordered message ids can concern
 * every leaf of a mailbox.
 */
const leavesAtOnce = 32

/**
 * Name of the part whose leaves (blocks of stored messages) form the message index. The leaves of
 * other parts are collected full rounds (lists of all messages) of feeds.
 */
export const indexPart = ''

/**
 * Changed leaves (blocks of messages) of the message index that have not been packed for storage
 * yet.
 */
export interface UnpackedChange extends Omit<PartChange, 'saved'> {
  saved: readonly Leaf[]
}

/** Packs the changed leaves (blocks of messages) of the message index for storage. */
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

/** Stored messages of the message index in a range of message ids, in the order of ids. */
export interface MessageWindow {
  messages: IndexedMessage[]
  /**
   * Lowest message id that the index may contain after the range of these messages. Absent if the
   * range ends with the last message of the index.
   */
  next?: string
}

/** Leaves (blocks of messages) loaded from the message index, and the changes of these leaves. */
export class LoadedMessages {
  /**
   * Stored states of the loaded messages by message id. Messages that the index lacks are absent.
   */
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

  /**
   * Computes the leaves (blocks of messages) to store for changed messages, and the change of the
   * number of messages.
   */
  change(changes: StateChanges): { part: UnpackedChange; added: number } {
    const { saved, deleted, added } = changeLeaves(this.#leaves, changes, this.#maxMessages)
    return { part: { part: this.#part, deleted, saved }, added }
  }
}

interface LoadOptions {
  ids: Iterable<string>
  maxMessages: number
}

/**
 * Reader of the stored leaves of an account: of the message index and of collected full rounds
 * (lists of all messages).
 */
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

  /** Builds the leaves (blocks of stored messages) of a part that contains only these messages. */
  fill(part: string, messages: StateChanges): UnpackedChange {
    const { saved } = changeLeaves([], messages, this.#maxMessages)
    return { part, deleted: 'all', saved }
  }

  /**
   * Reads the messages of the next few leaves (blocks of messages) of a part of the stored data,
   * starting with the message id `from`.
   */
  async scan(part: string, from: string): Promise<MessageWindow> {
    const { leaves, next } = await this.#store.scanLeaves(part, from, leavesPerScan)
    const messages = leaves.flatMap((leaf) => toLeaf(leaf).messages)
    const window = { messages: messages.filter(({ id }) => id >= from) }
    return next === undefined ? window : { ...window, next }
  }
}

/**
 * Number of stored leaves (blocks of messages) that one scan reads: at most 512 messages, about a
 * page of changes.
 */
const leavesPerScan = 2

function toLeaf({ low, content, previous }: StoredLeaf): Leaf {
  const leaf = { low, messages: decodeLeaf(content) }
  return previous === undefined ? leaf : { ...leaf, previous }
}

function toStored({ low, messages }: Leaf): StoredLeaf {
  return { low, messages: messages.length, content: encodeLeaf(messages) }
}

import {
  type ApiFlags,
  type ChangesPage,
  type Feed,
  isMailApiError,
  type MailApi,
  type MessageChange,
  type MessageState,
} from '../../src/mail-api/index.ts'
import { signal } from './environment.ts'

type IndexedState = Omit<MessageState, 'threadId'>

/** Messages that the current full round (listing of all messages) has named so far. */
type RoundState = Map<string, MessageChange & { labels: string[] }>

/**
 * Index of a mailbox that follows its feeds (change lists) by the rules of `ChangesPage` alone.
 * Shows that these rules suffice.
 */
export class FeedIndex {
  readonly messages = new Map<string, IndexedState>()
  readonly cursors = new Map<string, string>()
  /** Number of pages of feeds (change lists) that the index has read. */
  pages = 0
  readonly #api: MailApi
  readonly #limit: number
  readonly #rounds = new Map<string, RoundState>()
  readonly #removed = new Set<string>()

  constructor(api: MailApi, limit = 500) {
    this.#api = api
    this.#limit = limit
  }

  /**
   * Reads all feeds (change lists) of the mailbox until each is complete, then verifies removals
   * from folders.
   */
  async follow(): Promise<void> {
    const feeds = this.#api.feeds(await this.#api.folders(signal))
    for (const id of this.cursors.keys())
      if (!feeds.some((feed) => feed.id === id)) this.#dropFeed(id)
    for (const feed of feeds) while (!(await this.#readPage(feed)));
    const removed = [...this.#removed]
    for (let start = 0; start < removed.length; start += 100)
      await this.#verify(removed.slice(start, start + 100))
    this.#removed.clear()
  }

  /**
   * Follows all feeds (change lists) of the mailbox, and restarts all feeds after a stale cursor.
   * Returns true if a cursor was stale.
   */
  async followOrRestart(): Promise<boolean> {
    try {
      await this.follow()
      return false
    } catch (error) {
      if (!isMailApiError(error, 'stale-cursor')) throw error
      this.restartAll()
      await this.follow()
      return true
    }
  }

  /** Restarts all feeds (change lists) of the mailbox with a full round over all messages. */
  restartAll(): void {
    this.cursors.clear()
    this.#rounds.clear()
  }

  /** Ids of the indexed messages with labels, folder and flags, in a comparable form. */
  snapshot(): Record<string, object> {
    return snapshotOf([...this.messages.values()])
  }

  async #readPage(feed: Feed): Promise<boolean> {
    const cursor = this.cursors.get(feed.id)
    const position = { limit: this.#limit, ...(cursor === undefined ? {} : { cursor }) }
    const page = await this.#api.changes(feed, position, signal)
    this.pages++
    this.cursors.set(feed.id, page.cursor)
    if (page.full) {
      this.#addToRound(feed, page)
      // A full round (listing of all messages) is followed by the changes since its start.
      return false
    }
    for (const change of page.changed) this.#merge(change)
    for (const id of page.removed) this.#remove(feed, id)
    return page.complete
  }

  #addToRound(feed: Feed, page: ChangesPage): void {
    const round: RoundState = this.#rounds.get(feed.id) ?? new Map()
    this.#rounds.set(feed.id, round)
    for (const { addedLabels = [], labels = [], ...change } of page.changed) {
      const earlier = round.get(change.id)
      const merged = [...(earlier?.labels ?? []), ...labels, ...addedLabels]
      round.set(change.id, { ...earlier, ...change, labels: [...new Set(merged)] })
    }
    if (page.complete) this.#endRound(feed, round)
  }

  #endRound(feed: Feed, round: RoundState): void {
    this.#rounds.delete(feed.id)
    for (const { id, folderId } of this.messages.values())
      if ((feed.folderId ?? folderId) === folderId && !round.has(id)) this.#remove(feed, id)
    const off = { unseen: false, flagged: false, draft: false }
    for (const change of round.values()) this.#merge({ ...off, ...change })
  }

  #merge(change: MessageChange): void {
    const state = this.messages.get(change.id) ?? {
      id: change.id,
      labels: [],
      unseen: false,
      flagged: false,
      draft: false,
    }
    const labels = new Set(change.labels ?? state.labels)
    for (const label of change.addedLabels ?? []) labels.add(label)
    for (const label of change.removedLabels ?? []) labels.delete(label)
    for (const flag of ['unseen', 'flagged', 'draft'] as const satisfies (keyof ApiFlags)[])
      state[flag] = change[flag] ?? state[flag]
    if (change.folderId !== undefined) state.folderId = change.folderId
    state.labels = [...labels]
    this.messages.set(change.id, state)
  }

  #remove(feed: Feed, id: string): void {
    if (feed.folderId === undefined) this.messages.delete(id)
    else if (this.messages.get(id)?.folderId === feed.folderId) this.#removed.add(id)
  }

  #dropFeed(id: string): void {
    this.cursors.delete(id)
    for (const state of this.messages.values())
      if (state.folderId === id) this.#removed.add(state.id)
  }

  async #verify(ids: readonly string[]): Promise<void> {
    const present = await this.#api.getMessages(ids, {}, signal)
    for (const id of ids) this.messages.delete(id)
    for (const { id, folderId, labels, unseen, flagged, draft } of present)
      this.#merge({ id, labels, unseen, flagged, draft, ...(folderId ? { folderId } : {}) })
  }
}

/** States of messages (labels, folder and flags) by message id, regardless of their order. */
export function snapshotOf(states: readonly IndexedState[]): Record<string, object> {
  return Object.fromEntries(
    states.map(({ id, folderId = '', labels, unseen, flagged, draft }) => [
      id,
      { folderId, labels: [...labels].sort(), unseen, flagged, draft },
    ]),
  )
}

import type { NamedFolder, NewEvent } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import type { SyncWarning } from '@posthorn/contracts/schemas/changes'
import type {
  DraftIdentity,
  FeedCommit,
  FeedState,
  FeedStore,
  MailboxAnnouncements,
  MailboxState,
  PartChange,
  PendingMessage,
  StoredLeaf,
} from '../../src/drivers/api/feeds/stored/feed-store.ts'
import { mailboxEvent } from '../../src/events/mailbox-event.ts'

export const account = {
  account: 'model',
  registeredAt: 1,
  paths: [] as string[],
  notifyFrom: new Date('2026-11-01T12:00:00Z'),
}

/** Stored data of one account at a mail API in memory, with the lease of the account's shard. */
export class MemoryTables {
  mailbox: MailboxState | undefined
  folders: readonly NamedFolder[] = []
  readonly feeds = new Map<string, FeedState>()
  /** Stored leaves (blocks of messages), sorted, by the name of their part. */
  readonly parts = new Map<string, StoredLeaf[]>()
  readonly pending = new Map<string, PendingMessage>()
  readonly events: NewEvent[] = []
  readonly warnings: SyncWarning[] = []
  readonly announced = new Set<string>()
  /** Message-IDs of submissions in flight. */
  readonly submitted = new Set<string>()
  isInitialized = false
  /**
   * Epoch of the current holder of the lease. Commits under an earlier epoch are rejected as stale.
   */
  leaseEpoch = 1
  /** Number of commits to the in-memory tables so far. */
  commits = 0
  /**
   * Called before and after every commit to the in-memory tables. May throw to simulate a crash of
   * the worker at the commit.
   */
  onCommit: (phase: 'before' | 'after') => void = () => undefined
  /** Called and awaited before every operation on the in-memory tables. */
  onOperation: () => Promise<void> = () => Promise.resolve()

  leavesOf(part: string): StoredLeaf[] {
    return this.parts.get(part) ?? []
  }

  storePart({ part, deleted, saved }: PartChange): void {
    const lows = new Set([...(deleted === 'all' ? [] : deleted), ...saved.map(({ low }) => low)])
    const rest = deleted === 'all' ? [] : this.leavesOf(part).filter(({ low }) => !lows.has(low))
    const leaves = [...rest, ...saved].sort((one, other) => (one.low < other.low ? -1 : 1))
    if (leaves.length > 0) this.parts.set(part, leaves)
    else this.parts.delete(part)
  }

  reset(): void {
    this.feeds.clear()
    this.parts.clear()
    this.pending.clear()
  }
}

/**
 * In-memory store of a worker that holds the lease of the account, or has lost the lease without
 * knowing.
 */
export class MemoryFeedStore implements FeedStore {
  readonly #tables: MemoryTables
  readonly #leaseEpoch: number

  constructor(tables: MemoryTables) {
    this.#tables = tables
    this.#leaseEpoch = tables.leaseEpoch
  }

  findMailbox() {
    return this.#read(() => this.#tables.mailbox)
  }

  wasInitialized() {
    return this.#read(() => this.#tables.isInitialized)
  }

  countMessages() {
    return this.#read(() =>
      this.#tables.leavesOf('').reduce((sum, { messages }) => sum + messages, 0),
    )
  }

  listFolders() {
    return this.#read(() => [...this.#tables.folders])
  }

  listFeeds() {
    return this.#read(() => [...this.#tables.feeds.values()])
  }

  loadLeaves(part: string, ids: readonly string[], small: number) {
    return this.#read(() => {
      const leaves = this.#tables.leavesOf(part)
      const loaded = new Map<string, StoredLeaf>()
      for (const id of ids) {
        const at = leaves.findLastIndex(({ low }) => low <= id)
        const [leaf, before] = [leaves[at], leaves[at - 1]]
        if (!leaf) continue
        const isMerged = before && leaf.messages < small
        loaded.set(leaf.low, isMerged ? { ...leaf, previous: before.low } : leaf)
        if (isMerged && !loaded.has(before.low)) loaded.set(before.low, before)
      }
      return [...loaded.values()]
    })
  }

  scanLeaves(part: string, from: string, limit: number) {
    return this.#read(() => {
      const leaves = this.#tables.leavesOf(part)
      const first = Math.max(
        leaves.findLastIndex(({ low }) => low <= from),
        0,
      )
      const next = leaves[first + limit]?.low
      const scanned = { leaves: leaves.slice(first, first + limit) }
      return next === undefined ? scanned : { ...scanned, next }
    })
  }

  listDuePending(now: Date, limit: number) {
    return this.#read(() =>
      [...this.#tables.pending.values()].filter(({ nextAt }) => nextAt <= now).slice(0, limit),
    )
  }

  findNextPendingAt() {
    return this.#read(() =>
      [...this.#tables.pending.values()]
        .map(({ nextAt }) => nextAt)
        .sort((one, other) => one.getTime() - other.getTime())
        .at(0),
    )
  }

  findOwnDrafts(drafts: readonly DraftIdentity[]) {
    const { submitted } = this.#tables
    return this.#read(
      () =>
        new Set(drafts.flatMap(({ id, messageId = '' }) => (submitted.has(messageId) ? [id] : []))),
    )
  }

  async commit(change: FeedCommit): Promise<void> {
    const tables = this.#tables
    await tables.onOperation()
    tables.onCommit('before')
    if (this.#leaseEpoch !== tables.leaseEpoch) throw new AppError('stale', 'lease lost')
    if ((tables.mailbox?.epoch ?? null) !== change.epoch) throw new AppError('stale', 'epoch')
    this.#storeState(change)
    this.#storePending(change)
    this.#recordEvents(change)
    tables.onCommit('after')
  }

  #storeState(change: FeedCommit): void {
    const tables = this.#tables
    tables.commits++
    tables.mailbox = change.mailbox
    if (change.reset) tables.reset()
    if (change.folders) tables.folders = change.folders
    for (const feed of change.feeds ?? []) tables.feeds.set(feed.feed, feed)
    for (const feed of change.deletedFeeds ?? []) tables.feeds.delete(feed)
    for (const part of change.parts ?? []) tables.storePart(part)
  }

  #recordEvents({ events = [], announcements = [], warning }: FeedCommit): void {
    const tables = this.#tables
    tables.events.push(...events)
    for (const due of announcements) tables.events.push(...this.#announce(due))
    if (warning) tables.warnings.push(warning)
  }

  #storePending(change: FeedCommit): void {
    const { newPending = [], changedPending = [], deletedPending = [] } = change
    const { pending } = this.#tables
    this.#deleteLeft(change)
    for (const message of deletedPending) pending.delete(message)
    for (const { isNamed, ...row } of newPending) {
      const stored = pending.get(row.message)
      if (!stored) pending.set(row.message, row)
      else if (isNamed) pending.set(row.message, { ...stored, folder: row.folder })
    }
    for (const row of changedPending) if (pending.has(row.message)) pending.set(row.message, row)
  }

  #deleteLeft({ leftPending }: FeedCommit): void {
    const { pending } = this.#tables
    for (const message of leftPending?.messages ?? [])
      if (pending.get(message)?.folder === leftPending?.folder) pending.delete(message)
  }

  /**
   * Creates `messageNew` events like `announceMessages`, but without events of reports such as
   * bounces.
   */
  #announce({ mailbox, announcements }: MailboxAnnouncements): NewEvent[] {
    const { announced } = this.#tables
    return announcements.map(({ key, draft, hash, mayBeNew }) => {
      const isFirst = hash === undefined || !announced.has(hash)
      if (hash !== undefined) announced.add(hash)
      const data = { ...draft, seemsLikeNew: mayBeNew && isFirst }
      return mailboxEvent(account, mailbox, { event: 'messageNew', key, data })
    })
  }

  async #read<T>(read: () => T): Promise<T> {
    await this.#tables.onOperation()
    return read()
  }
}

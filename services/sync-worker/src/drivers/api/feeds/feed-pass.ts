import type { ApiMessage, Feed, MailApi, MailApiError } from '@posthorn/backends/mail-api'
import type { SpecialUse } from '@posthorn/contracts/schemas/message'
import type { Account } from '../../../store/accounts.ts'
import type { MailboxRefusal } from '../../account-driver.ts'
import type { FeedEventContext } from '../events/feed-events.ts'
import type { FolderNames } from '../events/folder-names.ts'
import type { MessageDrafter } from '../messages/message-drafter.ts'
import type { OnRefusal } from '../messages/refusals.ts'
import type { FeedState, FeedStore } from './stored/feed-store.ts'
import type { IndexWriter } from './stored/index-writer.ts'
import type { IncompleteList, RoundLosses, LossPlan } from './round-losses.ts'
import type { FeedRefusal, ParkedFeeds } from './parked-feeds.ts'
import type { ReportedChanges } from './reported-changes.ts'
import { StoredIndex } from './stored/stored-index.ts'

/** Number of refused folders after which a sync pass ends if it has not read any folder yet. */
const maxRefusals = 3

/**
 * Parts of a mailbox that a partial sync pass reads. The pass also reads the folders of messages
 * and refused folders that are due.
 */
export interface PassParts {
  /** Messages that notifications named, by id. The value is true for a deleted message. */
  readonly messages: ReadonlyMap<string, boolean>
  /** Special uses of the folders that the partial sync pass reads. */
  readonly specialUses: readonly SpecialUse[]
  /**
   * True to read all feeds (lists of changes) if no synced folder has a special use of
   * `specialUses`.
   */
  readonly otherwiseAll?: boolean
}

export interface PassOptions {
  /**
   * Parts of the mailbox that the sync pass reads. If absent, the pass reads all feeds (lists of
   * changes) and runs due full rounds (comparisons of all messages).
   */
  readonly parts?: PassParts
  /** Messages that notifications named, for a pass that reads all feeds (lists of changes). */
  readonly notified?: PassParts['messages']
  /**
   * Returns true if another sync pass is requested, so that remaining full rounds (comparisons of
   * all messages) have to wait.
   */
  readonly mustYield?: () => boolean
}

/** Message that a notification named, but no feed (list of changes). */
export interface UnreportedMessage {
  readonly id: string
  /** True if the message that a notification named is not in the message index. */
  readonly isNew: boolean
}

export interface PassResult {
  /**
   * Time at which a missing message or a refused folder has to be read again, or at which the next
   * full round (list of all messages) follows an incomplete list.
   */
  readonly dueAt: Date | undefined
  /**
   * True if the sync pass left full rounds (lists of all messages) to the next sync pass, which
   * then starts immediately.
   */
  readonly hasRounds: boolean
  /** True if a feed (list of changes) reported changed messages during the sync pass. */
  readonly hasChanges: boolean
  readonly unreported: readonly UnreportedMessage[]
  /** Last folder that the provider refused to read, or a path of the account without a folder. */
  readonly refusal: MailboxRefusal | undefined
}

/** Reports the outcome of a monthly index comparison, and the number of repaired messages. */
export type OnRepair = (outcome: 'completed' | 'incomplete' | 'failed', repaired: number) => void

export interface MailboxFeedsOptions {
  readonly api: MailApi
  readonly store: FeedStore
  readonly drafter: MessageDrafter
  readonly account: Pick<Account, 'account' | 'registeredAt' | 'notifyFrom' | 'paths'>
  readonly onRefusal?: OnRefusal
  /**
   * Folders that the provider refused in earlier sync passes. If absent, the sync pass starts
   * without such folders.
   */
  readonly parked?: ParkedFeeds
  readonly onParked?: (refusal: FeedRefusal) => void
  /**
   * Records of mailbox listings that lacked messages. If absent, the sync pass starts without such
   * records.
   */
  readonly losses?: RoundLosses
  readonly onIncompleteList?: (list: IncompleteList) => void
  /**
   * Called for each page of a feed (list of changes) from which the provider left out messages as
   * unreadable.
   */
  readonly onUnreadable?: (feed: Feed, count: number) => void
  /**
   * Called if the changes since the cursor of a feed (list of changes) cannot be read any more,
   * because they are expired or damaged. A full round (comparison of all messages) follows.
   */
  readonly onLostCursor?: (feed: Feed, error: MailApiError) => void
  /**
   * Creates the client for the monthly comparison of the message index. The requests of this client
   * have the lowest priority. If absent, there are no such comparisons.
   */
  readonly openIdle?: () => Promise<MailApi>
  readonly onRepair?: OnRepair
  readonly now: () => Date
  /** Maximum number of messages in a leaf (block) of the message index. Set by tests. */
  readonly maxLeafMessages?: number
}

/** Options of a sync pass over feeds (lists of changes). */
export type FeedPassOptions = MailboxFeedsOptions &
  Required<Pick<MailboxFeedsOptions, 'parked' | 'losses'>>

/** Feed (list of changes) that a sync pass reads, and the stored position in the feed. */
export interface FeedInPass {
  readonly feed: Feed
  readonly state: FeedState
}

/**
 * Data of a sync pass in memory. Kept if a partial pass becomes a pass over all feeds (lists of
 * changes).
 */
export interface PassMemory {
  /**
   * Copies of messages that notifications named. The messages were read before the feeds (lists of
   * changes).
   */
  readonly copies: Map<string, ApiMessage>
  readonly report: ReportedChanges
  readonly mustYield: PassOptions['mustYield']
  readonly signal: AbortSignal
}

interface OpenedIndex {
  readonly writer: IndexWriter
  readonly names: FolderNames
  /** True if the sync pass uses the stored list of folders instead of listing the folders. */
  readonly isListStored: boolean
}

/** Sync pass over feeds (lists of changes), with its client, message index and cached data. */
export class FeedPass implements PassMemory, OpenedIndex {
  readonly api: MailApi
  readonly store: FeedStore
  readonly index: StoredIndex
  readonly writer: IndexWriter
  readonly names: FolderNames
  readonly isListStored: boolean
  readonly drafter: MessageDrafter
  readonly report: ReportedChanges
  readonly copies: Map<string, ApiMessage>
  readonly account: MailboxFeedsOptions['account']
  readonly onRefusal: OnRefusal | undefined
  readonly now: () => Date
  readonly signal: AbortSignal
  /**
   * Returns true if another sync pass is requested, so that remaining full rounds (comparisons of
   * all messages) have to wait.
   */
  readonly mustYield: () => boolean
  readonly losses: RoundLosses
  readonly #options: FeedPassOptions
  readonly #refused = new Map<Feed, MailApiError>()
  #hasRead = false

  constructor(
    options: FeedPassOptions,
    { copies, report, mustYield, signal }: PassMemory,
    { writer, names, isListStored }: OpenedIndex,
  ) {
    this.#options = options
    this.api = options.api
    this.losses = options.losses
    this.store = options.store
    this.index = new StoredIndex(options.store, options.maxLeafMessages)
    this.writer = writer
    this.names = names
    this.isListStored = isListStored
    this.drafter = options.drafter
    this.report = report
    this.copies = copies
    this.account = options.account
    this.onRefusal = options.onRefusal
    this.now = options.now
    this.signal = signal
    // While a sync pass fills the message index, it does not stop for another pass.
    this.mustYield = () => writer.mailbox.filledAt !== null && mustYield?.() === true
  }

  /**
   * False if the provider refused to read the folder of the feed (list of changes) in this pass, or
   * in an earlier pass and the delay since then has not ended.
   */
  mayRead(feed: Feed): boolean {
    return !this.#refused.has(feed) && this.#options.parked.mayRead(feed)
  }

  reportRead(feed: Feed): void {
    this.#hasRead = true
    this.#options.parked.clear(feed)
  }

  /**
   * Records that the provider refused to read the folder of a feed (list of changes). If the
   * provider refused all folders so far, the mailbox may be unavailable as a whole. The sync pass
   * then fails, and the next pass begins with other folders.
   *
   * @throws the error, in a pass over all feeds that has read no folder, at the third refusal
   */
  reportRefusal(feed: Feed, error: MailApiError): void {
    this.#refused.set(feed, error)
    if (!this.#hasRead && !this.isListStored && this.#refused.size >= maxRefusals) this.#fail(error)
  }

  /**
   * Parks the feeds (lists of changes) that the provider refused: later sync passes do not read
   * them until a delay has ended.
   *
   * @throws the first refusal if a pass over all feeds could read no feed
   */
  parkRefused(): void {
    const [first] = this.#refused.values()
    if (first && !this.#hasRead && !this.isListStored) this.#fail(first)
    const { parked, onParked } = this.#options
    for (const [feed, error] of this.#refused) {
      const refusal = parked.park(feed, error)
      onParked?.(refusal)
    }
  }

  #fail(error: MailApiError): never {
    this.#options.parked.suspect(this.#refused.keys())
    throw error
  }

  /** Options of the monthly comparison of the message index. */
  get repairs(): Pick<MailboxFeedsOptions, 'openIdle' | 'onRepair'> {
    return this.#options
  }

  /** Copy of this sync pass that uses another client of the mail API. */
  withApi(api: MailApi): FeedPass {
    return new FeedPass({ ...this.#options, api }, this, this)
  }

  /** Ids of refused folders that may be read again, because their delay has ended. */
  get dueFolders(): string[] {
    return this.#options.parked.due.flatMap(({ folderId }) => folderId ?? [])
  }

  /**
   * Plans how to treat messages that a full round (list of all messages) of this feed lacks; see
   * `RoundLosses.plan`.
   */
  planLosses(at: FeedInPass): Promise<LossPlan> {
    return this.losses.plan(this, at, this.#options.onIncompleteList)
  }

  reportUnreadable(feed: Feed, count: number): void {
    this.#options.onUnreadable?.(feed, count)
  }

  reportLostCursor(feed: Feed, error: MailApiError): void {
    this.#options.onLostCursor?.(feed, error)
  }

  reportIncompleteList(list: IncompleteList): void {
    this.#options.onIncompleteList?.(list)
  }

  /**
   * True if the first list of all messages of this feed is accepted as complete. See
   * `RoundLosses.acceptsFirst`.
   */
  acceptsFirst(at: FeedInPass): Promise<boolean> {
    return this.losses.acceptsFirst(this, at, this.#options.onIncompleteList)
  }

  /**
   * True while the old messages of a feed (list of changes) are added to the message index without
   * events.
   */
  isInitial({ isInitial }: Pick<FeedState, 'isInitial'>): boolean {
    return isInitial || this.writer.mailbox.filledAt === null
  }

  /** Context of the events that the next commit to the message index stores. */
  get events(): FeedEventContext {
    return { account: this.account, names: this.names, epoch: this.writer.nextEpoch }
  }
}

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

/** Number of refused folders after which a sync pass that has read no folder ends. */
const maxRefusals = 3

/** Parts of the mailbox that a sync pass reads. Folders of due messages are read as well. */
export interface PassParts {
  /** Messages that notifications named, by id. True for deleted messages. */
  readonly messages: ReadonlyMap<string, boolean>
  /** Special uses of folders to read. */
  readonly specialUses: readonly SpecialUse[]
  /** True to read all feeds if no synced folder has these special uses. */
  readonly otherwiseAll?: boolean
}

export interface PassOptions {
  /** Parts to read. Absent: all feeds are read, and full rounds (of all messages) run. */
  readonly parts?: PassParts
  /** Messages that notifications named, for a pass that reads all feeds. */
  readonly notified?: PassParts['messages']
  /** True if another pass is requested: remaining full rounds (of all messages) wait. */
  readonly mustYield?: () => boolean
}

/** Message that a notification named, but no feed. */
export interface UnreportedMessage {
  readonly id: string
  /** True if the message is not in the message index. */
  readonly isNew: boolean
}

export interface PassResult {
  /**
   * Time of the next attempt to read a message that the provider did not return, or a folder that
   * the provider refused, or of the next full round after an incomplete list.
   */
  readonly dueAt: Date | undefined
  /** True if full rounds (of all messages) are left: the next pass starts immediately. */
  readonly hasRounds: boolean
  /** True if a feed reported changes of messages. */
  readonly hasChanges: boolean
  readonly unreported: readonly UnreportedMessage[]
  /** The last folder that the provider refused, or a path of the account that names no folder. */
  readonly refusal: MailboxRefusal | undefined
}

/** Outcome of a monthly comparison of the index, and the number of repaired messages. */
export type OnRepair = (outcome: 'completed' | 'incomplete' | 'failed', repaired: number) => void

export interface MailboxFeedsOptions {
  readonly api: MailApi
  readonly store: FeedStore
  readonly drafter: MessageDrafter
  readonly account: Pick<Account, 'account' | 'registeredAt' | 'notifyFrom' | 'paths'>
  readonly onRefusal?: OnRefusal
  /** Folders that the provider refused in earlier passes. Absent: since the construction. */
  readonly parked?: ParkedFeeds
  readonly onParked?: (refusal: FeedRefusal) => void
  /** Memory of mailbox listings that lacked messages. Absent: none since the construction. */
  readonly losses?: RoundLosses
  readonly onIncompleteList?: (list: IncompleteList) => void
  /** Called for each page that passes over messages that the provider could not list. */
  readonly onUnreadable?: (feed: Feed, count: number) => void
  /**
   * Creates a client for the monthly comparison of the index, whose requests come after all others.
   * Absent: no such comparisons.
   */
  readonly openIdle?: () => Promise<MailApi>
  readonly onRepair?: OnRepair
  readonly now: () => Date
  /** Maximum messages in a leaf (block of the stored message index). For tests. */
  readonly maxLeafMessages?: number
}

/** Options of a sync pass over feeds. */
export type FeedPassOptions = MailboxFeedsOptions &
  Required<Pick<MailboxFeedsOptions, 'parked' | 'losses'>>

/** Feed (list of changes) in a sync pass, and the position in the feed. */
export interface FeedInPass {
  readonly feed: Feed
  readonly state: FeedState
}

/** Memory of a sync pass, which stays if all feeds have to be read instead of some. */
export interface PassMemory {
  /** Copies of messages that notifications named, read before the feeds. */
  readonly copies: Map<string, ApiMessage>
  readonly report: ReportedChanges
  readonly mustYield: PassOptions['mustYield']
  readonly signal: AbortSignal
}

interface OpenedIndex {
  readonly writer: IndexWriter
  readonly names: FolderNames
  /** True if the pass does not list the provider's folders. */
  readonly isListStored: boolean
}

/** Sync pass over feeds (lists of changes), with client, message index and memory of the pass. */
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
  /** True if another pass is requested: remaining full rounds (of all messages) wait. */
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
    // A pass does not yield to another pass while it fills the message index.
    this.mustYield = () => writer.mailbox.filledAt !== null && mustYield?.() === true
  }

  /** False if the provider refused to read the feed, in this pass or shortly before. */
  mayRead(feed: Feed): boolean {
    return !this.#refused.has(feed) && this.#options.parked.mayRead(feed)
  }

  reportRead(feed: Feed): void {
    this.#hasRead = true
    this.#options.parked.clear(feed)
  }

  /**
   * Records that the provider refused to read the folder of a feed. If the provider also refused
   * the folders before, the mailbox may be unavailable as a whole. The next pass then begins with
   * other folders.
   *
   * @throws the error, in a pass over all feeds that has read no folder, at the third refusal
   */
  reportRefusal(feed: Feed, error: MailApiError): void {
    this.#refused.set(feed, error)
    if (!this.#hasRead && !this.isListStored && this.#refused.size >= maxRefusals) this.#fail(error)
  }

  /**
   * Parks the refused feeds: later passes leave the feeds out for a delay.
   *
   * @throws the first refusal if a pass over all feeds could read none
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

  /** Options of the monthly comparison of the index. */
  get repairs(): Pick<MailboxFeedsOptions, 'openIdle' | 'onRepair'> {
    return this.#options
  }

  /** Copy of the pass with another client of the mail API. */
  withApi(api: MailApi): FeedPass {
    return new FeedPass({ ...this.#options, api }, this, this)
  }

  /** Ids of the refused folders whose delay has ended. */
  get dueFolders(): string[] {
    return this.#options.parked.due.flatMap(({ folderId }) => folderId ?? [])
  }

  /** Plans how to treat messages that a full round of this feed lacks; see `RoundLosses.plan`. */
  planLosses(at: FeedInPass): Promise<LossPlan> {
    return this.losses.plan(this, at, this.#options.onIncompleteList)
  }

  reportUnreadable(feed: Feed, count: number): void {
    this.#options.onUnreadable?.(feed, count)
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

  /** True while old messages of a feed are indexed without an event. */
  isInitial({ isInitial }: Pick<FeedState, 'isInitial'>): boolean {
    return isInitial || this.writer.mailbox.filledAt === null
  }

  /** Context of the events of the next commit. */
  get events(): FeedEventContext {
    return { account: this.account, names: this.names, epoch: this.writer.nextEpoch }
  }
}

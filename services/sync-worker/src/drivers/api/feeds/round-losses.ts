import type { Feed, MailApi } from '@posthorn/backends/mail-api'
import { backoff } from '@posthorn/flow'
import { apiFlags, type IndexedMessage } from '../index/indexed-message.ts'
import type { FeedState } from './stored/feed-store.ts'
import { indexPart, type StoredIndex } from './stored/stored-index.ts'

/** Maximum messages missing in a list of all messages that are requested from the provider. */
export const maxRequests = 500
/**
 * Delay before all messages are listed again after an incomplete list. Doubles while lists are
 * shorter than the mailbox's profile says.
 */
const roundDelayMs = backoff({ baseMs: 60_000, maxMs: 6 * 3_600_000 })
/** Share of a mailbox's messages that may arrive while the mailbox is being listed. */
const arrivingShare = 0.01
/**
 * Number of consecutive short lists of a mailbox after which a short list counts as complete. The
 * provider's profile may count messages that are never listed.
 */
const maxShortLists = 5
/** Period during which the first message lists must be empty before an empty list is accepted. */
const emptyMs = 10 * 60_000

/** Plan for messages, labels and flags in the index that a list of all messages lacks. */
export type LossPlan =
  /** Plan to request and store messages that a list lacks or contains without a label or flag. */
  | { kind: 'request'; isShort: boolean }
  /** Plan to store labels, flags or messages as lost that are missing in two message lists. */
  | { kind: 'confirmed'; ids: ReadonlySet<string> }
  /**
   * Plan to store no message, label or flag as lost until the next list of all messages is read.
   */
  | { kind: 'keep' }

/** Incomplete list of messages, compared with the message index or the provider's profile. */
export interface IncompleteList {
  /** Number of indexed messages that the message list lacks, or has without a label or flag. */
  losses: number
  listed: number
  /** Number of messages in the mailbox according to the provider's profile. */
  total: number | undefined
}

type OnIncomplete = (list: IncompleteList) => void

/** Properties of a `FeedPass` that are needed to compare a full round (list of all messages). */
interface RoundContext {
  readonly api: Pick<MailApi, 'profile'>
  readonly index: Pick<StoredIndex, 'scan'>
  readonly signal: AbortSignal
}

/** Feed whose full round (list of all messages) is collected. */
export interface CollectedRound {
  readonly feed: Pick<Feed, 'folderId'>
  readonly state: Pick<FeedState, 'feed' | 'applied'>
}

/** Result of comparing the rest of a full round (list of all messages) with the message index. */
interface Comparison {
  /** Ids of messages that the list of all messages lacks, or contains without a label or flag. */
  losses: ReadonlySet<string>
  /** Number of messages in the compared rest of the full round (list of all messages). */
  listed: number
}

/** True if a list of all messages lacks an indexed message, or a label or flag of the message. */
export function isLoss(before: IndexedMessage, listed: IndexedMessage | undefined): boolean {
  if (!listed) return true
  const labels = new Set(listed.labels)
  return (
    before.labels.some((label) => !labels.has(label)) ||
    apiFlags.some((flag) => before[flag] && !listed[flag])
  )
}

/**
 * Treatment of losses (missing messages, labels and flags) in full rounds (lists of all messages)
 * of a mailbox. Lists of providers are sometimes short, empty or outdated, so one list does not
 * prove a deletion. Up to 500 messages with losses are requested. More losses are stored only if
 * the list is as long as the provider's profile says, and a second list, one minute later, has the
 * same losses. A short list may also lack new messages, so another full round follows.
 *
 * A collected full round has one plan, which stays the same if the comparison fails and continues.
 * The plan is only in memory: after a restart, the rest of the round is planned, and another round
 * follows.
 */
export class RoundLosses {
  readonly #now: () => Date
  readonly #maxRequests: number
  /** Plan for messages that the collected message list lacks. Undefined before the comparison. */
  #plan: LossPlan | undefined
  /** True if the plan for losses covers the whole message list, not its rest after a restart. */
  #isOfWholeRound = false
  /** True if the collected message list began before `nextRoundAt`, because a cursor was lost. */
  #isEarly = false
  /** True if the collected message list lacks entries that were damaged in the provider's pages. */
  #isDamaged = false
  /** Ids of messages with losses in the previous full round (list of all messages). */
  #first: ReadonlySet<string> | undefined
  /** True if the first collected message list counts as complete. Undefined before the check. */
  #isFirstAccepted: boolean | undefined
  /** Length and time of the latest first message list that is shorter than the profile says. */
  #firstList: { listed: number; at: number } | undefined
  /** Number of consecutive lists that were shorter than the mailbox's profile says. */
  #shortLists = 0
  #nextRoundAt: number | undefined

  constructor(now: () => Date, limit = maxRequests) {
    this.#now = now
    this.#maxRequests = limit
  }

  /** Time at which all messages may be listed again after an incomplete list. */
  get nextRoundAt(): Date | undefined {
    return this.#nextRoundAt === undefined ? undefined : new Date(this.#nextRoundAt)
  }

  /**
   * True if a full round (list of all messages) may start now. False after an incomplete list,
   * until `nextRoundAt`. Until then, a round starts only if the cursor was lost: new messages are
   * announced, losses are kept.
   */
  get mayStartRound(): boolean {
    return this.#now().getTime() >= (this.#nextRoundAt ?? 0)
  }

  /** True if the collected message list is complete. False if another list has to follow. */
  get isComplete(): boolean {
    if (!this.#isOfWholeRound || !this.#plan || this.#plan.kind === 'keep') return false
    const isShort = this.#plan.kind === 'request' && this.#plan.isShort
    return !isShort || this.#shortLists >= maxShortLists
  }

  /** Drops the plan of the collected message list, because another message list begins. */
  begin(): void {
    this.#plan = undefined
    this.#isOfWholeRound = false
    this.#isEarly = !this.mayStartRound
    this.#isDamaged = false
    this.#isFirstAccepted = undefined
  }

  /** Records that a page of the message list had damaged entries: the list counts as short. */
  markDamaged(): void {
    this.#isDamaged = true
  }

  /** Drops the data of all message lists, because the message index is created again. */
  reset(): void {
    this.#first = undefined
    this.#firstList = undefined
    this.#shortLists = 0
    this.#nextRoundAt = undefined
    this.begin()
  }

  /**
   * Plans how to treat messages that the collected list lacks. The first call makes the plan by
   * comparing the list with the message index.
   */
  async plan(
    pass: RoundContext,
    at: CollectedRound,
    onIncomplete?: OnIncomplete,
  ): Promise<LossPlan> {
    return (this.#plan ??= await this.#choose(pass, at, onIncomplete))
  }

  /** Ends a list of all messages after its last part was committed. May schedule another list. */
  end(): void {
    if (this.isComplete) this.reset()
    else {
      this.#nextRoundAt ??= this.#now().getTime() + roundDelayMs(1)
      this.begin()
    }
  }

  /**
   * True if the first collected message list of a mailbox counts as complete according to the
   * provider's profile. Accepts a short list if the previous list had the same length, because
   * profiles may count messages that are never listed. Accepts an empty list if lists have been
   * empty for 10 minutes.
   */
  async acceptsFirst(
    pass: RoundContext,
    at: CollectedRound,
    onIncomplete?: OnIncomplete,
  ): Promise<boolean> {
    return (this.#isFirstAccepted ??= await this.#judgeFirst(pass, at, onIncomplete))
  }

  async #judgeFirst(
    pass: RoundContext,
    at: CollectedRound,
    onIncomplete?: OnIncomplete,
  ): Promise<boolean> {
    const { listed } = await compareRound(pass, { ...at, state: { ...at.state, applied: '' } })
    const { messages: total } = await pass.api.profile(pass.signal)
    if (!isShort(listed, total)) return true
    const now = this.#now().getTime()
    const before = this.#firstList
    const isRepeated = before?.listed === listed
    if (isRepeated && (listed > 0 || now - before.at >= emptyMs)) return true
    if (!isRepeated) this.#firstList = { listed, at: now }
    onIncomplete?.({ losses: 0, listed, total })
    return false
  }

  async #choose(
    pass: RoundContext,
    at: CollectedRound,
    onIncomplete?: OnIncomplete,
  ): Promise<LossPlan> {
    // If this list of messages was started only to find new messages, it proves no loss, because
    // too little time has passed since the previous list.
    if (this.#isEarly) return { kind: 'keep' }
    const comparison = await compareRound(pass, at)
    this.#isOfWholeRound = at.state.applied === ''
    if (this.#isOfWholeRound) return this.#chooseForWhole(pass, comparison, onIncomplete)
    const isFew = comparison.losses.size <= this.#maxRequests
    return isFew ? { kind: 'request', isShort: false } : { kind: 'keep' }
  }

  /** Makes the plan for losses of a message list that is compared from its first message on. */
  async #chooseForWhole(
    { api, signal }: RoundContext,
    { losses, listed }: Comparison,
    onIncomplete?: OnIncomplete,
  ): Promise<LossPlan> {
    const isFew = losses.size <= this.#maxRequests
    const { messages: total } = await api.profile(signal)
    const isShortList = this.#isDamaged || isShort(listed, total)
    this.#shortLists = isShortList ? this.#shortLists + 1 : 0
    const confirmed = this.#confirm(isShortList || isFew ? new Set() : losses)
    if (confirmed.size > 0) return { kind: 'confirmed', ids: confirmed }
    this.#first = isFew || isShortList ? undefined : losses
    if (!isFew || isShortList) {
      onIncomplete?.({ losses: losses.size, listed, total })
      this.#nextRoundAt = this.#now().getTime() + roundDelayMs(Math.max(1, this.#shortLists))
    }
    return isFew ? { kind: 'request', isShort: isShortList } : { kind: 'keep' }
  }

  /** Selects the messages with losses that also had losses in the previous message list. */
  #confirm(losses: ReadonlySet<string>): ReadonlySet<string> {
    return new Set([...losses].filter((id) => this.#first?.has(id)))
  }
}

/** True if a list of messages is much shorter than the mailbox's known number of messages. */
export function isShort(listed: number, total: number | undefined): boolean {
  return total !== undefined && total - listed > total * arrivingShare
}

/** Range of message ids, with the messages of a list of all messages and of the message index. */
export interface RoundWindow {
  listed: ReadonlyMap<string, IndexedMessage>
  /** Messages of the feed (list of changes) that the message index contains in the range. */
  present: readonly IndexedMessage[]
  /** Lowest message id after this range of message ids. Absent for the last range. */
  end: string | undefined
}

/**
 * Reads the next range of message ids, a few leaves (blocks of stored messages), from a collected
 * message list and from the message index.
 */
export async function scanRound(
  { index }: Pick<RoundContext, 'index'>,
  { feed, state }: CollectedRound,
  from: string,
): Promise<RoundWindow> {
  const round = await index.scan(state.feed, from)
  const indexed = await index.scan(indexPart, from)
  const end = [round.next, indexed.next].filter((low) => low !== undefined).sort()[0]
  const isInside = ({ id }: IndexedMessage) => end === undefined || id < end
  const isOfFeed = ({ folderId }: IndexedMessage) => (feed.folderId ?? folderId) === folderId
  return {
    listed: new Map(round.messages.filter(isInside).map((each) => [each.id, each])),
    present: indexed.messages.filter((each) => isInside(each) && isOfFeed(each)),
    end,
  }
}

/** Compares the rest of a message list with the message index, from the id `applied` on. */
export async function compareRound(pass: RoundContext, at: CollectedRound): Promise<Comparison> {
  const losses = new Set<string>()
  let count = 0
  let from: string | undefined = at.state.applied ?? ''
  while (from !== undefined) {
    pass.signal.throwIfAborted()
    const { listed, present, end } = await scanRound(pass, at, from)
    count += listed.size
    for (const message of present)
      if (isLoss(message, listed.get(message.id))) losses.add(message.id)
    from = end
  }
  return { losses, listed: count }
}

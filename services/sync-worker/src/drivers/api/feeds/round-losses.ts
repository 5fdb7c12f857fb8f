import type { Feed, MailApi } from '@posthorn/backends/mail-api'
import { backoff } from '@posthorn/flow'
import { apiFlags, type IndexedMessage } from '../index/indexed-message.ts'
import type { FeedState } from './stored/feed-store.ts'
import { indexPart, type StoredIndex } from './stored/stored-index.ts'

/** Maximum messages that are requested because a full round lacks them. */
export const maxRequests = 500
/**
 * Delay until the next full round after a list of messages that was incomplete. The delay doubles
 * while lists are shorter than the mailbox's profile says.
 */
const roundDelayMs = backoff({ baseMs: 60_000, maxMs: 6 * 3_600_000 })
/** Share of the messages of a mailbox that may arrive while they are listed. */
const arrivingShare = 0.01
/**
 * Consecutive short lists of a mailbox after which a full round counts as complete: profiles may
 * count messages that are not listed.
 */
const maxShortLists = 5
/** Time for which first rounds must be empty before an empty list is accepted. */
const emptyMs = 10 * 60_000

/** Treatment of losses: messages, labels and flags of the index that a full round lacks. */
export type LossPlan =
  /** Each message with a loss is requested. The provider's answer decides. */
  | { kind: 'request'; isShort: boolean }
  /** Losses of these messages, which two lists of the mailbox have, are stored. */
  | { kind: 'confirmed'; ids: ReadonlySet<string> }
  /** No loss of a message is stored. A further full round decides. */
  | { kind: 'keep' }

/** List of messages that lacks messages of the message index or of the provider's profile. */
export interface IncompleteList {
  /** Number of messages with losses. */
  losses: number
  listed: number
  /** Messages of the mailbox according to the provider's profile. */
  total: number | undefined
}

type OnIncomplete = (list: IncompleteList) => void

/** Part of a `FeedPass` that the comparison of a full round needs. */
interface RoundContext {
  readonly api: Pick<MailApi, 'profile'>
  readonly index: Pick<StoredIndex, 'scan'>
  readonly signal: AbortSignal
}

/** Feed with a collected full round (list of all messages). */
export interface CollectedRound {
  readonly feed: Pick<Feed, 'folderId'>
  readonly state: Pick<FeedState, 'feed' | 'applied'>
}

/** Comparison of the rest of a full round with the message index. */
interface Comparison {
  /** Ids of the messages with losses. */
  losses: ReadonlySet<string>
  /** Number of messages in the rest of the round. */
  listed: number
}

/** True if a full round lacks an indexed message, one of its labels or a flag. */
export function isLoss(before: IndexedMessage, listed: IndexedMessage | undefined): boolean {
  if (!listed) return true
  const labels = new Set(listed.labels)
  return (
    before.labels.some((label) => !labels.has(label)) ||
    apiFlags.some((flag) => before[flag] && !listed[flag])
  )
}

/**
 * Losses of full rounds of a whole mailbox. Lists of providers are short, empty or outdated at
 * times, therefore a list alone is no proof of a deletion: up to 500 messages are requested. Losses
 * of more messages are stored only if the list is as long as the profile says, and a second list,
 * one minute later, has the same losses. A short list may also lack new messages, so that another
 * round follows.
 *
 * A collected round has one plan, which failures of its comparison do not change. The plan is kept
 * in memory: after a restart, the rest of the round is planned, and another round follows.
 */
export class RoundLosses {
  readonly #now: () => Date
  readonly #maxRequests: number
  /** Plan of the collected round. Undefined until the round is compared. */
  #plan: LossPlan | undefined
  /** True if the plan is based on the whole collected round. */
  #isOfWholeRound = false
  /** Ids of messages with losses in the round before the collected round. */
  #first: ReadonlySet<string> | undefined
  /** True if the collected first round of the mailbox is complete. Undefined until compared. */
  #isFirstAccepted: boolean | undefined
  /** Last first round of the mailbox that was shorter than the profile says. */
  #firstList: { listed: number; at: number } | undefined
  /** Number of consecutive lists that were shorter than the mailbox's profile says. */
  #shortLists = 0
  #nextRoundAt: number | undefined

  constructor(now: () => Date, limit = maxRequests) {
    this.#now = now
    this.#maxRequests = limit
  }

  /** Time of the next full round after an incomplete list. */
  get nextRoundAt(): Date | undefined {
    return this.#nextRoundAt === undefined ? undefined : new Date(this.#nextRoundAt)
  }

  /** False until the time of the next full round. */
  get mayStartRound(): boolean {
    return this.#now().getTime() >= (this.#nextRoundAt ?? 0)
  }

  /** False if another full round has to follow the collected round. */
  get isComplete(): boolean {
    if (!this.#isOfWholeRound || !this.#plan || this.#plan.kind === 'keep') return false
    const isShort = this.#plan.kind === 'request' && this.#plan.isShort
    return !isShort || this.#shortLists >= maxShortLists
  }

  /** Ends the collected round because another full round begins. */
  begin(): void {
    this.#plan = undefined
    this.#isOfWholeRound = false
    this.#isFirstAccepted = undefined
  }

  /** Forgets all rounds, because the message index is created again. */
  reset(): void {
    this.begin()
    this.#first = undefined
    this.#firstList = undefined
    this.#shortLists = 0
    this.#nextRoundAt = undefined
  }

  /** Plans the collected round, or its rest. The first call compares it with the message index. */
  async plan(
    pass: RoundContext,
    at: CollectedRound,
    onIncomplete?: OnIncomplete,
  ): Promise<LossPlan> {
    return (this.#plan ??= await this.#choose(pass, at, onIncomplete))
  }

  /** Ends the comparison of the collected round, after its last part was committed. */
  end(): void {
    if (this.isComplete) this.reset()
    else {
      this.#nextRoundAt ??= this.#now().getTime() + roundDelayMs(1)
      this.begin()
    }
  }

  /**
   * True if the collected first round of a mailbox is complete, as far as the provider's profile
   * tells. A short list is accepted if the list before had the same length: profiles may count
   * messages that are not listed. An empty list is accepted if lists are empty for 10 minutes.
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
    const comparison = await compareRound(pass, at)
    this.#isOfWholeRound = at.state.applied === ''
    if (this.#isOfWholeRound) return this.#chooseForWhole(pass, comparison, onIncomplete)
    const isFew = comparison.losses.size <= this.#maxRequests
    return isFew ? { kind: 'request', isShort: false } : { kind: 'keep' }
  }

  /** Chooses the plan of a round that is compared from its first message on. */
  async #chooseForWhole(
    { api, signal }: RoundContext,
    { losses, listed }: Comparison,
    onIncomplete?: OnIncomplete,
  ): Promise<LossPlan> {
    const isFew = losses.size <= this.#maxRequests
    const { messages: total } = await api.profile(signal)
    const isShortList = isShort(listed, total)
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

  /** Selects the messages that also had losses in the round before the collected round. */
  #confirm(losses: ReadonlySet<string>): ReadonlySet<string> {
    return new Set([...losses].filter((id) => this.#first?.has(id)))
  }
}

/** True if a list is much shorter than the provider's number. False without a number. */
export function isShort(listed: number, total: number | undefined): boolean {
  return total !== undefined && total - listed > total * arrivingShare
}

/** Part of a collected full round beside the same part of the message index. */
export interface RoundWindow {
  listed: ReadonlyMap<string, IndexedMessage>
  /** Indexed messages of the feed. */
  present: readonly IndexedMessage[]
  /** First id after the window. Absent at the end of the full round and of the message index. */
  end: string | undefined
}

/**
 * Reads the next few leaves (blocks of stored messages) of a collected full round and of the
 * message index, from an id on.
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

/** Compares the rest of a full round with the message index. */
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

import { backoff } from '@posthorn/flow'
import { indexPart } from './stored-index.ts'
import type { FeedInPass, FeedPass } from './feed-pass.ts'

/** Most missing messages that are requested. Costs 20 units each at Gmail. */
const maxGets = 500
/**
 * Delay until a second list confirms that more messages are missing. The delay doubles while lists
 * are shorter than the profile says.
 */
const roundDelayMs = backoff({ baseMs: 60_000, maxMs: 6 * 3_600_000 })
/** Share of the messages of a mailbox that may arrive while they are listed. */
const arrivingShare = 0.01

/** Treatment of indexed messages that a full round does not name. */
export type MissingPlan =
  /** Each message is requested, and deleted if the provider does not find it. */
  | { kind: 'request' }
  /** Messages that two lists lack are deleted. */
  | { kind: 'confirmed'; ids: ReadonlySet<string> }
  /** No message is deleted. A further full round decides. */
  | { kind: 'keep' }

/** List of a mailbox that lacks many indexed messages. */
export interface IncompleteList {
  /** Indexed messages that the list lacks. */
  missing: number
  listed: number
  /** Messages of the mailbox according to the provider's profile. */
  total: number | undefined
}

type OnIncomplete = (list: IncompleteList) => void

/**
 * Messages that a full round of a whole mailbox does not name. Lists of providers are short, empty
 * or outdated at times, therefore a missing message alone is no proof that it was deleted: up to 500
 * messages are requested. More messages are deleted only if the list is as long as the profile says,
 * and a second list, one minute later, lacks the same messages.
 *
 * The plan is kept in memory. After a restart, the messages that are not compared yet are planned
 * again, and the second list becomes a first list.
 */
export class MissingMessages {
  readonly #now: () => Date
  readonly #maxGets: number
  #plan: MissingPlan | undefined
  /** Messages that the previous list lacked. */
  #first: ReadonlySet<string> | undefined
  /** Length of the last list of a first round. */
  #firstListed: number | undefined
  /** Consecutive lists that were shorter than the profile says. */
  #shortLists = 0
  #nextRoundAt: number | undefined

  constructor(now: () => Date, limit = maxGets) {
    this.#now = now
    this.#maxGets = limit
  }

  /** Time of the full round that decides about kept messages. */
  get nextRoundAt(): Date | undefined {
    return this.#nextRoundAt === undefined ? undefined : new Date(this.#nextRoundAt)
  }

  /** False until the time of the next round. */
  get mayStartRound(): boolean {
    return this.#now().getTime() >= (this.#nextRoundAt ?? 0)
  }

  /** Plan for the rest of a round. The first call compares all ids of the round with the index. */
  async plan(pass: FeedPass, at: FeedInPass, onIncomplete?: OnIncomplete): Promise<MissingPlan> {
    if (this.#plan && at.state.applied !== '') return this.#plan
    this.#plan = await this.#choose(pass, at, onIncomplete)
    return this.#plan
  }

  /** Ends the plan of a round. Returns false if another round has to decide. */
  end(): boolean {
    const isComplete = this.#plan?.kind !== 'keep'
    this.#plan = undefined
    if (isComplete) {
      this.#first = undefined
      this.#shortLists = 0
      this.#nextRoundAt = undefined
    }
    return isComplete
  }

  /**
   * True if the first round of a mailbox is complete, as far as the profile tells. A short list is
   * accepted if the list before was as long: profiles may count messages that are not listed.
   */
  async acceptsFirst(
    pass: FeedPass,
    at: FeedInPass,
    onIncomplete?: OnIncomplete,
  ): Promise<boolean> {
    const { listed } = await compareIds(pass, { ...at, state: { ...at.state, applied: '' } })
    const { messages: total } = await pass.api.profile(pass.signal)
    const before = this.#firstListed
    this.#firstListed = listed
    if (!isShort(listed, total) || (listed > 0 && before !== undefined && !isShort(listed, before)))
      return true
    onIncomplete?.({ missing: 0, listed, total })
    return false
  }

  async #choose(pass: FeedPass, at: FeedInPass, onIncomplete?: OnIncomplete): Promise<MissingPlan> {
    const { ids, listed } = await compareIds(pass, at)
    if (ids.size <= this.#maxGets) return { kind: 'request' }
    const { messages: total } = await pass.api.profile(pass.signal)
    const short = isShort(listed, total)
    const first = this.#first ?? new Set()
    const confirmed = new Set(short ? [] : [...ids].filter((id) => first.has(id)))
    if (confirmed.size > 0) return { kind: 'confirmed', ids: confirmed }
    onIncomplete?.({ missing: ids.size, listed, total })
    this.#first = short ? undefined : ids
    this.#shortLists = short ? this.#shortLists + 1 : 0
    this.#nextRoundAt = this.#now().getTime() + roundDelayMs(Math.max(1, this.#shortLists))
    return { kind: 'keep' }
  }
}

/** False without a number to compare with. */
function isShort(listed: number, total: number | undefined): boolean {
  return total !== undefined && total - listed > total * arrivingShare
}

/** Indexed messages that the rest of a round lacks, and the number of messages in that rest. */
async function compareIds(
  { index, signal }: FeedPass,
  { feed, state }: FeedInPass,
): Promise<{ ids: ReadonlySet<string>; listed: number }> {
  const ids = new Set<string>()
  let listed = 0
  let from: string | undefined = state.applied ?? ''
  while (from !== undefined) {
    signal.throwIfAborted()
    const start: string = from
    const [round, indexed] = [
      await index.scan(state.feed, start),
      await index.scan(indexPart, start),
    ]
    const end: string | undefined = [round.next, indexed.next]
      .filter((low) => low !== undefined)
      .sort()[0]
    const isInside = ({ id }: { id: string }) => end === undefined || id < end
    const named = new Set(round.messages.filter(isInside).map(({ id }) => id))
    listed += named.size
    for (const { id, folderId } of indexed.messages.filter(isInside))
      if (!named.has(id) && (feed.folderId ?? folderId) === folderId) ids.add(id)
    from = end
  }
  return { ids, listed }
}

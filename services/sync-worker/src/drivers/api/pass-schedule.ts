import type { SpecialUse } from '@posthorn/contracts/schemas/message'
import type { Config } from '../../config.ts'
import type { WatchHandle } from '../../watches/watched-account.ts'
import { retryDelaysMs } from './feeds/apply-batch.ts'
import type { PassOptions, PassResult } from './feeds/pass.ts'

/** Why a pass starts. `due`: something is read again, or full rounds are left. */
export type PassReason = 'start' | 'poll' | 'due' | 'request'

/** Requests since the last pass. */
export interface PassRequests {
  readonly all: boolean
  /** Noticed messages. True for deleted ones. */
  readonly messages: ReadonlyMap<string, boolean>
  /** True if a notification named no message. */
  readonly isUnnamed: boolean
}

export interface PassScheduleOptions {
  readonly config: Pick<Config, 'apiPollMs' | 'apiPollNotifiedMs'>
  readonly watch: Pick<WatchHandle, 'isActive' | 'isRefused'>
  /** Epoch milliseconds. Default: the system's clock. */
  readonly now?: () => number
  readonly random?: () => number
}

/** Folders that are polled most often if the provider refuses to notify. */
const mainUses: readonly SpecialUse[] = ['\\Inbox', '\\Sent', '\\Drafts', '\\Junk']
/** Their interval and that of the others, in intervals of polls: 60 s and 15 min by default. */
const refusedIntervals = { main: 4 / 3, all: 20 }
/** Delay of the second read after a notification without changes: it may precede them. */
const repeatMs = 1_000
/** Repeats for an indexed message, whose notification may as well be late. */
const maxIndexedRepeats = 3
/** Most noticed messages that wait for their changes. */
const maxWaiting = 1_000

/**
 * Times and parts of the passes of one account. A pass over parts of the mailbox, because of
 * notifications, does not delay the next poll.
 */
export class PassSchedule {
  readonly #options: PassScheduleOptions
  readonly #now: () => number
  /** Noticed messages that no feed has reported yet: number of reads, time of the next one. */
  readonly #waiting = new Map<string, { tries: number; at: number }>()
  /** Messages of the pass in progress. */
  #noticed = new Map<string, number>()
  #reason: PassReason = 'start'
  #polledAt = 0
  #readAllAt = 0
  /** Factor of the next interval, so that polls spread over the accounts. */
  #spread = 1
  #isPoll = false
  #mayRepeat = false
  #repeatAt = Infinity
  #pendingAt = Infinity
  #hasRounds = false

  constructor(options: PassScheduleOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** Reason of the last planned pass. */
  get reason(): PassReason {
    return this.#reason
  }

  /** Options of the next pass. */
  plan(reason: PassReason, { all, messages, isUnnamed }: PassRequests): PassOptions {
    const now = this.#now()
    this.#reason = reason
    const isRepeat = this.#repeatAt <= now
    if (isRepeat) this.#repeatAt = Infinity
    this.#mayRepeat = isUnnamed
    const noticed = new Map([...this.#takeDue(now), ...messages])
    for (const id of messages.keys()) this.#noticed.set(id, 0)
    const isFull = all || isRepeat || this.#hasRounds || reason === 'start'
    this.#isPoll = isFull || reason === 'poll'
    if (!this.#isPoll) return { parts: { messages: noticed, specialUses: [] } }
    this.#polledAt = now
    const { watch, config } = this.#options
    const readAllEveryMs = watch.isRefused ? refusedIntervals.all * config.apiPollMs : 0
    if (!isFull && now - this.#readAllAt < readAllEveryMs)
      return { parts: { messages: noticed, specialUses: mainUses } }
    this.#readAllAt = now
    return { noticed }
  }

  /** Takes the result of a pass into account. */
  complete({ dueAt, hasRounds, hasChanges, unreported }: PassResult): void {
    const now = this.#now()
    this.#pendingAt = dueAt?.getTime() ?? Infinity
    this.#hasRounds = hasRounds
    if (this.#mayRepeat && !hasChanges) this.#repeatAt = now + repeatMs
    if (this.#isPoll) this.#startInterval(now)
    for (const { id, isNew } of unreported) {
      const tries = this.#noticed.get(id) ?? 0
      const delayMs = isNew || tries < maxIndexedRepeats ? retryDelaysMs[tries] : undefined
      if (delayMs !== undefined && this.#waiting.size < maxWaiting)
        this.#waiting.set(id, { tries: tries + 1, at: now + delayMs })
    }
    this.#noticed = new Map()
  }

  /** Delay of the next pass in milliseconds, and its reason if nothing is requested before. */
  next(): { delayMs: number; reason: PassReason } {
    const now = this.#now()
    const again = [...this.#waiting.values()].map(({ at }) => at)
    const dueAt = this.#hasRounds ? now : Math.min(this.#pendingAt, this.#repeatAt, ...again)
    const delayMs = Math.max(0, Math.min(dueAt, this.#pollAt) - now)
    return { delayMs, reason: dueAt < this.#pollAt ? 'due' : 'poll' }
  }

  /** True if the next poll is due. */
  get isPollDue(): boolean {
    return this.#pollAt <= this.#now()
  }

  get #pollAt(): number {
    const { config, watch } = this.#options
    const { apiPollMs, apiPollNotifiedMs } = config
    const refusedMs = watch.isRefused ? refusedIntervals.main * apiPollMs : apiPollMs
    return this.#polledAt + (watch.isActive ? apiPollNotifiedMs : refusedMs) * this.#spread
  }

  #startInterval(now: number): void {
    this.#polledAt = now
    this.#spread = 2 / 3 + ((this.#options.random ?? Math.random)() * 2) / 3
  }

  #takeDue(now: number): [string, boolean][] {
    const due = [...this.#waiting].filter(([, { at }]) => at <= now)
    for (const [id, { tries }] of due) {
      this.#waiting.delete(id)
      this.#noticed.set(id, tries)
    }
    return due.map(([id]) => [id, false])
  }
}

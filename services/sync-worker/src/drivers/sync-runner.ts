import { sleep } from '@posthorn/flow'
import { noIntervals, type SyncMoment, type SyncRules } from './sync-rules.ts'
import {
  begin,
  end,
  mustYield,
  next,
  notifiedListDelayMs,
  start,
  stopped,
  type SyncAction,
  type SyncOutcome,
  type SyncPass,
} from './sync-schedule.ts'
import { addTrigger, type SyncRequest, type SyncTrigger } from './sync-trigger.ts'

/**
 * Runs the sync schedule of one account against a clock. Commands and notifications add triggers at
 * any time. The loop of `AccountDriver.follow` executes one sync action after the other.
 */
export class SyncRunner {
  readonly #now: () => number
  readonly #random: () => number
  #schedule = stopped
  #rules: () => SyncRules = () => noIntervals
  #wake = new AbortController()

  /**
   * Creates the runner of a sync schedule. `now` returns the current time in epoch milliseconds and
   * defaults to the system's clock.
   */
  constructor({ now = Date.now, random = Math.random } = {}) {
    this.#now = now
    this.#random = random
  }

  /**
   * Starts the sync schedule of an account's new connection. `rules` returns the current sync
   * rules. Disposal stops the schedule.
   */
  start(rules: () => SyncRules): Disposable {
    this.#rules = rules
    this.#schedule = start(this.#schedule, this.#now())
    return { [Symbol.dispose]: () => void (this.#rules = () => noIntervals) }
  }

  /** Adds a trigger to the sync schedule and wakes the loop of `AccountDriver.follow`. */
  trigger(trigger: SyncTrigger): void {
    this.add(trigger)
    this.wake()
  }

  request(request: SyncRequest): void {
    this.trigger({ kind: 'request', ...request })
  }

  /** Adds a trigger of a sync without waking the loop of `AccountDriver.follow`. */
  add(trigger: SyncTrigger): void {
    this.#schedule = addTrigger(this.#schedule, this.#moment, trigger)
  }

  /** Wakes the loop of `AccountDriver.follow` while the loop waits for the next sync action. */
  wake(): void {
    this.#wake.abort()
  }

  /** Returns a signal that aborts when the sync schedule gets another trigger or is woken. */
  listen(): AbortSignal {
    if (this.#wake.signal.aborted) this.#wake = new AbortController()
    return this.#wake.signal
  }

  /** Next action of the sync schedule, and the time until the action starts. */
  get next(): { action: SyncAction; delayMs: number } {
    const moment = this.#moment
    const { action, at } = next(this.#schedule, moment)
    return { action, delayMs: at - moment.now }
  }

  /** Time until the mailbox list has to be checked because of a notification, in milliseconds. */
  get notifiedListDelayMs(): number {
    return notifiedListDelayMs(this.#schedule, this.#moment)
  }

  /** Sync action that is in progress. Undefined while the schedule waits. */
  get running(): SyncPass | undefined {
    return this.#schedule.running
  }

  /** True if full rounds (comparisons of all messages) have to wait for another sync action. */
  get mustYield(): boolean {
    return mustYield(this.#schedule, this.#moment)
  }

  /**
   * Waits until the next action of the sync schedule is due, and starts the action. Rejects with
   * the abort reason of `signal`.
   */
  async begin(signal: AbortSignal): Promise<SyncPass> {
    for (;;) {
      const wake = this.listen()
      const { action, delayMs } = this.next
      if (delayMs > 0) await sleep(delayMs, AbortSignal.any([signal, wake])).catch(() => {})
      signal.throwIfAborted()
      if (!wake.aborted) return this.beginNow(action)
    }
  }

  /** Starts an action of the sync schedule without waiting. */
  beginNow(action: SyncAction): SyncPass {
    const started = begin(this.#schedule, this.#moment, action)
    this.#schedule = started
    return started.running
  }

  /** Ends the sync action in progress. */
  end(outcome: SyncOutcome): void {
    this.#schedule = end(this.#schedule, this.#moment, outcome)
  }

  get #moment(): SyncMoment {
    return { now: this.#now(), rules: this.#rules(), random: this.#random() }
  }
}

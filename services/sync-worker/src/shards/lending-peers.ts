import { type Clock, monotonicClock } from '@posthorn/flow'

/**
 * Time without processes of an earlier release after which this worker uses their share of the
 * units. Covers what such processes may have used immediately before they ended.
 */
const absentMs = 10_000

/**
 * Knowledge whether all live sync-workers and senders lend or borrow units of mailboxes. Processes
 * of the earlier release use fixed shares of the units. A starting worker expects such processes.
 */
export class LendingPeers {
  readonly #clock: Clock
  /** Time since which no process of an earlier release was seen. */
  #absentSince = Infinity

  constructor(clock: Clock = monotonicClock) {
    this.#clock = clock
  }

  /** Records whether processes are live that neither lend nor borrow units. */
  observe(hasOthers: boolean): void {
    if (hasOthers) this.#absentSince = Infinity
    else this.#absentSince = Math.min(this.#absentSince, this.#clock())
  }

  /** True if all live processes lend or borrow units. */
  get areComplete(): boolean {
    return this.#clock() - this.#absentSince >= absentMs
  }
}

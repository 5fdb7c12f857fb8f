import { type Clock, monotonicClock } from '@posthorn/flow'

/**
 * Delay between the end of the last process of an earlier release and the use of that process's
 * share of quota units of mail APIs. Covers units that the process may have used immediately before
 * its end.
 */
const absentMs = 10_000

/**
 * Records whether all live sync-workers and senders lend or borrow quota units of mail APIs.
 * Processes of an earlier release use fixed shares of the units instead. A starting worker assumes
 * that such processes are live.
 */
export class LendingPeers {
  readonly #clock: Clock
  /**
   * Time since which no process has been seen that neither lends nor borrows quota units of mail
   * APIs.
   */
  #absentSince = Infinity

  constructor(clock: Clock = monotonicClock) {
    this.#clock = clock
  }

  /** Records whether any live process neither lends nor borrows quota units of mail APIs. */
  observe(hasOthers: boolean): void {
    if (hasOthers) this.#absentSince = Infinity
    else this.#absentSince = Math.min(this.#absentSince, this.#clock())
  }

  /** True if all live sync-workers and senders lend or borrow quota units of mail APIs. */
  get areComplete(): boolean {
    return this.#clock() - this.#absentSince >= absentMs
  }
}

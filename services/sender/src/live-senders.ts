import type { Db } from '@posthorn/db'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { deleteSender, saveHeartbeat } from './store/senders.ts'

export interface LiveSenderDeps {
  db: Db
  /** Id of this sender process. */
  sender: string
  log: Logger
}

const heartbeatMs = 5_000
/**
 * Maximum time between two heartbeats of this sender process. A longer time is an outage of
 * Postgres or of this process.
 */
const maxGapMs = 2 * heartbeatMs

/**
 * Heartbeat of this sender process, and number of live sender processes. The processes share the
 * request limits of mail providers. Disposal deletes this process from the table `senders`.
 */
export class LiveSenders implements AsyncDisposable {
  readonly #deps: LiveSenderDeps
  readonly #heartbeat: PeriodicTask
  /** Times of the first and the last heartbeat of this sender since the latest outage. */
  #first = Infinity
  #last = -Infinity
  /** Number of live sender processes. At least 1: this process. */
  count = 1

  constructor(deps: LiveSenderDeps) {
    this.#deps = deps
    const { db, sender, log } = deps
    this.#heartbeat = runPeriodically(
      { everyMs: heartbeatMs, log, name: 'sender heartbeat' },
      async () => {
        this.count = await saveHeartbeat(db, sender)
        const now = performance.now()
        if (now - this.#last > maxGapMs) this.#first = now
        this.#last = now
      },
    )
  }

  /**
   * Duration in milliseconds for which this sender has reached Postgres without an outage. If the
   * duration exceeds the heartbeat interval, all senders that reach Postgres have stored a
   * heartbeat during it.
   */
  get steadyMs(): number {
    const now = performance.now()
    return now - this.#last > maxGapMs ? 0 : Math.max(0, now - this.#first)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { db, sender, log } = this.#deps
    await this.#heartbeat[Symbol.asyncDispose]()
    await deleteSender(db, sender).catch((err: unknown) =>
      log.debug({ err }, 'sender not removed, its heartbeat will expire'),
    )
  }
}

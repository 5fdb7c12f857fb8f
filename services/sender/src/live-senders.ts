import type { Db } from '@posthorn/db'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { deleteSender, saveHeartbeat } from './store/senders.ts'

export interface LiveSenderDeps {
  db: Db
  /** Id of this process. */
  sender: string
  log: Logger
}

const heartbeatMs = 5_000
/**
 * A longer time between two heartbeats of this process is an outage of Postgres or of this process.
 */
const maxGapMs = 2 * heartbeatMs

/** Number of live sender processes, which share the limits of providers. Disposal leaves. */
export class LiveSenders implements AsyncDisposable {
  readonly #deps: LiveSenderDeps
  readonly #heartbeat: PeriodicTask
  /** First and last heartbeat since the latest outage. */
  #first = Infinity
  #last = -Infinity
  /** Number of live senders. At least 1: this process. */
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
   * Time since which this process has reached Postgres without an outage. If the time exceeds the
   * heartbeat interval, all senders that reach Postgres have stored a heartbeat since.
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

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

/** Number of live sender processes, which share the limits of providers. Disposal leaves. */
export class LiveSenders implements AsyncDisposable {
  readonly #deps: LiveSenderDeps
  readonly #heartbeat: PeriodicTask
  /** At least 1: this process. */
  count = 1

  constructor(deps: LiveSenderDeps) {
    this.#deps = deps
    const { db, sender, log } = deps
    this.#heartbeat = runPeriodically(
      { everyMs: heartbeatMs, log, name: 'sender heartbeat' },
      async () => {
        this.count = await saveHeartbeat(db, sender)
      },
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { db, sender, log } = this.#deps
    await this.#heartbeat[Symbol.asyncDispose]()
    await deleteSender(db, sender).catch((err: unknown) =>
      log.debug({ err }, 'sender not removed, its heartbeat will expire'),
    )
  }
}

import type { Bus } from '@posthorn/bus'
import { fileSent, shardOf } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import { AppError, isPermanent, messageOf } from '@posthorn/errors'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { retryDelayMs } from '../attempt/retry-delay.ts'
import { claimFilings, type DueFiling, endFiling, postponeFiling } from '../store/filing.ts'

export interface FilerDeps {
  db: Db
  bus: Pick<Bus, 'request'>
  log: Logger
  retryBaseMs: number
  sweepMs: number
  /** Told how each try ended. */
  count: (result: 'filed' | 'postponed' | 'failed') => void
}

/** After this time the mailbox is as it is. */
const giveUpMs = 6 * 3_600_000
/** Between two tries at most. */
const maxDelayMs = 10 * 60_000
/** For the answer of a worker that has to store the whole message. */
const askMs = 30_000
/** Of one account's messages only one is filed at a time: the claim must outlast several. */
const leaseMs = 4 * askMs
const accountsAtOnce = 20
const batch = 50

/**
 * Has done in the mailboxes what follows from messages having been sent. The message is out and told of already: whatever goes wrong here
 * is logged, tried again for some hours, and harms nothing else.
 *
 * Disposing waits for what is being asked.
 */
export class Filer implements AsyncDisposable {
  readonly #deps: FilerDeps
  readonly #accounts = new Map<string, Promise<void>>()
  readonly #stop = new AbortController()
  readonly #loop: PeriodicTask

  constructor(deps: FilerDeps) {
    this.#deps = deps
    const { log, sweepMs } = deps
    this.#loop = runPeriodically({ everyMs: sweepMs, log, name: 'filing' }, () => this.#sweep())
  }

  /** A message was sent. */
  wake(): void {
    this.#loop.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the process stops'))
    await this.#loop[Symbol.asyncDispose]()
    await Promise.all(this.#accounts.values())
  }

  async #sweep(): Promise<void> {
    if (this.#accounts.size >= accountsAtOnce || this.#stop.signal.aborted) return
    const except = [...this.#accounts.keys()]
    const due = await claimFilings(this.#deps.db, { limit: batch, leaseMs, except })
    for (const [account, filings] of Map.groupBy(due, (filing) => filing.account)) {
      const done = this.#fileAll(filings).finally(() => {
        this.#accounts.delete(account)
        this.#loop.wake()
      })
      this.#accounts.set(account, done)
    }
  }

  /** One after the other. When the mailbox cannot be had, the others need not ask. Does not reject. */
  async #fileAll(filings: DueFiling[]): Promise<void> {
    const until = Date.now() + leaseMs - askMs
    let failed: unknown
    for (const filing of filings) {
      // The rest comes back when the claim ends.
      if (Date.now() > until) return
      try {
        if (failed !== undefined || this.#stop.signal.aborted)
          await this.#postpone(filing, failed, { counted: false })
        else failed = await this.#file(filing)
      } catch (err) {
        this.#deps.log.warn({ err, queueId: filing.queueId }, 'the filing could not be recorded')
        return
      }
    }
  }

  /** What went wrong with the mailbox as a whole, if anything did. */
  async #file(filing: DueFiling): Promise<unknown> {
    const { db, log, count } = this.#deps
    const { queueId, account } = filing
    try {
      const { skipped } = await this.#ask(filing)
      if (skipped.length > 0) log.warn({ queueId, account, skipped }, 'not all was filed')
      await endFiling(db, filing, skipped.length > 0 ? skipped.join('\n') : null)
      count('filed')
      return undefined
    } catch (error) {
      const isFinal =
        isPermanent(error) && !(error instanceof AppError && error.kind === 'rejected')
      if (!isFinal && filing.ageMs < giveUpMs) {
        await this.#postpone(filing, error, { counted: !this.#stop.signal.aborted })
        return isTemporary(error) ? error : undefined
      }
      log.error({ err: error, queueId, account }, 'the mailbox does not show what was sent')
      await endFiling(db, filing, messageOf(error))
      count('failed')
      return undefined
    }
  }

  #ask({ queueId, account, messageId, filing }: DueFiling) {
    const { copy = false, ...rest } = filing ?? {}
    return this.#deps.bus.request(
      fileSent,
      { account, queueId, messageId, copy, ...rest },
      { key: `shard.${shardOf(account)}`, timeoutMs: askMs, signal: this.#stop.signal },
    )
  }

  async #postpone(
    filing: DueFiling,
    error: unknown,
    { counted }: { counted: boolean },
  ): Promise<void> {
    const { db, log, count, retryBaseMs } = this.#deps
    const { queueId, account, attempt } = filing
    const stopping = this.#stop.signal.aborted
    const delayMs = stopping ? 0 : Math.min(maxDelayMs, retryDelayMs(attempt, retryBaseMs))
    const reason = error === undefined ? 'the process stopped' : messageOf(error)
    if (counted) log.info({ queueId, account, attempt, reason, delayMs }, 'filing is tried again')
    await postponeFiling(db, filing, { delayMs, error: reason, counted })
    if (counted) count('postponed')
  }
}

/** Says something about the account, and not about the message. */
function isTemporary(error: unknown): boolean {
  return error instanceof AppError && ['unavailable', 'timeout', 'unreachable'].includes(error.kind)
}

import type { Bus } from '@posthorn/bus'
import { fileSent } from '@posthorn/contracts/commands/filing'
import { shardOf } from '@posthorn/contracts/shards'
import type { Db } from '@posthorn/db'
import { AppError, isPermanent, messageOf } from '@posthorn/errors'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { retryDelayMs } from '../attempt/decide-outcome.ts'
import { type DueFiling, filings, isOfOthers } from '../store/filing.ts'

export interface FilerDeps {
  db: Db
  bus: Pick<Bus, 'request'>
  log: Logger
  retryBaseMs: number
  sweepMs: number
  /** Called with the result of each try to file a sent message in the mailbox. */
  count: (result: 'filed' | 'postponed' | 'failed') => void
}

/**
 * Maximum age of a filing (mailbox work of a sent message). A filing that fails at this age has
 * failed permanently.
 */
const maxAgeMs = 6 * 3_600_000
const maxDelayMs = 10 * 60_000
/** Timeout of a request to a sync-worker to file a sent message, which may be large. */
const requestTimeoutMs = 30_000
/**
 * Lease of a filing (mailbox work of a sent message). An account's messages are filed one by one,
 * so the lease covers several requests.
 */
const leaseMs = 4 * requestTimeoutMs
const maxAccounts = 20
const claimBatch = 50

/**
 * Requests the mailbox work of sent messages from the sync-workers: Sent copy, flags, removal of
 * drafts. Failures are logged and retried for up to 6 h, and never affect the submission.
 *
 * Disposal cancels pending requests and waits for the filing of the accounts to end.
 */
export class Filer implements AsyncDisposable {
  readonly #deps: FilerDeps
  /**
   * Accounts whose sent messages are being filed, each with a promise that resolves when the filing
   * ends.
   */
  readonly #accounts = new Map<string, Promise<void>>()
  readonly #stop = new AbortController()
  readonly #task: PeriodicTask

  constructor(deps: FilerDeps) {
    this.#deps = deps
    const { log, sweepMs } = deps
    this.#task = runPeriodically({ everyMs: sweepMs, log, name: 'filing' }, () => this.#sweep())
  }

  /** Starts the next poll of due filings (mailbox work of sent messages) soon. */
  wake(): void {
    this.#task.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('process stopping'))
    await this.#task[Symbol.asyncDispose]()
    await Promise.all(this.#accounts.values())
  }

  async #sweep(): Promise<void> {
    if (this.#accounts.size >= maxAccounts || this.#stop.signal.aborted) return
    const where = isOfOthers([...this.#accounts.keys()])
    const due = await filings.claim(this.#deps.db, { limit: claimBatch, leaseMs, where })
    for (const [account, ofAccount] of Map.groupBy(due, (filing) => filing.account)) {
      const done = this.#fileAll(ofAccount).finally(() => {
        this.#accounts.delete(account)
        this.#task.wake()
      })
      this.#accounts.set(account, done)
    }
  }

  /**
   * Files the sent messages of an account one by one. After a failure of the mailbox, postpones the
   * remaining messages. Never rejects.
   */
  async #fileAll(due: DueFiling[]): Promise<void> {
    const deadline = Date.now() + leaseMs - requestTimeoutMs
    let mailboxError: unknown
    for (const filing of due) {
      // Stops filing before the lease of the filings ends. The leases of the remaining filings
      // expire, which makes these filings due again.
      if (Date.now() > deadline) return
      try {
        if (mailboxError !== undefined || this.#stop.signal.aborted)
          await this.#postpone(filing, mailboxError, { counted: false })
        else mailboxError = await this.#file(filing)
      } catch (err) {
        this.#deps.log.warn({ err, queueId: filing.queueId }, 'filing not recorded')
        return
      }
    }
  }

  /** Files one sent message. Returns the error if the mailbox as a whole is unavailable. */
  async #file(filing: DueFiling): Promise<unknown> {
    const { db, log, count } = this.#deps
    const { queueId, account } = filing
    try {
      const { skipped } = await this.#requestFiling(filing)
      if (skipped.length > 0) log.warn({ queueId, account, skipped }, 'filing incomplete')
      await filings.end(db, filing, { filingError: skipped.join('\n') || null })
      count('filed')
      return undefined
    } catch (error) {
      // A rejection by the mail server does not end the filing, because the cause may be temporary,
      // such as a full mailbox.
      const isFinal =
        isPermanent(error) && !(error instanceof AppError && error.kind === 'rejected')
      if (!isFinal && filing.ageMs < maxAgeMs) {
        await this.#postpone(filing, error, { counted: !this.#stop.signal.aborted })
        return isMailboxUnavailable(error) ? error : undefined
      }
      log.error({ err: error, queueId, account }, 'filing failed permanently')
      await filings.end(db, filing, { filingError: messageOf(error) })
      count('failed')
      return undefined
    }
  }

  #requestFiling({ queueId, account, messageId, filing }: DueFiling) {
    const { copy = false, ...rest } = filing ?? {}
    return this.#deps.bus.request(
      fileSent,
      { account, queueId, messageId, copy, ...rest },
      { key: `shard.${shardOf(account)}`, timeoutMs: requestTimeoutMs, signal: this.#stop.signal },
    )
  }

  async #postpone(
    filing: DueFiling,
    error: unknown,
    { counted }: { counted: boolean },
  ): Promise<void> {
    const { db, log, count, retryBaseMs } = this.#deps
    const { queueId, account, count: attempt } = filing
    const delayMs = this.#stop.signal.aborted
      ? 0
      : Math.min(maxDelayMs, retryDelayMs(attempt, retryBaseMs))
    const reason = error === undefined ? 'process stopped' : messageOf(error)
    if (counted) log.info({ queueId, account, attempt, reason, delayMs }, 'filing postponed')
    await filings.postpone(db, filing, { delayMs, counted, set: { filingError: reason } })
    if (counted) count('postponed')
  }
}

function isMailboxUnavailable(error: unknown): boolean {
  return error instanceof AppError && ['unavailable', 'timeout', 'unreachable'].includes(error.kind)
}

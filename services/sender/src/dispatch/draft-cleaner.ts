import type { MailApi } from '@posthorn/backends/mail-api'
import type { Db } from '@posthorn/db'
import { type PeriodicTask, runPeriodically } from '@posthorn/flow'
import type { Logger } from '@posthorn/telemetry'
import { connectMailApi, type MailApiDeps } from '../transports/mail-api/connect-mail-api.ts'
import { cleanups, type DueCleanup, isRemovable, mayCleanUp } from '../store/draft-cleanups.ts'
import type { AccountLocks } from './account-locks.ts'

export interface DraftCleanerDeps extends MailApiDeps {
  db: Db
  locks: AccountLocks
  log: Logger
  sweepMs: number
  /**
   * Delay after a failed check for drafts that a submission has left. The delay after the first
   * successful check is half of `leaseMs`, and doubles with each further check.
   */
  leaseMs: number
}

/**
 * Number of successful checks for drafts of a submission, after which a draft cleanup ends. With
 * the default lease the last check is 7.5 min after the first.
 */
const maxChecks = 5
/**
 * Maximum age of a draft cleanup. If an account cannot be used for this time, its drafts stay at
 * the mail provider.
 */
const maxAgeMs = 24 * 3_600_000
const maxConcurrent = 20

/**
 * Removes drafts at mail providers whose submission is finished or deleted: drafts of interrupted
 * attempts, and of messages that were not sent. Repeats the search for drafts, because the search
 * index of providers lags behind.
 *
 * Disposal cancels calls of mail APIs and waits for the end of the calls.
 */
export class DraftCleaner implements AsyncDisposable {
  readonly #deps: DraftCleanerDeps
  readonly #task: PeriodicTask
  readonly #stop = new AbortController()

  constructor(deps: DraftCleanerDeps) {
    this.#deps = deps
    const { log, sweepMs } = deps
    this.#task = runPeriodically({ everyMs: sweepMs, log, name: 'draft cleanup' }, () =>
      this.#sweep(),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('process stopping'))
    await this.#task[Symbol.asyncDispose]()
  }

  async #sweep(): Promise<void> {
    const { db, leaseMs } = this.#deps
    const claim = { limit: maxConcurrent, leaseMs: 2 * leaseMs, where: mayCleanUp }
    const byAccount = Map.groupBy(await cleanups.claim(db, claim), ({ account }) => account)
    await Promise.all(Array.from(byAccount.values(), (due) => this.#cleanAccount(due)))
  }

  /**
   * Runs the draft cleanups of an account one after the other: all senders together send one
   * request at a time to the mail API of an account.
   */
  async #cleanAccount(due: DueCleanup[]): Promise<void> {
    for (const cleanup of due) await this.#clean(cleanup)
  }

  async #clean(cleanup: DueCleanup): Promise<void> {
    const { db, locks, log, leaseMs } = this.#deps
    const { queueId, account, count, ageMs } = cleanup
    const retry = { delayMs: leaseMs, counted: false }
    if (!(await locks.tryLock(cleanup))) return cleanups.postpone(db, cleanup, retry)
    try {
      if (!(await this.#removeDrafts(cleanup))) return await cleanups.postpone(db, cleanup, retry)
      if (count + 1 >= maxChecks) return await cleanups.end(db, cleanup)
      const delayMs = (leaseMs / 2) * 2 ** count
      await cleanups.postpone(db, cleanup, { delayMs, counted: true })
    } catch (err) {
      if (ageMs > maxAgeMs) {
        log.error({ err, queueId, account }, 'drafts not removed, giving up')
        return await cleanups.end(db, cleanup)
      }
      log.info({ err, queueId, account }, 'draft cleanup postponed')
      await cleanups.postpone(db, cleanup, retry)
    } finally {
      locks.remove(cleanup)
    }
  }

  /**
   * Removes the drafts of a finished submission at the mail provider. Returns false if drafts were
   * left that are, or may be, drafts of other submissions.
   */
  async #removeDrafts(cleanup: DueCleanup): Promise<boolean> {
    const { messageId, draftId, sentDraftId, queueId, account } = cleanup
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(this.#deps.leaseMs)])
    const { api } = await connectMailApi(this.#deps, cleanup, signal)
    const drafts = new Set(await findIds(api, messageId, signal))
    if (draftId !== null) drafts.add(draftId)
    // Excludes the sent message from the drafts to remove, because a search may still report it as
    // a draft with the same id.
    if (sentDraftId !== null) drafts.delete(sentDraftId)
    let isComplete = true
    for (const draft of drafts) {
      if (!(await isRemovable(this.#deps.db, cleanup, draft))) {
        isComplete = false
        continue
      }
      await api.discardDraft(draft, signal)
      this.#deps.log.info({ queueId, account, draft }, 'draft removed')
    }
    return isComplete
  }
}

/**
 * Ids of the drafts with the Message-ID of a message, including drafts whose creation at the mail
 * provider did not end.
 */
async function findIds(api: MailApi, messageIdHeader: string, signal: AbortSignal) {
  const drafts = await api.findDrafts({ messageIdHeader }, signal)
  const incomplete = await api.findDrafts({ messageIdHeader, incomplete: true }, signal)
  return [...drafts, ...incomplete].map(({ id }) => id)
}

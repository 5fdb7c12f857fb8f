import type { MailSession } from '@posthorn/backends'
import { sleep } from '@posthorn/flow'
import { listMailboxRows } from '../../../../store/mailboxes.ts'
import { UidValidityGuard } from '../uid-validity.ts'
import { syncUntilUnchanged } from '../changes/mailbox-sync.ts'
import type { SyncContext } from '../context.ts'
import { OutdatedConnectionError } from '../mailbox-list/second-connection.ts'
import { selectionRules, selectMonitored, selectSubconnected } from '../mailbox-list/selection.ts'
import { checkMailboxList } from './list-check.ts'
import { type MainSync, watch, type WatchResult } from './notification-handler.ts'
import { Subconnections } from './subconnections.ts'
import {
  isUnsettled,
  MailboxRefusals,
  runSyncPass,
  syncIfChanged,
  type SyncPassContext,
  type SyncPassResult,
} from './sync-pass.ts'
import type { MailboxRefusal } from '../../../account-driver.ts'
import type { SyncRequests } from '../../../sync-requests.ts'

export interface FollowerOptions extends Omit<SyncContext, 'selection' | 'uidValidityGuard'> {
  /** Called after each full sync pass, with the last mailbox that the server refused. */
  onSynced: (refusal: MailboxRefusal | undefined) => Promise<void>
  requests: SyncRequests
  /** Lends the connection to commands that wait for it. Returns true if it was lent. */
  lend: (session: MailSession) => Promise<boolean>
}

/** Interval of pings to a server without a mailbox to watch. */
const unwatchedMs = 60_000
/** Maximum age of the mailbox list of a connection with NOTIFY. */
const maxListAgeMs = 3_600_000
/** Interval of list checks without notifications: a deletion is detected within five minutes. */
const listCheckMs = 4 * 60_000
/** Maximum interval in intervals of polls, if they are shorter than by default. */
const pollsPerListCheck = 20
/** Minimum interval of list checks. One follows each notification. */
const minListCheckMs = 2_000

/**
 * Runs a sync pass, then watches the main mailbox, and all others with NOTIFY. Without NOTIFY,
 * `subconnections` are watched over connections of their own and the rest is polled
 * `mailboxPollMs` after a change. A full pass runs every `resyncDelay`. The list is checked within
 * two seconds after a notification and every four minutes. Ends by throwing the signal's reason,
 * the error of the connection, or `OutdatedConnectionError`.
 */
export async function followMailboxes(options: FollowerOptions): Promise<void> {
  const context = {
    ...options,
    selection: { mailbox: undefined },
    uidValidityGuard: new UidValidityGuard(),
    // One minute with the default interval.
    refusals: new MailboxRefusals(options.deps.config.mailboxPollMs * 5),
  }
  await using subconnections = new Subconnections(context)
  await new MailboxFollower(context, subconnections).run()
}

class MailboxFollower {
  readonly #context: FollowerOptions & SyncPassContext
  readonly #subconnections: Subconnections
  readonly #resyncMs: number
  readonly #pollMs: number
  /** True while NOTIFY reports all mailboxes. */
  #notifiesAll: boolean
  /** Id of the watched mailbox. */
  #main: string | undefined
  #lastFullPassAt = -Infinity
  #lastPassAt = -Infinity
  /** Time of the next pass before `resyncDelay`. */
  #nextPollAt = Infinity
  #dueMailboxes = new Set<string>()
  /** Mailboxes to select whatever their counters are. */
  #reselect = new Set<string>()
  #monitored: string[] = []
  #listedAt = Date.now()
  /**
   * True to list over a new connection in the next full pass: on request, and after changes, which
   * may leave this connection with an outdated list.
   */
  #isListRequested = false
  /** Time of the last listing. */
  #checkedAt = Date.now()
  #nextListCheckAt = Infinity
  /** True if a notification is the reason of the next list check. */
  #isCheckNotified = false

  constructor(context: FollowerOptions & SyncPassContext, subconnections: Subconnections) {
    this.#context = context
    this.#subconnections = subconnections
    this.#resyncMs = (context.account.imap.resyncDelay ?? 900) * 1_000
    this.#pollMs = context.deps.config.mailboxPollMs
    this.#notifiesAll = context.session.capabilities.notify
  }

  async run(): Promise<void> {
    const { signal, session, selection, requests, lend } = this.#context
    let mainSync: MainSync = 'none'
    for (;;) {
      signal.throwIfAborted()
      // A command may select another mailbox.
      if (await lend(session)) selection.mailbox = undefined
      signal.throwIfAborted()
      const { pending } = requests
      await this.#syncOthers()
      const main = this.#main
      // Without its selection, notifications of the main mailbox were lost.
      if (selection.mailbox !== main) mainSync = 'full'
      if (main === undefined) {
        await session.ping()
        await this.#waitUnwatched(pending)
      } else {
        if (mainSync !== 'none') await this.#syncMain(main, mainSync)
        mainSync = await this.#watchMain(main, pending)
      }
      if (pending.aborted) this.#takeRequests()
    }
  }

  /** Schedules requested syncs. Changes that the server reports anyway need none. */
  #takeRequests(): void {
    const { requests, session } = this.#context
    const { gmail, idle } = session.capabilities
    const { all, mailboxes, reselect } = requests.take()
    if (all) {
      this.#lastFullPassAt = -Infinity
      this.#isListRequested = true
    }
    for (const id of reselect) this.#reselect.add(id)
    for (const id of mailboxes) {
      const isNotified = this.#notifiesAll || (id === this.#main && idle && !gmail)
      if (!isNotified) this.#dueMailboxes.add(id)
    }
    // A change under a label is a change of All Mail, which Gmail may report late.
    if (!gmail || mailboxes.size === 0) return
    for (const id of this.#monitored) this.#dueMailboxes.add(id)
    this.#schedulePoll()
  }

  async #syncOthers(): Promise<void> {
    const now = Date.now()
    if (now >= this.#nextFullPassAt) await this.#runPass(true)
    else if (now >= this.#nextPollAt) await this.#runPass(false)
    else {
      if (this.#hasDueMailboxes) await this.#syncDueMailboxes()
      if (Date.now() >= this.#nextListCheckAt) await this.#checkList()
    }
  }

  /** Detects deleted mailboxes between two passes. */
  async #checkList(): Promise<void> {
    const isRegular = !this.#isCheckNotified
    const counters = isRegular || this.#notifiesAll
    const check = await checkMailboxList(this.#context, { counters })
    const { unsettled, changed, outdated, differing } = check
    if (changed) this.#isListRequested = true
    if (outdated) throw new OutdatedConnectionError('The connection shows outdated mailboxes')
    if (unsettled) this.#schedulePoll()
    // Dovecot 2.3 does not report what the counters of a list contain. The main one is watched.
    for (const id of differing) if (isRegular || id !== this.#main) this.#dueMailboxes.add(id)
    this.#onListed()
  }

  /** Servers may announce the deletion of a mailbox by nothing but other notifications. */
  #scheduleListCheck(): void {
    this.#isCheckNotified = true
    const at = this.#checkedAt + minListCheckMs
    this.#nextListCheckAt = Math.min(this.#nextListCheckAt, at)
  }

  #onListed(): void {
    this.#checkedAt = Date.now()
    this.#isCheckNotified = false
    const intervalMs = Math.min(listCheckMs, this.#pollMs * pollsPerListCheck)
    this.#nextListCheckAt = this.#checkedAt + intervalMs
  }

  get #hasDueMailboxes(): boolean {
    return this.#dueMailboxes.size > 0 || this.#reselect.size > 0
  }

  async #runPass(full: boolean): Promise<void> {
    const context = this.#context
    const startedAt = Date.now()
    this.#dueMailboxes.clear()
    this.#nextPollAt = Infinity
    const isListOld = startedAt >= this.#listedAt + maxListAgeMs || (full && this.#isListRequested)
    if (full) this.#isListRequested = false
    const relists = this.#notifiesAll && isListOld
    const source = relists ? 'new connection' : 'this connection'
    const result = await runSyncPass(context, { full, source })
    if (relists) this.#listedAt = startedAt
    if (result.listChanged) this.#isListRequested = true
    this.#main = result.main?.id
    this.#monitored = result.monitored.map(({ id }) => id)
    this.#lastPassAt = Date.now()
    this.#onListed()
    if (result.unsettled) this.#schedulePoll()
    this.#updateSubconnections(result)
    if (full) {
      this.#lastFullPassAt = startedAt
      await context.onSynced(result.refusal)
    }
    if (result.outdated)
      throw new OutdatedConnectionError('The connection shows outdated mailboxes')
  }

  async #syncDueMailboxes(): Promise<void> {
    const { deps, account, signal } = this.#context
    const [due, reselects] = [this.#dueMailboxes, this.#reselect]
    this.#dueMailboxes = new Set()
    this.#reselect = new Set()
    const rows = await listMailboxRows(deps.db, account.account)
    for (const row of selectMonitored(rows, selectionRules(this.#context))) {
      const reselect = reselects.has(row.id)
      if (!reselect && !due.has(row.id)) continue
      signal.throwIfAborted()
      // With NOTIFY, the reported counters differ from the stored ones. Without it, the request may
      // concern flags only, so compare flags too.
      const full = !this.#notifiesAll
      const options = { full, reselect, status: undefined }
      if (isUnsettled(await syncIfChanged(this.#context, row, options))) this.#schedulePoll()
    }
  }

  async #syncMain(main: string, mainSync: 'sync' | 'full'): Promise<void> {
    const full = mainSync === 'full'
    const { unconfirmed } = await syncUntilUnchanged(this.#context, main, { full })
    if (unconfirmed) this.#schedulePoll()
  }

  async #watchMain(main: string, interrupt: AbortSignal): Promise<MainSync> {
    const startedAt = Date.now()
    const recheckMs = this.#recheckMs
    const remainingMs = this.#hasDueMailboxes ? 0 : this.#nextPassAt - startedAt
    if (remainingMs <= 0) return 'none'
    const result = await watch(this.#context, main, {
      allMailboxes: this.#notifiesAll,
      durationMs: Math.min(remainingMs, recheckMs),
      notifiedMs: Math.max(0, this.#checkedAt + minListCheckMs - startedAt),
      interrupt,
    })
    this.#schedule(result)
    const isRecheckDue = result.main === 'none' && Date.now() - startedAt >= recheckMs
    return isRecheckDue ? 'sync' : result.main
  }

  /** Schedules what the notifications of a watch require. */
  #schedule(result: WatchResult): void {
    if (result.notified || result.mailboxes.size > 0) this.#scheduleListCheck()
    for (const id of result.mailboxes) this.#dueMailboxes.add(id)
    if (result.list) this.#nextPollAt = Date.now()
    if (result.overflow) {
      this.#notifiesAll = false
      this.#lastFullPassAt = -Infinity
    }
    // New mail is often filed elsewhere, and Dovecot 2.3 may report nothing of other mailboxes
    // while it executes a command.
    if (result.main !== 'none' || result.mailboxes.size > 0 || result.list) this.#schedulePoll()
  }

  get #nextPassAt(): number {
    return Math.min(this.#nextFullPassAt, this.#nextPollAt, this.#nextListCheckAt)
  }

  /** A parked mailbox is tried again in a full pass, which reports the result. */
  get #nextFullPassAt(): number {
    return Math.min(this.#lastFullPassAt + this.#resyncMs, this.#context.parked.nextTryAt)
  }

  /** Gmail's IDLE may not report label and flag changes: sync every two minutes by default. */
  get #recheckMs(): number {
    return this.#context.session.capabilities.gmail ? this.#pollMs * 10 : Infinity
  }

  async #waitUnwatched(interrupt: AbortSignal): Promise<void> {
    const waitMs = Math.min(Math.max(this.#nextPassAt - Date.now(), 0), unwatchedMs)
    await sleep(waitMs, AbortSignal.any([this.#context.signal, interrupt])).catch(() => {})
  }

  /** Schedules a pass of all mailboxes, at most one per `mailboxPollMs`. */
  #schedulePoll(): void {
    const at = Math.max(Date.now(), this.#lastPassAt + this.#pollMs)
    this.#nextPollAt = Math.min(this.#nextPollAt, at)
  }

  #updateSubconnections({ monitored, main }: SyncPassResult): void {
    const names = this.#notifiesAll ? [] : this.#context.account.subconnections
    const mailboxes = selectSubconnected(monitored, names, main)
    this.#subconnections.setMailboxes(mailboxes.map(({ id }) => id))
  }
}

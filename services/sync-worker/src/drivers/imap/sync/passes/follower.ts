import type { MailSession } from '@posthorn/backends'
import { sleep } from '@posthorn/flow'
import { listMailboxRows } from '../../../../store/mailboxes.ts'
import { UidValidityGuard } from '../uid-validity.ts'
import { syncUntilUnchanged } from '../changes/mailbox-sync.ts'
import type { SyncContext } from '../context.ts'
import { OutdatedConnectionError } from '../mailbox-list/second-connection.ts'
import { selectionRules, selectMonitored, selectSubconnected } from '../mailbox-list/selection.ts'
import { checkMailboxList } from './list-check.ts'
import { type MainSync, watch } from './notification-handler.ts'
import { Subconnections } from './subconnections.ts'
import {
  isUnsettled as isUnsettledSync,
  MailboxRefusals,
  runSyncPass,
  syncIfChanged,
  type SyncPassContext,
  type SyncPassResult,
} from './sync-pass.ts'
import type { MailboxRefusal } from '../../../account-driver.ts'
import { noIntervals, type SyncRules } from '../../../sync-rules.ts'
import type { SyncRunner } from '../../../sync-runner.ts'
import type { SyncPass } from '../../../sync-schedule.ts'

export interface FollowerOptions extends Omit<SyncContext, 'selection' | 'uidValidityGuard'> {
  /** Called after each full sync pass, with the last mailbox that the server refused to sync. */
  onSynced: (refusal: MailboxRefusal | undefined) => Promise<void>
  sync: SyncRunner
  /** Lends the sync connection to waiting commands. True if a command used the connection. */
  lend: (session: MailSession) => Promise<boolean>
}

/** Interval of pings on a sync connection that has no mailbox to watch. */
const unwatchedMs = 60_000
/**
 * Interval of checks of the mailbox list without a notification. The deletion of a mailbox is thus
 * detected within five minutes.
 */
const listCheckMs = 4 * 60_000
/** Maximum interval of checks of the mailbox list, as a number of poll intervals. */
const pollsPerListCheck = 20

/**
 * Follows the mailboxes of an account on one connection. Runs a sync pass, then watches the main
 * mailbox or, with NOTIFY, all mailboxes. Without NOTIFY, mailboxes of `subconnections` are watched
 * over separate connections, and other mailboxes are polled `mailboxPollMs` after a change. A full
 * pass runs every `resyncDelay`. The mailbox list is checked within two seconds after a
 * notification, and every four minutes. Ends by throwing the reason of the signal, the error of the
 * connection, or `OutdatedConnectionError`.
 */
export async function followMailboxes(options: FollowerOptions): Promise<void> {
  const context = {
    ...options,
    selection: { mailbox: undefined },
    uidValidityGuard: new UidValidityGuard(),
    // Minimum delay before a mailbox that the server refused to select is tried again: one minute
    // with the default `mailboxPollMs`.
    refusals: new MailboxRefusals(options.deps.config.mailboxPollMs * 5),
  }
  await using subconnections = new Subconnections(context)
  await new MailboxFollower(context, subconnections).run()
}

class MailboxFollower {
  readonly #context: FollowerOptions & SyncPassContext
  readonly #subconnections: Subconnections
  /** True while NOTIFY reports changes of all mailboxes. */
  #notifiesAll: boolean
  /** Id of the main mailbox, which the sync connection watches. */
  #main: string | undefined
  #monitored: string[] = []

  constructor(context: FollowerOptions & SyncPassContext, subconnections: Subconnections) {
    this.#context = context
    this.#subconnections = subconnections
    this.#notifiesAll = context.session.capabilities.notify
  }

  async run(): Promise<void> {
    const { signal, session, selection, sync, lend } = this.#context
    using _schedule = sync.start(() => this.#rules)
    let mainSync: MainSync = 'none'
    for (;;) {
      signal.throwIfAborted()
      const interrupt = sync.listen()
      // A command that borrowed the sync connection may have selected another mailbox.
      if (await lend(session)) selection.mailbox = undefined
      signal.throwIfAborted()
      const { action, delayMs } = sync.next
      if (delayMs <= 0) await this.#run(sync.beginNow(action))
      const main = this.#main
      // While another mailbox is selected, notifications of the main mailbox are lost, so the main
      // mailbox is synced in full afterwards.
      if (selection.mailbox !== main) mainSync = 'full'
      if (main === undefined) {
        await session.ping()
        await this.#waitUnwatched(interrupt)
      } else {
        if (mainSync !== 'none') await this.#syncMain(main, mainSync)
        mainSync = await this.#watchMain(main, interrupt)
      }
    }
  }

  get #rules(): SyncRules {
    const { account, deps, parked, session, shortLists } = this.#context
    const { gmail, idle } = session.capabilities
    const pollMs = deps.config.mailboxPollMs
    return {
      ...noIntervals,
      fullMs: (account.imap.resyncDelay ?? 900) * 1_000,
      // Parked mailboxes (whose SELECT or STATUS ended the connection) are tried again in a full
      // pass, because only a full pass reports refused mailboxes.
      fullAt: parked.nextTryAt,
      partsAt: shortLists.nextTryAt,
      minPollMs: pollMs,
      listMs: Math.min(listCheckMs, pollMs * pollsPerListCheck),
      reported: this.#notifiesAll ? 'all' : idle && !gmail ? this.#main : undefined,
      // At Gmail, a change in the mailbox of a label is also a change in All Mail, which Gmail may
      // report late.
      related: gmail ? this.#monitored : undefined,
    }
  }

  async #run(pass: SyncPass): Promise<void> {
    if (pass.action === 'list') await this.#checkList(pass)
    else if (pass.action === 'parts') await this.#syncMailboxes(pass)
    else await this.#runPass(pass)
  }

  /** Checks the mailbox list between two sync passes, in order to detect deleted mailboxes. */
  async #checkList({ isListNotified }: SyncPass): Promise<void> {
    const counters = !isListNotified || this.#notifiesAll
    const check = await checkMailboxList(this.#context, { counters })
    // Mailboxes whose listed counters differ are synced, because Dovecot 2.3 does not send
    // notifications of changes that the counters in the mailbox list already showed. After a
    // notification, the main mailbox is left out, because the main mailbox is watched.
    const mailboxes = check.differing.filter((id) => !isListNotified || id !== this.#main)
    const { unsettled: isUnsettled, changed: isListChanged } = check
    this.#context.sync.end({ isUnsettled, isListChanged, mailboxes })
    if (check.outdated) throw outdatedError()
  }

  async #runPass({ action, isListOld }: SyncPass): Promise<void> {
    const context = this.#context
    const full = action === 'full'
    const source = this.#notifiesAll && isListOld ? 'new connection' : 'this connection'
    const result = await runSyncPass(context, { full, source })
    this.#main = result.main?.id
    this.#monitored = result.monitored.map(({ id }) => id)
    const { unsettled: isUnsettled, listChanged: isListChanged } = result
    context.sync.end({ isUnsettled, isListChanged })
    this.#updateSubconnections(result)
    if (full) await context.onSynced(result.refusal)
    if (result.outdated) throw outdatedError()
  }

  async #syncMailboxes({ mailboxes, reselect: reselects }: SyncPass): Promise<void> {
    const { deps, account, signal, sync, shortLists } = this.#context
    const rows = await listMailboxRows(deps.db, account.account)
    const monitored = selectMonitored(rows, selectionRules(this.#context))
    shortLists.retain(monitored.map(({ id }) => id))
    const due = shortLists.takeDue()
    let isUnsettled = false
    for (const row of monitored) {
      const reselect = reselects.has(row.id) || due.has(row.id)
      if (!reselect && !mailboxes.has(row.id)) continue
      signal.throwIfAborted()
      // With NOTIFY, a mailbox is synced here because its reported counters differ from the stored
      // counters. Without NOTIFY, a requested sync may concern flags only, so flags are compared,
      // too.
      const full = !this.#notifiesAll
      const options = { full, reselect, status: undefined }
      if (isUnsettledSync(await syncIfChanged(this.#context, row, options))) isUnsettled = true
    }
    sync.end({ isUnsettled })
  }

  async #syncMain(main: string, mainSync: 'sync' | 'full'): Promise<void> {
    const full = mainSync === 'full'
    const { unconfirmed } = await syncUntilUnchanged(this.#context, main, { full })
    if (unconfirmed) this.#context.sync.add({ kind: 'unsettled' })
  }

  async #watchMain(main: string, interrupt: AbortSignal): Promise<MainSync> {
    const { sync } = this.#context
    const startedAt = Date.now()
    const recheckMs = this.#recheckMs
    const { delayMs } = sync.next
    if (delayMs <= 0) return 'none'
    const result = await watch(this.#context, main, {
      allMailboxes: this.#notifiesAll,
      durationMs: Math.min(delayMs, recheckMs),
      notifiedMs: sync.notifiedListDelayMs,
      interrupt,
    })
    if (result.overflow) this.#notifiesAll = false
    sync.add({ kind: 'notification', ...result, isMainChanged: result.main !== 'none' })
    const isRecheckDue = result.main === 'none' && Date.now() - startedAt >= recheckMs
    return isRecheckDue ? 'sync' : result.main
  }

  /**
   * Interval of syncs of the main mailbox at Gmail, two minutes by default. Needed because IDLE at
   * Gmail may not report changes of labels and flags.
   */
  get #recheckMs(): number {
    const { deps, session } = this.#context
    return session.capabilities.gmail ? deps.config.mailboxPollMs * 10 : Infinity
  }

  async #waitUnwatched(interrupt: AbortSignal): Promise<void> {
    const { signal, sync } = this.#context
    const waitMs = Math.min(sync.next.delayMs, unwatchedMs)
    await sleep(waitMs, AbortSignal.any([signal, interrupt])).catch(() => {})
  }

  #updateSubconnections({ monitored, main }: SyncPassResult): void {
    const names = this.#notifiesAll ? [] : this.#context.account.subconnections
    const mailboxes = selectSubconnected(monitored, names, main)
    this.#subconnections.setMailboxes(mailboxes.map(({ id }) => id))
  }
}

function outdatedError(): OutdatedConnectionError {
  return new OutdatedConnectionError('The connection shows outdated mailboxes')
}

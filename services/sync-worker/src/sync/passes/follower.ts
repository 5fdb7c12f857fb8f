import { setTimeout as delay } from 'node:timers/promises'
import type { AppError } from '@posthorn/errors'
import type { SyncRequests } from './sync-requests.ts'
import { listMailboxRows } from '../../store/mailboxes.ts'
import { selectMonitored, selectSubconnected } from '../mailbox-list/selection.ts'
import type { SyncContext } from '../context.ts'
import { MailboxRefusals } from './refusals.ts'
import {
  selectionRules,
  isUnsettled,
  syncIfChanged,
  runSyncPass,
  type SyncPassResult,
  type SyncPassContext,
} from './sync-pass.ts'
import { Subconnections } from './subconnections.ts'
import { UidValidityGuard } from '../changes/uid-validity.ts'
import { syncUntilUnchanged, watch } from './watch.ts'

export interface FollowerOptions extends Omit<SyncContext, 'selection' | 'uidValidityGuard'> {
  /** Called when all mailboxes were looked at in full, with the last that could not be. */
  onSynced: (trouble: { path: string; error: AppError } | undefined) => Promise<void>
  /** What is to be looked at out of turn. */
  requests: SyncRequests
}

/** How long nothing is heard of a server that has no mailbox to watch. */
const unwatchedMs = 60_000
/** How long the lists of a connection with NOTIFY are trusted. */
const freshListMs = 3_600_000

/**
 * Looks at all mailboxes, then watches the main one, and with NOTIFY all of them: what happens there is told at once. Without, those that
 * the registration names are watched over connections of their own. The others are asked for their counters soon after something
 * happened, and in any case all are looked at in full every `resyncDelay`. Ends when the signal aborts, by throwing its reason or an
 * error of the connection.
 */
export async function followMailboxes(following: FollowerOptions): Promise<void> {
  const context = {
    ...following,
    selection: { mailbox: undefined },
    uidValidityGuard: new UidValidityGuard(),
    // A minute, as a rule.
    refusals: new MailboxRefusals(following.deps.config.mailboxPollMs * 5),
  }
  await using subconnections = new Subconnections(context)
  await new MailboxFollower(context, subconnections).run()
}

class MailboxFollower {
  readonly #context: FollowerOptions & SyncPassContext
  readonly #subconnections: Subconnections
  readonly #resyncMs: number
  #everywhere: boolean
  /** The mailbox that is watched. */
  #main: string | undefined
  #fullAt = -Infinity
  #lookedAt = -Infinity
  /** When others than the main one are to be looked at, out of turn. */
  #quickDue = Infinity
  #due = new Set<string>()
  /** To be opened, whatever their counters say. */
  #distrusted = new Set<string>()
  #monitored: string[] = []
  #listedFreshAt = Date.now()
  #contradicted = false

  constructor(context: FollowerOptions & SyncPassContext, subconnections: Subconnections) {
    this.#context = context
    this.#subconnections = subconnections
    this.#resyncMs = (context.account.imap.resyncDelay ?? 900) * 1_000
    this.#everywhere = context.session.capabilities.notify
  }

  async run(): Promise<void> {
    const { signal, session, selection: opened } = this.#context
    let how: 'no' | 'look' | 'full' = 'no'
    for (;;) {
      signal.throwIfAborted()
      const nudge = this.#context.requests.pending
      await this.#lookAtOthers()
      const main = this.#main
      if (opened.mailbox !== main) how = 'full' // what happened there meanwhile was not heard
      if (main === undefined) {
        await session.ping()
        await this.#rest(nudge)
      } else {
        if (how !== 'no') await this.#syncMain(main, how)
        how = await this.#watchMain(main, nudge)
      }
      if (nudge.aborted) this.#called()
    }
  }

  /** What the server tells of anyway, it tells at once: only the rest is looked at. */
  #called(): void {
    const { requests: wishes, session } = this.#context
    const { gmail } = session.capabilities
    const { all, mailboxes, reselect: distrusted } = wishes.take()
    if (all) this.#fullAt = -Infinity
    for (const id of distrusted) this.#distrusted.add(id)
    for (const id of mailboxes) {
      const heard = this.#everywhere || (id === this.#main && session.capabilities.idle && !gmail)
      if (!heard) this.#due.add(id)
    }
    // What happens under a label happens in All Mail, and Gmail may take a while to tell.
    if (!gmail || mailboxes.size === 0) return
    for (const id of this.#monitored) this.#due.add(id)
    this.#soon()
  }

  async #lookAtOthers(): Promise<void> {
    const now = Date.now()
    if (now >= this.#fullAt + this.#resyncMs) await this.#round(true)
    else if (now >= this.#quickDue) await this.#round(false)
    else if (this.#due.size > 0 || this.#distrusted.size > 0) await this.#lookAtDue()
  }

  async #round(full: boolean): Promise<void> {
    const context = this.#context
    const startedAt = Date.now()
    this.#due.clear()
    this.#quickDue = Infinity
    const stale = startedAt >= this.#listedFreshAt + freshListMs || this.#contradicted
    const from = this.#everywhere && stale ? 'a fresh connection' : 'here'
    const result = await runSyncPass(context, { full, from })
    if (from !== 'here') this.#listedFreshAt = startedAt
    this.#contradicted = result.contradicted
    this.#main = result.main?.id
    this.#monitored = result.monitored.map(({ id }) => id)
    this.#lookedAt = Date.now()
    if (result.unsettled) this.#soon()
    this.#subconnect(result)
    if (!full) return
    this.#fullAt = startedAt
    await context.onSynced(result.refusal)
  }

  async #lookAtDue(): Promise<void> {
    const { deps, account, signal } = this.#context
    const [due, distrusted] = [this.#due, this.#distrusted]
    this.#due = new Set()
    this.#distrusted = new Set()
    const rows = await listMailboxRows(deps.db, account.account)
    for (const row of selectMonitored(rows, selectionRules(this.#context))) {
      const open = distrusted.has(row.id)
      if (!open && !due.has(row.id)) continue
      signal.throwIfAborted()
      // With NOTIFY its counters were told, and are others than we know. Else somebody knows of a change, maybe of flags alone.
      const full = !this.#everywhere
      const looked = await syncIfChanged(this.#context, row, { full, open, status: undefined })
      if (isUnsettled(looked)) this.#soon()
    }
  }

  async #syncMain(main: string, how: 'look' | 'full'): Promise<void> {
    const { doubtful } = await syncUntilUnchanged(this.#context, main, { full: how === 'full' })
    if (doubtful) this.#soon()
  }

  async #watchMain(main: string, nudge: AbortSignal): Promise<'no' | 'look' | 'full'> {
    const called = this.#due.size > 0 || this.#distrusted.size > 0
    const due = called ? 0 : Math.min(this.#fullAt + this.#resyncMs, this.#quickDue)
    const began = Date.now()
    if (due <= began) return 'no'
    const lookMs = this.#lookMs
    const calls = await watch(this.#context, main, {
      allMailboxes: this.#everywhere,
      forMs: Math.min(due - began, lookMs),
      interrupt: nudge,
    })
    for (const id of calls.mailboxes) this.#due.add(id)
    if (calls.list) this.#quickDue = Date.now()
    if (calls.overflow) {
      this.#everywhere = false
      this.#fullAt = -Infinity
    }
    // Who gets mail files some of it elsewhere. And Dovecot 2.3 may tell nothing of what happens to other mailboxes while it answers us.
    if (calls.main !== 'no' || calls.mailboxes.size > 0 || calls.list) this.#soon()
    return calls.main === 'no' && Date.now() - began >= lookMs ? 'look' : calls.main
  }

  /** Gmail's IDLE may keep changes of labels and flags to itself: every two minutes, as a rule, the mailbox is looked at in any case. */
  get #lookMs(): number {
    const { session, deps } = this.#context
    return session.capabilities.gmail ? deps.config.mailboxPollMs * 10 : Infinity
  }

  async #rest(nudge: AbortSignal): Promise<void> {
    const { signal } = this.#context
    const dueMs = Math.min(this.#fullAt + this.#resyncMs, this.#quickDue) - Date.now()
    const forMs = Math.min(Math.max(dueMs, 0), unwatchedMs)
    await delay(forMs, undefined, { signal: AbortSignal.any([signal, nudge]) }).catch(() => {})
  }

  /** Lets all be looked at soon, but not more often than every few seconds. */
  #soon(): void {
    const at = Math.max(Date.now(), this.#lookedAt + this.#context.deps.config.mailboxPollMs)
    this.#quickDue = Math.min(this.#quickDue, at)
  }

  #subconnect({ monitored, main }: SyncPassResult): void {
    const names = this.#everywhere ? [] : this.#context.account.subconnections
    this.#subconnections.keep(selectSubconnected(monitored, names, main).map(({ id }) => id))
  }
}

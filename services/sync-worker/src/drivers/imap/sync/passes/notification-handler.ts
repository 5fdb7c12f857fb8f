import { setImmediate } from 'node:timers/promises'
import type { MailboxNotification, MessageFlags } from '@posthorn/backends'
import { loadIndex } from '../../index/mailbox-index.ts'
import {
  findMailboxById,
  listMailboxRowsByPath,
  type MailboxRow,
} from '../../../../store/mailboxes.ts'
import { storeFlags } from '../changes/apply-changes.ts'
import type { SyncContext } from '../context.ts'
import { selectionRules, selectMonitored } from '../mailbox-list/selection.ts'
import { type Counters, isUnfinished, mergeCounters, needsSync } from '../sync-plan.ts'

/** Sync of the watched mailbox: none, its messages, or its messages and all flags. */
export type MainSync = 'none' | 'sync' | 'full'

/** Syncs that the notifications received by a watch of the main mailbox require. */
export interface WatchResult {
  main: MainSync
  /** Ids of the mailboxes to sync besides the main mailbox. */
  mailboxes: Set<string>
  /** True if a notification requires to list the mailboxes. */
  list: boolean
  /** True if the server stopped sending NOTIFY notifications (RFC 5465 NOTIFICATIONOVERFLOW). */
  overflow: boolean
  /** True if the watch received a notification other than the counters of a mailbox. */
  notified: boolean
}

export interface WatchOptions {
  /** True to watch all other mailboxes as well (NOTIFY). */
  allMailboxes: boolean
  durationMs: number
  /**
   * Maximum time from a notification as in `notified` to the end of the watch of the main mailbox.
   * Default: no limit.
   */
  notifiedMs?: number
  /** Aborts to end the watch early. */
  interrupt?: AbortSignal
}

const maxTimerMs = 2 ** 31 - 1

/**
 * Watches the selected mailbox until a notification requires a sync, `durationMs` has passed, or
 * `interrupt` aborts.
 */
export async function watch(
  context: SyncContext,
  mailbox: string,
  { allMailboxes, durationMs, notifiedMs = Infinity, interrupt }: WatchOptions,
): Promise<WatchResult> {
  const { session, signal } = context
  const stop = new AbortController()
  const handler = new NotificationHandler(context, mailbox, () => stop.abort())
  const stopAfter = (ms: number) =>
    setTimeout(() => stop.abort(), Math.min(Math.max(ms, 0), maxTimerMs))
  const timer = stopAfter(durationMs)
  let notifiedTimer: NodeJS.Timeout | undefined
  const signals = [signal, stop.signal, ...(interrupt ? [interrupt] : [])]
  try {
    const watching = session.watch(
      (notification) => {
        handler.handle(notification)
        if (handler.result.notified) notifiedTimer ??= stopAfter(notifiedMs)
      },
      AbortSignal.any(signals),
      { everywhere: allMailboxes },
    )
    handler.endOfBuffer()
    await watching
  } finally {
    clearTimeout(timer)
    clearTimeout(notifiedTimer)
    await handler.settle()
  }
  signal.throwIfAborted()
  // A watch that ended without a request means that the connection was lost, which the ping
  // reports.
  if (!stop.signal.aborted && !interrupt?.aborted) await session.ping()
  return handler.result
}

/** Maximum buffered flag notifications of a mailbox. Above, a comparison costs less. */
const maxPendingFlags = 5_000

/**
 * Handles the notifications that arrive while a mailbox is watched. Flags with a UID are stored and
 * counters are compared while the watch continues. Any other notification requires a sync, which
 * ends the watch.
 */
class NotificationHandler {
  readonly result: WatchResult = {
    main: 'none',
    mailboxes: new Set(),
    list: false,
    overflow: false,
    notified: false,
  }
  readonly #context: SyncContext
  readonly #main: string
  readonly #endWatch: () => void
  #flags: MessageFlags[] = []
  #notifiedCounters = new Map<string, Partial<Counters>>()
  #work: Promise<void> | undefined
  #isLive = false

  /** Handles notifications. `endWatch` is called if a sync is required or storing failed. */
  constructor(context: SyncContext, main: string, endWatch: () => void) {
    this.#context = context
    this.#main = main
    this.#endWatch = endWatch
  }

  /**
   * Ends the phase of buffered notifications: later notifications are current; earlier
   * notifications arrived during the last sync.
   */
  endOfBuffer(): void {
    this.#isLive = true
  }

  handle(notification: MailboxNotification): void {
    if (notification.kind !== 'mailbox') this.result.notified = true
    switch (notification.kind) {
      case 'exists':
      case 'expunge':
        return this.#requestSync('sync')
      case 'flags':
        return this.#onFlags(notification)
      case 'mailbox': {
        const { path, status } = notification
        this.#notifiedCounters.set(path, { ...this.#notifiedCounters.get(path), ...status })
        return this.#process()
      }
      case 'mailboxes':
        this.result.list = true
        return this.#endWatch()
      case 'overflow':
        this.result.overflow = true
        return this.#endWatch()
    }
  }

  /** Waits until all notifications are processed. Rejects with the error of the processing. */
  async settle(): Promise<void> {
    await this.#work
  }

  #requestSync(main: 'sync' | 'full'): void {
    if (this.result.main !== 'full') this.result.main = main
    this.#endWatch()
  }

  #onFlags({ uid, flags, modseq }: MailboxNotification & { kind: 'flags' }): void {
    // Gmail does not report labels in notifications of flags, but labels may have changed as well.
    if (this.#context.session.capabilities.gmail) return this.#requestSync('sync')
    // A flag notification without a UID does not identify the message. Without MODSEQ, buffered
    // flags may be older than the last sync.
    const isUsable = uid !== undefined && (modseq !== undefined || this.#isLive)
    if (!isUsable || this.#flags.length >= maxPendingFlags) return this.#requestSync('full')
    this.#flags.push({ uid, flags, ...(modseq !== undefined && { modseq }) })
    this.#process()
  }

  #process(): void {
    if (this.#work) return
    this.#work = this.#processAll()
    this.#work.catch(() => this.#endWatch())
  }

  async #processAll(): Promise<void> {
    while (this.#flags.length > 0 || this.#notifiedCounters.size > 0) {
      // Notifications of the same network packet belong together.
      await setImmediate()
      const flags = this.#flags
      const counters = this.#notifiedCounters
      this.#flags = []
      this.#notifiedCounters = new Map()
      if (flags.length > 0) await this.#storeFlags(flags)
      if (counters.size > 0) await this.#compareCounters(counters)
    }
    this.#work = undefined
  }

  async #storeFlags(messages: readonly MessageFlags[]): Promise<void> {
    const { deps, locks } = this.#context
    await locks.run(this.#main, async () => {
      const row = await findMailboxById(deps.db, this.#main)
      if (!row || row.indexer === 'fast') return
      if (isUnfinished(row)) return this.#requestSync('sync')
      const index = await loadIndex(deps.db, row.id)
      const current = messages.filter(({ modseq }) => !isStored(row, modseq))
      // The last flag notification of a message counts.
      const last = new Map(current.map((message) => [message.uid, message]))
      await storeFlags({ ...this.#context, row, index }, [...last.values()])
    })
  }

  async #compareCounters(counters: ReadonlyMap<string, Partial<Counters>>): Promise<void> {
    const { deps, account } = this.#context
    const rows = await listMailboxRowsByPath(deps.db, account.account, [...counters.keys()])
    for (const row of selectMonitored(rows, selectionRules(this.#context))) {
      if (!needsSync(row, mergeCounters(row, counters.get(row.path) ?? {}), false)) continue
      if (row.id === this.#main) this.#requestSync('sync')
      else this.result.mailboxes.add(row.id)
    }
    const stored = new Set(rows.map(({ path }) => path))
    if ([...counters.keys()].some((path) => !stored.has(path))) this.result.list = true
    if (this.result.mailboxes.size > 0 || this.result.list) this.#endWatch()
  }
}

/** True if the last sync of the mailbox has stored this mod-sequence or a later one. */
function isStored({ highestModseq }: MailboxRow, modseq: bigint | undefined): boolean {
  return modseq !== undefined && highestModseq !== null && modseq <= BigInt(highestModseq)
}

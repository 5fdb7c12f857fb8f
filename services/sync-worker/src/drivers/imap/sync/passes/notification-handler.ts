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

/** Required sync of the main mailbox: of its messages (`sync`), or also of flags (`full`). */
export type MainSync = 'none' | 'sync' | 'full'

/** Result of a watch of the main mailbox: the syncs that the received notifications require. */
export interface WatchResult {
  main: MainSync
  /** Ids of other mailboxes that have to be synced because of notifications. */
  mailboxes: Set<string>
  /** True if a notification requires that the mailboxes are listed. */
  list: boolean
  /** True if the server ended NOTIFY notifications (RFC 5465 NOTIFICATIONOVERFLOW). */
  overflow: boolean
  /** True if the server sent any notification besides the counters of a mailbox. */
  notified: boolean
}

export interface WatchOptions {
  /** True to watch all mailboxes of the account with NOTIFY, not only the selected mailbox. */
  allMailboxes: boolean
  durationMs: number
  /**
   * Time after which the watch of a mailbox ends once the server has sent a notification besides
   * counters of a mailbox. Default: no limit.
   */
  notifiedMs?: number
  /** Signal whose abort ends the watch of the mailbox early. */
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
  // If the watch of a mailbox ended although nothing requested its end, the IMAP connection was
  // lost, and the ping throws the error.
  if (!stop.signal.aborted && !interrupt?.aborted) await session.ping()
  return handler.result
}

/** Maximum buffered flag notifications. For more, a comparison of all flags costs less. */
const maxPendingFlags = 5_000

/**
 * Handler of the notifications that arrive while a mailbox is watched. Stores flags of messages
 * with a known UID, and compares counters, while the watch continues. Any other notification
 * requires a sync, which ends the watch.
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

  /**
   * Creates a handler of a watched mailbox's notifications, which calls `endWatch` if a sync is
   * required or storing failed.
   */
  constructor(context: SyncContext, main: string, endWatch: () => void) {
    this.#context = context
    this.#main = main
    this.#endWatch = endWatch
  }

  /**
   * Called when all buffered notifications were handled. Buffered notifications arrived during the
   * last sync of the mailbox. Later notifications are newer than the sync.
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

  /**
   * Waits until all received notifications of the mailbox are processed. Rejects if processing has
   * failed.
   */
  async settle(): Promise<void> {
    await this.#work
  }

  #requestSync(main: 'sync' | 'full'): void {
    if (this.result.main !== 'full') this.result.main = main
    this.#endWatch()
  }

  #onFlags({ uid, flags, modseq }: MailboxNotification & { kind: 'flags' }): void {
    // At Gmail, a sync follows, because notifications of flags do not contain labels, which may
    // have changed, too.
    if (this.#context.session.capabilities.gmail) return this.#requestSync('sync')
    // A notification without a UID does not identify the message. A buffered notification without
    // MODSEQ may be older than the last sync. Both require a sync.
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
      // Waits for further notifications of the same network packet, which are processed together.
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
      // If several notifications concern the flags of one message, only the last notification is
      // stored.
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

/**
 * True if the last sync of the mailbox stored the mod-sequence of a notification or a later
 * mod-sequence.
 */
function isStored({ highestModseq }: MailboxRow, modseq: bigint | undefined): boolean {
  return modseq !== undefined && highestModseq !== null && modseq <= BigInt(highestModseq)
}

import { setImmediate } from 'node:timers/promises'
import type { MailboxNotice, MessageFlags } from '@posthorn/backends'
import { loadIndex } from '../../store/chunks.ts'
import { findMailboxById, listMailboxRowsByPath, type MailboxRow } from '../../store/mailboxes.ts'
import { type Counters, isUnfinished, needsSync, mergeCounters } from '../sync-plan.ts'
import { selectMonitored } from '../mailbox-list/selection.ts'
import type { SyncContext } from '../context.ts'
import { selectionRules } from './sync-pass.ts'
import { storeFlags } from '../changes/store-changes.ts'

/** What is to be looked at, by what the server said. */
export interface WatchResult {
  /** The mailbox that is watched: which messages there are, or with `full` their flags as well. */
  main: 'no' | 'look' | 'full'
  /** Other mailboxes, by id. */
  mailboxes: Set<string>
  /** The list of mailboxes. */
  list: boolean
  /** The server tells of other mailboxes no longer. */
  overflow: boolean
}

/** More at once is not worth being taken one by one: a comparison costs less. */
const maxKept = 5_000

/**
 * Hears what the server says while a mailbox is watched. Flags it names are stored right here, and counters compared, while the watching
 * goes on; anything else calls for a look, which ends it.
 */
export class NotificationHandler {
  result: WatchResult = { main: 'no', mailboxes: new Set(), list: false, overflow: false }
  readonly #context: SyncContext
  readonly #main: string
  readonly #wake: () => void
  #flags: MessageFlags[] = []
  #told = new Map<string, Partial<Counters>>()
  #work: Promise<void> | undefined
  #live = false

  /** `wake` is called when there is something to look at, or something went wrong. */
  constructor(context: SyncContext, main: string, wake: () => void) {
    this.#context = context
    this.#main = main
    this.#wake = wake
  }

  /** From now on what is told happens now; before, it happened at some time during the sync before. */
  begin(): void {
    this.#live = true
  }

  handle(notice: MailboxNotice): void {
    switch (notice.kind) {
      case 'exists':
      case 'expunge':
        return this.#look('look')
      case 'flags':
        return this.#hearFlags(notice)
      case 'mailbox':
        this.#told.set(notice.path, { ...this.#told.get(notice.path), ...notice.status })
        return this.#attend()
      case 'mailboxes':
        this.result.list = true
        return this.#wake()
      case 'overflow':
        this.result.overflow = true
        return this.#wake()
    }
  }

  /** Waits until everything heard is stored. Throws what went wrong with that. */
  async settle(): Promise<void> {
    await this.#work
  }

  #look(how: 'look' | 'full'): void {
    if (this.result.main !== 'full') this.result.main = how
    this.#wake()
  }

  #hearFlags({ uid, flags, modseq }: MailboxNotice & { kind: 'flags' }): void {
    // Gmail does not say whether labels changed, too.
    if (this.#context.session.capabilities.gmail) return this.#look('look')
    // Without a UID nobody knows whose; without a mod-sequence nobody knows whether the sync before knew better.
    if (uid === undefined || (modseq === undefined && !this.#live)) return this.#look('full')
    if (this.#flags.length >= maxKept) return this.#look('full')
    this.#flags.push({ uid, flags, ...(modseq === undefined ? {} : { modseq }) })
    this.#attend()
  }

  #attend(): void {
    if (this.#work) return
    this.#work = this.#attendAll()
    this.#work.catch(() => this.#wake())
  }

  async #attendAll(): Promise<void> {
    while (this.#flags.length > 0 || this.#told.size > 0) {
      // What else is in the bytes that came belongs to the same change, or to the same list of counters.
      await setImmediate()
      const flags = this.#flags
      const told = this.#told
      this.#flags = []
      this.#told = new Map()
      if (flags.length > 0) await this.#storeFlags(flags)
      if (told.size > 0) await this.#compare(told)
    }
    this.#work = undefined
  }

  async #storeFlags(messages: readonly MessageFlags[]): Promise<void> {
    const { deps, locks } = this.#context
    await locks.run(this.#main, async () => {
      const row = await findMailboxById(deps.db, this.#main)
      if (!row || row.indexer === 'fast') return
      if (isUnfinished(row)) return this.#look('look')
      const index = await loadIndex(deps.db, row.id)
      const fresh = messages.filter(({ modseq }) => !isKnown(row, modseq))
      // Of several words on one message the last one counts.
      const last = new Map(fresh.map((message) => [message.uid, message]))
      await storeFlags({ ...this.#context, row, index }, [...last.values()])
    })
  }

  async #compare(told: ReadonlyMap<string, Partial<Counters>>): Promise<void> {
    const { deps, account } = this.#context
    const rows = await listMailboxRowsByPath(deps.db, account.account, [...told.keys()])
    const monitored = selectMonitored(rows, selectionRules(this.#context))
    for (const row of monitored) {
      if (!needsSync(row, mergeCounters(row, told.get(row.path) ?? {}), false)) continue
      if (row.id === this.#main) this.#look('look')
      else this.result.mailboxes.add(row.id)
    }
    const known = new Set(rows.map(({ path }) => path))
    if ([...told.keys()].some((path) => !known.has(path))) this.result.list = true
    if (this.result.mailboxes.size > 0 || this.result.list) this.#wake()
  }
}

/** Whether a sync that ended after this change has seen it, and maybe a later one. */
function isKnown({ highestModseq }: MailboxRow, modseq: bigint | undefined): boolean {
  return modseq !== undefined && highestModseq !== null && modseq <= BigInt(highestModseq)
}

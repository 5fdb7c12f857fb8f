import type { MailboxStatus } from '@posthorn/backends'
import type { MailboxRow } from '../../../store/mailboxes.ts'

// Pure functions that derive the required sync of a mailbox from its counters.

/** Counters of a mailbox, from STATUS or SELECT. */
export type Counters = Pick<MailboxStatus, 'uidValidity' | 'uidNext' | 'messages' | 'highestModseq'>

/**
 * Merges the stored counters of a mailbox with counters from a notification. Counters from the
 * notification take precedence.
 */
export function mergeCounters(row: MailboxRow, notified: Partial<Counters>): Counters {
  const highestModseq =
    notified.highestModseq ?? (row.highestModseq === null ? undefined : BigInt(row.highestModseq))
  return {
    uidValidity: notified.uidValidity ?? BigInt(row.uidValidity ?? 0),
    uidNext: notified.uidNext ?? Number(row.uidNext ?? 0),
    messages: notified.messages ?? row.messages ?? 0,
    ...(highestModseq !== undefined && { highestModseq }),
  }
}

/** Contents of a mailbox that a sync compares with the mailbox index. */
export interface SyncPlan {
  /** True to compare which messages exist in the mailbox. */
  uids: boolean
  /**
   * Kind of the comparison of flags. `delta` reads the changes since the stored mod-sequence (RFC
   * 7162). `search` searches for each flag.
   */
  flags: 'none' | 'delta' | 'search'
}

/**
 * Decides by the counters of a mailbox which contents to compare with the mailbox index. Without
 * mod-sequences, flags are searched with `full` only. For a full index, `messages` of the row is
 * the number of indexed messages, so that any difference from the server causes a comparison. For a
 * fast index, `messages` is the server's number.
 */
export function planSync(row: MailboxRow, counters: Counters, full: boolean): SyncPlan {
  const uids =
    row.syncedAt === null ||
    row.uidNext === null ||
    counters.uidNext === 0 ||
    row.uidNext !== String(counters.uidNext) ||
    row.messages !== counters.messages
  return { uids, flags: row.indexer === 'full' ? planFlags(row, counters, full) : 'none' }
}

function planFlags(row: MailboxRow, { highestModseq }: Counters, full: boolean): SyncPlan['flags'] {
  if (highestModseq === undefined) return full ? 'search' : 'none'
  if (row.highestModseq === null) return 'search'
  const stored = BigInt(row.highestModseq)
  if (highestModseq === stored) return 'none'
  // A server that rebuilt its own index may restart mod-sequences. A lower mod-sequence therefore
  // requires a search for all flags.
  return highestModseq > stored ? 'delta' : 'search'
}

/**
 * True if no sync of the mailbox has completed. Such a mailbox is synced even if its counters did
 * not change.
 */
export function isUnfinished({ flagsComplete, syncedAt }: MailboxRow): boolean {
  return !flagsComplete || syncedAt === null
}

/** True if the counters of a mailbox, from STATUS or a notification, require a sync. */
export function needsSync(row: MailboxRow, counters: Counters, full: boolean): boolean {
  if (isUnfinished(row)) return true
  // Some servers report no UIDVALIDITY, or 0, in STATUS. Such a UIDVALIDITY is not compared.
  if (counters.uidValidity > 0n && row.uidValidity !== String(counters.uidValidity)) return true
  const { uids, flags } = planSync(row, counters, full)
  return uids || flags !== 'none'
}

import type { MailboxStatus } from '@posthorn/backends'
import type { MailboxRow } from '../../../store/mailboxes.ts'

// Pure functions: changes of a mailbox according to its counters.

/** Counters of a mailbox, from STATUS or SELECT. */
export type Counters = Pick<MailboxStatus, 'uidValidity' | 'uidNext' | 'messages' | 'highestModseq'>

/**
 * Merges the stored counters of a mailbox with the counters that a notification reports. Reported
 * counters take precedence.
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

/** Parts of a mailbox that a sync compares. */
export interface SyncPlan {
  /** True to compare which messages exist in the mailbox. */
  uids: boolean
  /**
   * Kind of the comparison of flags. `delta`: changes since the stored mod-sequence (RFC 7162);
   * `search`: all flags, with one search per flag.
   */
  flags: 'none' | 'delta' | 'search'
}

/**
 * Decides which contents of a mailbox to compare with the mailbox index. Flags of a mailbox without
 * mod-sequences are searched with `full` only. The stored `messages` is the count of a full index,
 * so that any difference starts a comparison. For a fast index, `messages` is the server's count.
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
  // A server that rebuilt its own index may restart mod-sequences: a lower mod-sequence proves
  // nothing.
  return highestModseq > stored ? 'delta' : 'search'
}

/**
 * True if no sync of the mailbox completed: such a mailbox is selected whatever its counters are.
 */
export function isUnfinished({ flagsComplete, syncedAt }: MailboxRow): boolean {
  return !flagsComplete || syncedAt === null
}

/** True if the mailbox counters of a STATUS response or notification require a sync. */
export function needsSync(row: MailboxRow, counters: Counters, full: boolean): boolean {
  if (isUnfinished(row)) return true
  // Some servers report no UIDVALIDITY or 0 in STATUS, so there is no value to compare.
  if (counters.uidValidity > 0n && row.uidValidity !== String(counters.uidValidity)) return true
  const { uids, flags } = planSync(row, counters, full)
  return uids || flags !== 'none'
}

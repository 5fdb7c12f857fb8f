import type { MailboxRow } from '../store/mailboxes.ts'

/** What a server says of a mailbox as a whole: by STATUS or SELECT. */
export interface Counters {
  uidValidity: bigint
  uidNext: number
  messages: number
  highestModseq?: bigint
}

/** Counters of which only some are told; the others are taken to be as they were. */
export function mergeCounters(row: MailboxRow, told: Partial<Counters>): Counters {
  const highestModseq =
    told.highestModseq ?? (row.highestModseq === null ? undefined : BigInt(row.highestModseq))
  return {
    uidValidity: told.uidValidity ?? BigInt(row.uidValidity ?? 0),
    uidNext: told.uidNext ?? Number(row.uidNext ?? 0),
    messages: told.messages ?? row.messages ?? 0,
    ...(highestModseq === undefined ? {} : { highestModseq }),
  }
}

/** How far to look for changes. */
export interface SyncPlan {
  /** Which messages exist. */
  uids: boolean
  /** `delta`: those changed since the last mod-sequence (RFC 7162); `search`: all of them, flag by flag. */
  flags: 'none' | 'delta' | 'search'
}

/**
 * What the counters leave open. Flags of a mailbox without mod-sequences can only be searched, which is done where `full` says so.
 *
 * What we store as `messages` is what our index counts, so that a difference from whatever cause is looked into; of a fast index it is what the server counted. Pure.
 */
export function planSync(row: MailboxRow, now: Counters, full: boolean): SyncPlan {
  const uids =
    row.syncedAt === null ||
    row.uidNext === null ||
    now.uidNext === 0 ||
    row.uidNext !== String(now.uidNext) ||
    row.messages !== now.messages
  return { uids, flags: row.indexer === 'full' ? planFlags(row, now, full) : 'none' }
}

function planFlags(row: MailboxRow, { highestModseq }: Counters, full: boolean): SyncPlan['flags'] {
  if (highestModseq === undefined) return full ? 'search' : 'none'
  if (row.highestModseq === null) return 'search'
  const known = BigInt(row.highestModseq)
  if (highestModseq === known) return 'none'
  // Servers that rebuild their index may count mod-sequences from lower down again: nothing can be concluded from them then.
  return highestModseq > known ? 'delta' : 'search'
}

/** Whether a mailbox was never looked at to the end: whatever its counters are, it is to be opened. */
export function isUnfinished({ flagsComplete, syncedAt }: MailboxRow): boolean {
  return !flagsComplete || syncedAt === null
}

/** Whether a STATUS gives a reason to open the mailbox. */
export function needsSync(row: MailboxRow, now: Counters, full: boolean): boolean {
  if (isUnfinished(row)) return true
  // Some servers do not say in a STATUS, or say nonsense: then there is nothing to compare with.
  if (now.uidValidity > 0n && row.uidValidity !== String(now.uidValidity)) return true
  const { uids, flags } = planSync(row, now, full)
  return uids || flags !== 'none'
}

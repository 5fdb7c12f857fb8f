import type { MailboxRow } from '../store/mailboxes.ts'

/** What a server says of a mailbox as a whole: by STATUS or SELECT. */
export interface Counters {
  uidValidity: bigint
  uidNext: number
  messages: number
  highestModseq?: bigint
}

/** How far to look for changes. */
export interface Look {
  /** Which messages exist. */
  uids: boolean
  /** `delta`: those changed since the last mod-sequence (RFC 7162); `search`: all of them, flag by flag. */
  flags: 'none' | 'delta' | 'search'
}

/**
 * What the counters leave open. Flags of a mailbox without mod-sequences can only be searched, which is done where `full` says so.
 *
 * What we store as `messages` is what our index counts, so that a difference from whatever cause is looked into. Pure.
 */
export function whatToLookAt(row: MailboxRow, now: Counters, full: boolean): Look {
  const uids =
    row.syncedAt === null ||
    row.uidNext === null ||
    now.uidNext === 0 ||
    row.uidNext !== String(now.uidNext) ||
    row.messages !== now.messages
  return { uids, flags: flagsToLookAt(row, now, full) }
}

function flagsToLookAt(row: MailboxRow, { highestModseq }: Counters, full: boolean): Look['flags'] {
  if (highestModseq === undefined) return full ? 'search' : 'none'
  if (row.highestModseq === null) return 'search'
  const known = BigInt(row.highestModseq)
  if (highestModseq === known) return 'none'
  // Servers that rebuild their index may count mod-sequences from lower down again: nothing can be concluded from them then.
  return highestModseq > known ? 'delta' : 'search'
}

/** Whether a STATUS gives a reason to open the mailbox. */
export function needsLook(row: MailboxRow, now: Counters, full: boolean): boolean {
  if (!row.flagsComplete || row.uidValidity !== String(now.uidValidity)) return true
  const { uids, flags } = whatToLookAt(row, now, full)
  return uids || flags !== 'none'
}

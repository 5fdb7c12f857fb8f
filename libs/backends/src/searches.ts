import type { Search } from '@posthorn/contracts/schemas/search'

/**
 * Query for UIDs of a mailbox: all messages, UIDs from `from` on, messages with or without a flag,
 * or messages since the day of `since` in UTC. SINCE of IMAP compares days without a time zone (RFC
 * 9051 §6.4.4), so callers request one more day and compare the dates themselves.
 */
export type UidQuery =
  | { all: true }
  | { from: number }
  | { flag: string }
  | { without: string }
  | { since: Date }

/**
 * Search terms of the REST API with parsed dates and mod-sequence, combined with AND. Texts match
 * as substrings, in any case of letters (RFC 9051 §6.4.4). With `emailIds`, all other terms are
 * ignored.
 */
export interface SearchTerms extends Omit<
  Search,
  'modseq' | 'before' | 'since' | 'sentBefore' | 'sentSince'
> {
  modseq?: bigint
  before?: Date
  since?: Date
  sentBefore?: Date
  sentSince?: Date
}

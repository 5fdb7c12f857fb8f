/**
 * All messages, those with a UID of `from` or above, those with a flag (or `without` it), or those
 * that arrived on the UTC day of `since` or later. SINCE compares days and has no time zone (RFC
 * 9051 §6.4.4). Callers request one more day and compare the dates.
 */
export type UidQuery =
  | { all: true }
  | { from: number }
  | { flag: string }
  | { without: string }
  | { since: Date }

/**
 * Search terms, combined with AND. Texts match as substrings, case-insensitively (RFC 9051 §6.4.4).
 * Field names are those of the REST API.
 */
export interface SearchTerms {
  /** Sequence set, such as `1:10,20,*`. */
  seq?: string
  uid?: string
  answered?: boolean
  deleted?: boolean
  draft?: boolean
  unseen?: boolean
  seen?: boolean
  flagged?: boolean
  from?: string
  to?: string
  cc?: string
  bcc?: string
  body?: string
  subject?: string
  /** Bytes. */
  larger?: number
  smaller?: number
  modseq?: bigint
  before?: Date
  since?: Date
  sentBefore?: Date
  sentSince?: Date
  emailId?: string
  threadId?: string
  /** Header name to a substring of its value, or `true` for any value. */
  header?: Readonly<Record<string, string | true>>
  /** Search in Gmail's query syntax. */
  gmailRaw?: string
  labels?: { has?: readonly string[]; not?: readonly string[] }
  /** Any of these ids. All other terms are ignored. */
  emailIds?: readonly string[]
}

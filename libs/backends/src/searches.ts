/**
 * All messages, those with a UID of `from` or above, those that have (or with `without`, lack) one flag, or those that came into the mailbox on the day of `since` (UTC) or
 * later: RFC 9051 §6.4.4 `SINCE`, which compares days alone and knows no time zone, so ask for a day more and look at the dates.
 */
export type UidQuery =
  | { all: true }
  | { from: number }
  | { flag: string }
  | { without: string }
  | { since: Date }

/**
 * What to search for; all terms must hold. Texts match as substrings, without regard to case (RFC 9051 §6.4.4). Shapes are those of the REST API's `search`.
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
  /** Header name to a substring of its value; `true`: the header is there at all. */
  header?: Readonly<Record<string, string | true>>
  /** Gmail's own query language. */
  gmailRaw?: string
  labels?: { has?: readonly string[]; not?: readonly string[] }
  /** Any of these; all other terms are ignored. */
  emailIds?: readonly string[]
}

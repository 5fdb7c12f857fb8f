import type { Generated } from 'kysely'

/** How often each event happened to an account. Written by webhook-dispatcher. */
export interface AccountEventCounts {
  account: string
  event: string
  count: string
}

/** What happened in a minute, by key. Written through `addCounts`; kept for eight days. */
export interface StatCounters {
  minute: Date
  key: string
  /** Several add to one key at the same time: the sum counts. */
  slot: Generated<number>
  value: string
}

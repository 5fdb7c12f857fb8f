import type { Generated } from 'kysely'

/** Number of events per account and name. Written by webhook-dispatcher. */
export interface AccountEventCounts {
  account: string
  event: string
  count: string
}

/** Counters per minute and key. Written by `addCounts`, kept for 8 days. */
export interface StatCounters {
  minute: Date
  key: string
  /** Spreads concurrent writers of one key over several rows; readers sum the rows. */
  slot: Generated<number>
  value: string
}

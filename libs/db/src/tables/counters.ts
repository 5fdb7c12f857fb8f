import type { Generated } from 'kysely'

/** Number of events per account and name. Written by webhook-dispatcher. */
export interface AccountEventCounts {
  account: string
  event: string
  count: string
}

/** Statistics counters per minute and key. Written by `addCounts`, kept for 8 days. */
export interface StatCounters {
  minute: Date
  key: string
  /**
   * Number that spreads concurrent writers of one counter key over several rows; readers sum the
   * rows.
   */
  slot: Generated<number>
  value: string
}

/**
 * Use of mail APIs per OAuth2 application and day (UTC). Written by `countAppUse`, kept for 8 days.
 */
export interface OAuth2AppUses {
  app: string
  day: Date
  requests: string
  units: string
  limited: string
}
